"""Converts input of any kind to arrays that the C++ core reads in place; refuses it in scikit-learn's words."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_non_negative, validate_data

from ._caller import caller_level
from ._errors import SPARSE_REMEDY, DataError, first_start, missing_value, with_remedy
from ._tensors import is_tensor, tensor_rows

# In scikit-learn's words, followed by the remedy.
ONE_ROW = (
    "Expected 2D array, got 1D array instead: update(x) adds one row. Rows are arrays of two dimensions; "
    "reshape one row with x.reshape(1, -1), or one feature with x.reshape(-1, 1)"
)

# In errors of NumPy for text and times.
_NO_NUMBERS = ("could not convert", "could not be promoted")

_KEPT = (np.float64, np.float32)  # rows of any other type become the first


class NamedBlock:
    """Rows of an array or sparse matrix, with the names of their features."""

    def __init__(self, rows: Any, names: Sequence[str]) -> None:
        self.rows, self.names = rows, names
        self.shape = rows.shape


def as_rows(estimator: Any, X: Any, dtype: Any = None, *, first_row: int = 0) -> Any:
    """Returns X as C-ordered rows of float32 or float64, dense or CSR; the same memory where possible.

    Without a dtype the rows are the estimator's first: they set its width and names, float32 stays float32
    and everything else becomes float64. NaN and infinity pass: the core checks rows that are learned, and
    `require_finite` those that are read. Errors count the rows of X from `first_row`.
    """
    names = None
    if type(X) is not np.ndarray:
        X, names = _as_array(X, dtype, first_row, imputes(estimator))
    if names is None and dtype is not None and issparse(X):  # has no names to compare, and needs no warning about it
        names = getattr(estimator, "feature_names_in_", None)
    checks = {
        "dtype": _KEPT if dtype is None else dtype,
        "order": "C",
        "accept_sparse": "csr",
        "ensure_all_finite": False,
    }
    if len(getattr(X, "shape", ())) > 2:
        raise ValueError(too_many_dimensions(X))
    if issparse(X):
        require_first_start(X, first_row)
    if names is not None:
        return _named_rows(estimator, X, names, dtype is None, checks)
    try:
        return validate_data(estimator, X, reset=dtype is None, **checks)
    except (TypeError, ValueError) as error:
        refuse_text(X, first_row, error)
        raise


def require_finite(rows: Any, *, allow_nan: bool, columns: np.ndarray | None = None) -> None:
    """Raises DataError for the first NaN (unless allowed) or infinity in dense rows or a CSR matrix.

    If `columns` is given, one bool per column, only those for which it is true matter.
    """
    values = rows.data if issparse(rows) else rows.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # cheap, and enough for nearly all rows
            return
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if columns is not None:
        bad &= columns[rows.indices] if issparse(rows) else np.tile(columns, len(rows))
    if not bad.any():
        return
    first = int(bad.argmax())
    if issparse(rows):
        row, column = int(np.searchsorted(rows.indptr, first, side="right")) - 1, int(rows.indices[first])
    else:
        row, column = divmod(first, rows.shape[1])
    if np.isnan(values[first]):
        missing = missing_value(row, f"NaN in column {column}")
        raise with_remedy(missing, SPARSE_REMEDY) if issparse(rows) else missing
    sign = "-" if values[first] < 0 else ""
    summary = f"Input X contains infinity or a value too large for {values.dtype!r}."
    raise DataError(row, f"{sign}infinity (inf) in column {column}", summary)


def imputes(estimator: Any) -> bool:
    """Whether NaN in the estimator's rows are missing values."""
    return getattr(estimator, "missing", "error") == "impute"


def too_many_dimensions(X: Any) -> str:
    """Returns the message for an array of three dimensions or more."""
    return (
        f"Found array with dim {len(X.shape)}, while dim <= 2 is required: rows are arrays of two dimensions. "
        "X.reshape(len(X), -1) makes one row of each X[i]"
    )


def refuse_containers(X: Any) -> None:
    """Raises TypeError for objects that hold a matrix among other things, and says how to pass the matrix."""
    if all(hasattr(X, name) for name in ("X", "obs", "var", "obs_names", "var_names")):
        raise TypeError(
            f"{type(X).__name__} holds more than one matrix: pass the one to learn from, such as .X or "
            ".layers[name], or .to_df() for rows with the names of the variables"
        )


