"""Kernel PCA of a stream, with the parameter names of scikit-learn's KernelPCA."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._kernel_features import MappedRows
from ._kernel_parameters import check_kernel_parameters
from ._types import AutoOrInt, Float64Array, FloatArray, MatrixLike

if TYPE_CHECKING:
    from typing_extensions import Self

_CORES = {np.dtype(np.float32): _core.KernelEstimatorF32, np.dtype(np.float64): _core.KernelEstimatorF64}
_TOLD = ("n_features_in_", "feature_names_in_", "gamma_")

KernelName: TypeAlias = Literal["rbf", "poly", "linear", "sigmoid"]


class OnlineKernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel PCA of a stream of rows: each row updates the eigenpairs of the kernel matrix.

    Without a budget every row is kept, and adding one costs O(rows x (features + components^2)) instead of a
    new decomposition. With `n_components=None` the result after every row is that of scikit-learn's KernelPCA
    to rounding. `budget` and `method="features"` bound memory and time per row, for streams of any length.

    A call with a bad row, or with kernel values that no kernel can have, raises ValueError and changes
    nothing. The result does not depend on how rows are divided into calls. With `method="features"` it does, but
    only by rounding, and the symmetry of a callable is checked only for the first rows.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components to report, at most the number of rows. None reports all that have variance; with
        `method="features"`, min(rows, map_size).
    kernel : {"rbf", "poly", "linear", "sigmoid"} or callable, default="rbf"
        A callable takes two rows of shape (n_features,) and returns a number. It must be symmetric.
    gamma : float or None, default=None
        Parameter of rbf, exp(-gamma |x - y|^2), and factor of x.y in poly and sigmoid. None means
        1 / n_features.
    degree : float, default=3
        Parameter of poly, (gamma x.y + coef0)^degree.
    coef0 : float, default=1
        Parameter of poly and of sigmoid, tanh(gamma x.y + coef0).
    center : bool, default=True
        Subtract the mean of the rows in feature space, as KernelPCA always does.
    budget : int or None, default=None
        Largest number of rows to keep. They are chosen to represent all rows best. None keeps every row.
    tolerance : float in [0, 1), default=1e-3
        With a budget, a row is represented by the kept rows, and not kept itself, if its distance from their
        span in feature space is at most this fraction of its length.
    oversampling : "auto" or int, default="auto"
        Number of eigenpairs held but not reported, if every row is kept. More are more accurate. "auto" means
        max(10, n_components / 5).
    method : {"kernel", "features"}, default="kernel"
        "features" maps each row to `map_size` numbers whose inner products approximate the kernel, and runs
        OnlinePCA on these: random Fourier features for rbf, Nystroem's method on the first rows for others.
    map_size : int, default=256
        Number of features that `method="features"` maps a row to; rounded up to an even number for rbf.
    random_state : int, RandomState or None, default=None
        Seed of the random Fourier features.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components_,)
        Eigenvalues of the (centred) kernel matrix of all rows, in descending order.
    eigenvectors_ : ndarray of shape (n_kept, n_components_)
        Coefficients of the kept rows, with the largest entry of each column positive. The columns are
        orthonormal if all rows are kept. Component i is the sum of eigenvectors_[j, i] / sqrt(eigenvalues_[i])
        times row j in feature space. Not with `method="features"`.
    X_fit_ : ndarray of shape (n_kept, n_features_in_)
        The kept rows. Not with `method="features"`.
    kept_indices_ : ndarray of shape (n_kept,)
        Zero-based positions of the kept rows in the stream. Not with `method="features"`.
    representation_error_ : float
        The part of the sum of k(x, x) over all rows that the kept rows do not represent; 0 without a budget.
        Not with `method="features"`.
    gamma_ : float
        The value of gamma in use.
    n_components_ : int
        Number of reported components.
    n_samples_seen_ : int
        Number of rows seen.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the first rows had names that are all strings.

    Notes
    -----
    A parameter that is changed after the first rows cannot take effect: `partial_fit` raises ValueError, and if it is
    `n_components`, so does every reading. `fit` starts again with the new value.

    Examples
    --------
    >>> from roipca import OnlineKernelPCA
    >>> from sklearn.datasets import make_circles
    >>> X, _ = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    >>> kpca = OnlineKernelPCA(2, gamma=2.0)
    >>> for x in X:
    ...     kpca = kpca.partial_fit([x])
    >>> kpca.transform(X).shape, kpca.eigenvectors_.shape
    ((200, 2), (200, 2))

    Parameters are read and changed as those of every estimator of scikit-learn, and columns of scores have names:

    >>> kpca.get_feature_names_out()
    array(['onlinekernelpca0', 'onlinekernelpca1'], dtype=object)
    >>> wider = kpca.set_params(gamma=0.5).fit(X)
    >>> wider.get_params()["gamma"]
    0.5
    """

    _learned_from: Any = None
    _learned_with: dict[str, Any]  # the parameters at the first rows

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: KernelName | Callable[[np.ndarray, np.ndarray], float] = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        center: bool = True,
        budget: int | None = None,
        tolerance: float = 1e-3,
        oversampling: AutoOrInt = "auto",
        method: Literal["kernel", "features"] = "kernel",
        map_size: int = 256,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.center = center
        self.budget = budget
        self.tolerance = tolerance
        self.oversampling = oversampling
        self.method = method
        self.map_size = map_size
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Fit the model to rows, after discarding earlier ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored

        Returns
        -------
        self : OnlineKernelPCA

        Examples
        --------
        >>> from roipca import OnlineKernelPCA
        >>> OnlineKernelPCA(kernel="linear").fit([[1.0], [2.0], [4.0]]).eigenvalues_.round(3)
        array([4.667])
        """
        learner = copy.copy(self)
        for name in _TOLD:
            learner.__dict__.pop(name, None)
        rows = learner._checked(X, None)
        learner._begin(rows)
        learner._learned_from.add(rows)
        for name in _TOLD:
            self.__dict__.pop(name, None)
            if name in vars(learner):
                setattr(self, name, vars(learner)[name])
        self._learned_from, self._learned_with = learner._learned_from, learner._learned_with
        return self

    def partial_fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Add one row or more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored

        Returns
        -------
        self : OnlineKernelPCA

        Examples
        --------
        >>> from roipca import OnlineKernelPCA
        >>> kpca = OnlineKernelPCA(kernel="linear").partial_fit([[1.0]]).partial_fit([[2.0], [4.0]])
        >>> kpca.eigenvalues_.round(3)
        array([4.667])
        """
        if self._learned_from is None:
            return self.fit(X)
        self._require_unchanged(_PARAMETERS)
        self._learned_from.add(self._checked(X, self._learned_from.dtype))
        return self

    def transform(self, X: MatrixLike) -> FloatArray:
        """Return the scores of rows on the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)
            float32 if the first rows were float32, else float64. Scores on components without variance are 0.

        Examples
        --------
        >>> from roipca import OnlineKernelPCA
        >>> kpca = OnlineKernelPCA(kernel="linear").fit([[1.0], [2.0], [4.0]])
        >>> abs(kpca.transform([[7.0]])).round(3)
        array([[4.667]])
        """
        learned = self._learned
        return learned.scores(self._checked(X, learned.dtype))

    def fit_transform(self, X: MatrixLike, y: Any = None) -> FloatArray:
        """Fit the model to rows and return their scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)

        Examples
        --------
        >>> from roipca import OnlineKernelPCA
        >>> OnlineKernelPCA(1, gamma=1.0).fit_transform([[1.0], [1.0], [1.0]])
        array([[0.],
               [0.],
               [0.]])
        """
        return self.fit(X, y).transform(X)

    @property
    def eigenvalues_(self) -> Float64Array:
        """Eigenvalues of the (centred) kernel matrix (n_components_,), in descending order."""
        return self._learned.eigenvalues

    @property
    def eigenvectors_(self) -> Float64Array:
        """Coefficients of the kept rows (n_kept, n_components_)."""
        return self._kept.core.eigenvectors

    @property
    def X_fit_(self) -> FloatArray:
        """The kept rows (n_kept, n_features_in_)."""
        return self._kept.core.kept_rows

    @property
    def kept_indices_(self) -> NDArray[np.int64]:
        """Zero-based positions of the kept rows in the stream (n_kept,)."""
        return self._kept.core.kept_numbers

    @property
    def representation_error_(self) -> float:
        """The part of the sum of k(x, x) over all rows that the kept rows do not represent."""
        return self._kept.core.representation_error

    @property
    def n_components_(self) -> int:
        """Number of reported components."""
        return len(self.eigenvalues_)

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows seen."""
        return self._learned.rows_seen

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    @property
    def _learned(self) -> Any:
        if self._learned_from is None:
            check_is_fitted(self)  # raises, in scikit-learn's words
        self._require_unchanged(("n_components",))
        return self._learned_from

    def _require_unchanged(self, names: tuple[str, ...]) -> None:
        """Raises if one of these parameters was changed after the first rows, since it cannot take effect."""
        for name in names:
            before, now = self._learned_with[name], getattr(self, name)
            if now is not before and now != before:
                raise ValueError(
                    f"{name} was changed from {before!r} to {now!r} after the first rows, which cannot take effect: "
                    "set it back, or start again with fit or a clone"
                )

    @property
    def _kept(self) -> KeptRows:
        learned = self._learned
        if not isinstance(learned, KeptRows):
            raise AttributeError('method="features" keeps no rows, so this attribute does not exist')
        return learned

    def __sklearn_is_fitted__(self) -> bool:
        return self._learned_from is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: Any, dtype: Any) -> np.ndarray:
        """Return X as C-ordered rows. Without a dtype they are the first rows, and float32 stays float32."""
        kept = (np.float64, np.float32) if dtype is None else dtype
        return cast(np.ndarray, validate_data(self, X, reset=dtype is None, dtype=kept, order="C"))

    def _begin(self, X: np.ndarray) -> None:
        parameters = {name: getattr(self, name) for name in _PARAMETERS}
        check_kernel_parameters(parameters)
        if self.method == "features":
            if self.budget is not None:
                raise ValueError('budget needs method="kernel", since method="features" keeps no rows')
            if self.n_components is not None and self.n_components > self.map_size:
                raise ValueError(f"n_components ({self.n_components}) exceeds map_size ({self.map_size})")
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else float(self.gamma)
        engine = KeptRows if self.method == "kernel" else MappedRows
        self._learned_from, self._learned_with = engine(X.dtype, parameters, self.gamma_), parameters


_PARAMETERS = tuple(inspect.signature(OnlineKernelPCA).parameters)


class KeptRows:
    """The C++ estimator, which keeps rows."""

    def __init__(self, dtype: np.dtype, parameters: dict[str, Any], gamma: float) -> None:
        oversampling = parameters["oversampling"]
        self.dtype = dtype
        self.core = _CORES[np.dtype(dtype)](
            parameters["kernel"],
            gamma,
            float(parameters["degree"]),
            float(parameters["coef0"]),
            0 if parameters["n_components"] is None else int(parameters["n_components"]),
            bool(parameters["center"]),
            None if oversampling == "auto" else int(oversampling),
            None if parameters["budget"] is None else int(parameters["budget"]),
            float(parameters["tolerance"]),
        )

    def add(self, X: np.ndarray) -> None:
        """Add all rows, or none if one is bad."""
        self.core.partial_fit(X)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return the scores of rows on the components."""
        return self.core.transform(X)

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the kernel matrix, in descending order."""
        return self.core.eigenvalues

    @property
    def rows_seen(self) -> int:
        """Number of rows so far."""
        return self.core.rows_seen
