"""The estimator, with scikit-learn's names and meanings."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ._first_call import first_call, has_seen_rows
from ._fitted import Fitted
from ._model_file import load_model, save_model, saved_parameters
from ._parameters import CONSTRAINTS
from ._reader import Reader
from ._rows import ONE_ROW, MatrixLike, are_rows, as_row, as_rows, as_weights, check_names, is_one_row
from ._sources import count_rows, open_source, progress_bar

_TOLD = ("n_features_in_", "feature_names_in_")


class OnlinePCA(Reader):
    """Principal components of a stream of rows, in one pass and O(components x features) memory.

    The way rows are cut into calls does not change the result, to the last bit. A call with a bad row (NaN,
    infinity, another width) raises ValueError and changes nothing.

    Rows of float32 or float64 in C order are read where they lie, others are converted. The first rows decide
    whether components and scores are float32 or float64; means, variances and statistics are always float64.

    Threads may share an estimator once it has seen its first rows: one call at a time works on it, with the
    interpreter free for others, and every reading is of one moment between two calls.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Components to report.

        - int: so many, at most the number of features. While fewer rows were seen, directions of variance 0
          fill up the rest.
        - float in (0, 1): as many as explain more than this fraction of the variance, counted anew at every
          reading, so that the number can change as rows come. All components are held where the features
          are few enough to be exact (`method="auto"` with up to 960 features, or `method="exact"`), and
          where they are not, 120: 100 and their oversampling. A fraction that these do not reach gives all
          of them and a warning.
        - None: min(rows, features). `fit` knows the rows. `partial_fit` does not, holds as many components as
          features, in O(features^2) memory, and reports min(n_samples_seen_, features).
    method : {"auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact"}, default="auto"
        "auto" is exact where the features are few beside the components, else roipca.
    mu : {"mean", "zero"} or float, default="mean"
        The variance that roipca and froipca assume along directions that are not held.
    tau : {"zero", "optimal"}, default="zero"
        How froipca stands in for rotations inside the components.
    oversampling : "auto" or int, default="auto"
        Components held beyond those reported: what buys accuracy.
    update_every : {"block", "row"}, default="block"
        Whether roipca and ipca update the components after every block of rows or after every row.
    block_size : "auto" or int, default="auto"
        Rows in a block.
    center : bool, default=True
        Subtract the running mean.
    whiten : bool, default=False
        Scale the scores of `transform` to unit variance. Components without variance have scores of 0.
    forgetting : float in (0, 1], default=1.0
        Factor by which all that came before is scaled down at each row.
    learning_rate : None, "auto" or float, default=None
        c of the rate c/n of gha and oja. None follows the variance, "auto" tunes c on the first rows.
    n_jobs : int or None, default=None
        Threads that share the rows of a call, for blocks and for exact; -1 for one a processor. The result
        depends on the number, but not on how they were scheduled. None is 1.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Orthonormal, by descending variance, the largest entry of each positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each component.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same as a part of the total variance of all features.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of each feature; zero without centring.
    var_ : ndarray of shape (n_features_in_,)
        Variance of each feature.
    noise_variance_ : float
        Mean variance along the directions that are not reported.
    n_components_ : int
        Components reported.
    n_samples_seen_ : int
        Rows of positive weight seen.
    n_features_in_ : int
        Numbers in a row.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the first rows came with names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import OnlinePCA
    >>> rows = np.random.default_rng(0).standard_normal((1000, 50)) * np.linspace(5, 1, 50)
    >>> pca = OnlinePCA(3)
    >>> for part in np.array_split(rows, 7):
    ...     pca = pca.partial_fit(part)
    >>> pca.components_.shape, pca.transform(rows).shape
    ((3, 50), (1000, 3))
    """

    _parameter_constraints = CONSTRAINTS

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        method: str = "auto",
        mu: str | float = "mean",
        tau: str = "zero",
        oversampling: str | int = "auto",
        update_every: str = "block",
        block_size: str | int = "auto",
        center: bool = True,
        whiten: bool = False,
        forgetting: float = 1.0,
        learning_rate: str | float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.mu = mu
        self.tau = tau
        self.oversampling = oversampling
        self.update_every = update_every
        self.block_size = block_size
        self.center = center
        self.whiten = whiten
        self.forgetting = forgetting
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None) -> OnlinePCA:
        """Forget everything and learn from rows.

        Methods that work row by row start from a batch PCA of the first 500 rows; with sparse rows, as
        `partial_fit` does, from the first row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse ones are made dense a few at a time.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows: 0, or between 1e-100 and 1e100. None is 1 each. Numbers of a row of weight w
            may reach 1e151, or 1e151 / sqrt(w) where w is above 1.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> OnlinePCA(1).fit(X).explained_variance_ratio_
        array([1.])
        """
        learner = clone(self)
        X = as_rows(learner, X, check_finite=False)
        weights = as_weights(sample_weight, X.shape[0])
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        fitted = learner._empty(X, rows=X.shape[0])
        if isinstance(X, np.ndarray):
            fitted.core.fit(X, weights)
        else:
            fitted.add(X, weights)
        return self._learn_from(learner, fitted)

    def partial_fit(self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None) -> OnlinePCA:
        """Add rows, from one row on.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse ones are made dense a few at a time.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows: 0, or between 1e-100 and 1e100. None is 1 each. A weight of 0 skips the row.
            Numbers of a row of weight w may reach 1e151, or 1e151 / sqrt(w) where w is above 1.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> from roipca import OnlinePCA
        >>> pca = OnlinePCA(1).partial_fit([[1.0, 1.0]]).partial_fit([[2.0, 2.0], [3.0, 3.0]])
        >>> pca.n_samples_seen_
        3
        """
        return self._add(X, sample_weight)

    def _add(
        self, X: Any, sample_weight: Any = None, *, stream_rows: int | None = None, first_row: int = 0
    ) -> OnlinePCA:
        """Add rows, which begin at row `first_row` of a stream of `stream_rows` (None: unknown)."""
        if is_one_row(X):
            raise ValueError(ONE_ROW)
        if self._fitted is None:
            with first_call(self):
                if self._fitted is None:
                    return self._add_first(X, sample_weight, stream_rows, first_row)
        fitted = self._learned
        if "feature_names_in_" in vars(self) or not are_rows(X, fitted.dtype, self.n_features_in_):
            X = as_rows(self, X, fitted.dtype, check_finite=False, first_row=first_row)
        fitted.add(X, as_weights(sample_weight, X.shape[0]), first_row)
        return self

    def _add_first(self, X: Any, sample_weight: Any, stream_rows: int | None, first_row: int) -> OnlinePCA:
        learner = clone(self)
        X = as_rows(learner, X, check_finite=False, first_row=first_row)
        fitted = learner._empty(X, rows=stream_rows)
        fitted.add(X, as_weights(sample_weight, X.shape[0]), first_row)
        return self._learn_from(learner, fitted) if fitted.core.rows_seen > 0 else self

    def update(self, x: ArrayLike) -> OnlinePCA:
        """Add one row, for streams that come row by row.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            One row; fastest as a contiguous array of the estimator's own float32 or float64.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> pca = OnlinePCA(1)
        >>> for x in np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]):
        ...     pca = pca.update(x)
        >>> pca.mean_
        array([2., 2.])
        """
        fitted = self._fitted
        if fitted is None:
            return self.partial_fit(as_row(x)[np.newaxis])
        try:
            fitted.core.update(x)
        except TypeError:
            fitted.core.update(as_row(x, fitted.dtype))
        return self

    def fit_stream(
        self,
        source: Any,
        *,
        batch_size: int | None = None,
        columns: list[str] | None = None,
        progress: bool = True,
        resume: bool = False,
    ) -> OnlinePCA:
        """Learn from rows that do not fit in memory, a block at a time.

        The result is that of `partial_fit` with all rows, however the source cuts them. Where a block is bad,
        or reading fails, the estimator has learned from the blocks before.

        Parameters
        ----------
        source : str, path or object
            - a path to a `.npy` file, a `.parquet` file or folder of such, or a `.zarr` array;
            - an array of two dimensions that can be sliced: NumPy, memory maps, h5py datasets, zarr arrays;
            - a pandas or polars frame, or a scipy CSR matrix;
            - a pyarrow table, dataset, scanner, record batch reader or Parquet file, or anything else with
              `__arrow_c_stream__`;
            - an iterable of blocks, each as `partial_fit` takes them.
        batch_size : int, default=None
            Rows to read at a time. None is about a million numbers, and for chunked files whole chunks.
            Blocks of an iterable are taken as they are.
        columns : list of str, default=None
            The columns to read, for sources that have names. None is all.
        progress : bool, default=True
            Show a bar with rows a second and, where the source knows its length, the time left.
        resume : bool, default=False
            Go on from the rows already seen instead of forgetting them.

        Returns
        -------
        self : OnlinePCA

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> blocks = (np.random.default_rng(i).standard_normal((100, 5)) for i in range(10))
        >>> OnlinePCA(2).fit_stream(blocks, progress=False).n_samples_seen_
        1000
        """
        stream = open_source(source, batch_size, columns)
        learner = self if resume else clone(self)
        rows = 0
        with progress_bar(stream.rows, progress) as bar:
            for block in stream.blocks:
                count = count_rows(block)
                if count == 0:
                    continue
                try:
                    learner._add(block, stream_rows=stream.rows, first_row=rows)
                except ValueError as error:
                    raise ValueError(
                        f"In rows {rows} to {rows + count - 1} of the stream: {error}"
                    ) from error
                if learner is not self and learner._fitted is not None:
                    learner = self._learn_from(learner, learner._fitted)
                rows += count
                bar.update(count)
        if rows == 0:
            raise ValueError("Found a stream of 0 sample(s) while a minimum of 1 is required by OnlinePCA.")
        return self

    def fit_transform(
        self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> np.ndarray:
        """Learn from rows and return their scores.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows, as in `fit`.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> OnlinePCA(1).fit_transform(X).round(3) + 0.0
        array([[-1.414],
               [ 0.   ],
               [ 1.414]])
        """
        return self.fit(X, y, sample_weight).transform(X)

    def merge(self, other: OnlinePCA) -> OnlinePCA:
        """A new estimator of the rows of both, to fit parts of the rows in threads, processes or clusters.

        Parameters
        ----------
        other : OnlinePCA
            One that has seen rows of the same features, with the same number of components and centring.

        Returns
        -------
        merged : OnlinePCA
            With the parameters of this one. Mean, variances and counts are exact.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((100, 5))
        >>> both = OnlinePCA(2).fit(X[:50]).merge(OnlinePCA(2).fit(X[50:]))
        >>> both.n_samples_seen_, np.allclose(both.mean_, X.mean(axis=0))
        (100, True)
        """
        if not isinstance(other, OnlinePCA):
            raise TypeError(f"merge takes another OnlinePCA, not {type(other).__name__}")
        mine, theirs = self._learned.core.model(), other._learned.core.model()
        if type(mine) is not type(theirs):
            raise ValueError("an estimator of float32 and one of float64 cannot be merged")
        if hasattr(other, "feature_names_in_"):
            check_names(self, other.feature_names_in_)
        return clone(self)._learn_from(self, Fitted.from_model(mine.merge(theirs), self._learned.requested))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file that other tools can read too.

        It holds the parameters and the names of the features as well.

        Parameters
        ----------
        path : str or path
            Where to. A file of that name is replaced whole or left as it was.

        Examples
        --------
        >>> import os, tempfile
        >>> from roipca import OnlinePCA
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> OnlinePCA(1).fit([[1.0, 1.0], [3.0, 3.0]]).save(path)
        >>> OnlinePCA.load(path).mean_
        array([2., 2.])
        """
        names = getattr(self, "feature_names_in_", ())
        save_model(self._learned.core.model(), path, names, self.get_params(deep=False))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> OnlinePCA:
        """The estimator whose model `save` or the command `roipca fit` wrote, ready to go on.

        Parameters
        ----------
        path : str or path
            Of the file.

        Returns
        -------
        pca : OnlinePCA
            With the parameters and feature names that it was saved with.

        Examples
        --------
        >>> import os, tempfile
        >>> from roipca import OnlinePCA
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> OnlinePCA(1).fit([[1.0, 1.0], [3.0, 3.0]]).save(path)
        >>> OnlinePCA.load(path).partial_fit([[5.0, 5.0]]).mean_
        array([3., 3.])
        """
        model = load_model(path)
        pca = cls(**saved_parameters(model, cls._get_param_names()))
        pca._fitted = Fitted.from_model(model, pca.n_components)
        pca.n_features_in_ = model.features
        if model.feature_names:
            pca.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
        return pca

    def _empty(self, X: Any, rows: int | None) -> Fitted:
        self._validate_params()
        return Fitted.empty(self.get_params(deep=False), X.dtype, rows, X.shape[1])

    def _learn_from(self, learner: OnlinePCA, fitted: Fitted) -> OnlinePCA:
        """Take over what a learner was told of its rows and made of them, once nothing can fail any more."""
        for name in _TOLD:
            if name in vars(learner):
                setattr(self, name, vars(learner)[name])
            else:
                self.__dict__.pop(name, None)
        self._fitted = fitted
        has_seen_rows(self)
        return self