def is_store(X: Any) -> bool:
    """Whether X is a group of HDF5 or zarr."""
    return all(hasattr(X, name) for name in ("attrs", "keys", "__getitem__")) and not hasattr(X, "shape")


def refuse_stored(X: Any) -> None:
    """Raises TypeError for paths, and for groups and sparse matrices in files: only functions for streams read them."""
    readers = "read by fit_stream, transform_stream and score_stream, block by block"
    if isinstance(X, (str, os.PathLike)):
        raise TypeError(f"expected rows, not the path {str(X)!r}: files are {readers}")
    streams = f"{type(X).__name__} is {readers}"
    if is_store(X):
        raise TypeError(f'{streams}. For rows in memory, pass one of its datasets, such as X["name"][:]')
    if hasattr(X, "group") and hasattr(X, "to_memory"):  # a sparse matrix of AnnData in backed mode
        raise TypeError(f"{streams}. For rows in memory, pass X[:]")


def require_first_start(matrix: Any, first_row: int) -> None:
    """Raises DataError if the first entries of a scipy matrix, whose rows begin at `first_row`, belong to no row."""
    indptr = getattr(matrix, "indptr", None)
    if indptr is not None and len(indptr) > 0 and indptr[0] != 0:
        raise first_start(first_row, indptr[0])


def refuse_text(X: Any, first_row: int, error: Exception) -> None:
    """Raises the error again with row and column, if its reason is a value or a column of X that is no number."""
    if not any(words in str(error) for words in _NO_NUMBERS):
        return
    for i, column, value in _values_of_frame(X, error) if hasattr(X, "columns") else _values_of_rows(X):
        if _is_text(value):
            raise ValueError(f"{_not_a_number(value)} (row {first_row + i}, column {column!r})") from error


def _values_of_frame(X: Any, error: Exception) -> Iterator[tuple[int, Any, Any]]:
    """Yields row, name and value of the columns that may hold text; raises TypeError if a column holds times."""
    for j, name in enumerate(X.columns):
        column = np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X[name])
        if column.dtype.kind in "mM":
            raise TypeError(f"Column {name!r} holds {column.dtype}, not numbers") from error
        if column.dtype.kind in "OSUT":
            yield from ((i, name, value) for i, value in enumerate(column))


def _values_of_rows(X: Any) -> Iterator[tuple[int, int, Any]]:
    for i, row in enumerate(X):
        if isinstance(row, Iterable) and not isinstance(row, (str, bytes)):
            yield from ((i, j, value) for j, value in enumerate(row))


def unmasked(X: Any) -> Any:
    """Returns a masked array as an array with NaN for masked values, and anything else unchanged."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan) if np.ma.is_masked(X) else X.data


def is_arrow(X: Any) -> bool:
    """Whether X is an Arrow table, batch, reader or dataset, or exports one, and is not a pandas or polars frame."""
    module = type(X).__module__.partition(".")[0]
    if module in ("numpy", "pandas", "polars"):
        return False
    return module == "pyarrow" or hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")


def check_names(estimator: Any, names: Iterable[str]) -> None:
    """Raises ValueError if the estimator has seen rows with other feature names."""
    known, names = getattr(estimator, "feature_names_in_", None), list(names)
    if known is None or list(known) == names:
        return
    unexpected, missing = sorted(set(names) - set(known)), sorted(set(known) - set(names))
    details = [
        f"{what}: {', '.join(map(repr, some[:5]))}{', ...' if len(some) > 5 else ''}"
        for what, some in (("unexpected", unexpected), ("missing", missing))
        if some
    ]
    raise ValueError(
        "The feature names should match those that were passed during fit.\n"
        + ("; ".join(details) or "They are in another order.")
    )


def are_rows(X: Any, dtype: np.dtype, features: int) -> bool:
    """Whether `as_rows` would return X itself: cheap, for streams that come a few rows at a time."""
    return (
        type(X) is np.ndarray
        and X.dtype == dtype
        and X.ndim == 2
        and X.shape[1] == features
        and X.shape[0] > 0
        and X.flags.c_contiguous
    )


def is_one_row(X: Any) -> bool:
    """Whether X has one dimension: numbers, or an array or series of them."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], Number)
    return getattr(X, "ndim", None) == 1


def as_row(estimator: Any, x: Any, dtype: Any = None) -> np.ndarray:
    """Returns one row as a contiguous array of shape (features,), or refuses a series with other names."""
    dimensions = getattr(x, "ndim", None)
    is_table = dimensions != 1 and hasattr(x, "columns")  # a series may have a label "columns"
    if is_table or dimensions not in (None, 1):
        raise _not_one_row("a table" if is_table else f"{dimensions}D array", x)
    names = _row_names(x)
    if names is not None:
        check_names(estimator, names)
    x = tensor_rows(x) if is_tensor(x) else np.asarray(x)
    if x.dtype.kind not in "biuf":
        try:
            x = check_array(x, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
        except ValueError as error:
            for j, value in enumerate(x.reshape(-1)):
                if _is_text(value):
                    raise ValueError(f"{_not_a_number(value)} (column {j})") from error
            raise
    if x.ndim != 1:
        raise _not_one_row(f"{x.ndim}D array", x)
    return np.ascontiguousarray(x, dtype)


def _not_one_row(what: str, x: Any) -> ValueError:
    """Returns the error for something else than one row."""
    example = ", such as X.iloc[0]" if hasattr(x, "iloc") else "" if hasattr(x, "columns") else ", such as X[0]"
    return ValueError(f"Expected 1D array, got {what} instead: pass one row{example}")


def as_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """Returns one weight per row as float64: None stays None, a number stands for all rows."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(rows, sample_weight)
    weights = check_array(
        unmasked(sample_weight), ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight"
    )
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    check_non_negative(weights, "`sample_weight`")
    return weights


def of_rows(model: Any, name: str, X: Any) -> Any:
    """Calls a function of the C++ model for dense rows, or its counterpart for a CSR matrix."""
    if not issparse(X):
        return getattr(model, name)(X)
    return getattr(model, f"{name}_csr")(X.data, X.indices, X.indptr, X.shape[1])


def _row_names(x: Any) -> list[str] | None:
    """Returns the index of a pandas series, if all of it is strings."""
    index = getattr(x, "index", None)
    if index is None or callable(index):  # that of a list is a method
        return None
    names = list(index)
    return names if all(isinstance(name, str) for name in names) else None


def _is_text(value: Any) -> bool:
    """Whether the value is a string that does not say a number."""
    if not isinstance(value, (str, bytes)):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def _not_a_number(text: str | bytes) -> str:
    """Returns the message of NumPy for the text, without its type."""
    shown = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return f"could not convert string to float: {shown!r}"


def _as_array(X: Any, dtype: Any, first_row: int, gaps: bool) -> tuple[Any, Sequence[str] | None]:
    """Returns X as scikit-learn understands it, and feature names that scikit-learn would not see."""
    if isinstance(X, NamedBlock):
        return X.rows, X.names
    if isinstance(X, np.ma.MaskedArray):
        return unmasked(X), None
    refuse_containers(X)
    refuse_stored(X)
    if is_arrow(X):
        from ._arrow import rows_and_names

        return rows_and_names(X, dtype, first_row, gaps=gaps)
    if is_tensor(X):
        return tensor_rows(X), None
    # Arrays of other libraries have types that scikit-learn cannot compare with NumPy's.
    if hasattr(X, "dtype") and not hasattr(X.dtype, "kind"):
        if hasattr(X, "__array__"):
            return np.asarray(X), None
        if hasattr(X, "__dlpack__"):
            return np.from_dlpack(X), None
    return X, None


def _named_rows(
    estimator: Any, X: Any, names: Sequence[str], is_first: bool, checks: dict[str, Any]
) -> Any:
    """Makes the checks of `validate_data` for a frame of these rows and names."""
    if not is_first:
        check_names(estimator, names)
        if not hasattr(estimator, "feature_names_in_"):
            kind = type(estimator).__name__
            message = f"X has feature names, but {kind} was fitted without feature names"
            warnings.warn(message, stacklevel=caller_level())
    rows = check_array(X, estimator=estimator, input_name="X", **checks)
    if is_first:
        estimator.n_features_in_ = rows.shape[1]
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif rows.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {rows.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return rows
