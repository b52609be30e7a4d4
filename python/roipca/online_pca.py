"""The estimator, with scikit-learn's names and meanings."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from ._first_call import has_seen_rows
from ._fitted import AT_READING, Fitted, merge_parts
from ._model_file import load_model, save_model, saved_parameters
from ._monitor import Monitoring
from ._parameters import check_parameters
from ._passes import Refining, check_passes, more_passes, refine_once, require_equal_rows
from ._preparation import Preparation
from ._rows import NamedBlock, as_rows, as_weights, check_names
from ._score_streams import ScoreStreams
from ._scores import Scores
from ._sources import Stream
from ._stream_blocks import StreamBlocks
from ._streaming import Streaming
from ._tensors import ToTorch
from ._types import (
    Align,
    AutoOrInt,
    ComponentNumber,
    LearningRate,
    MatrixLike,
    Method,
    Missing,
    MuChoice,
    Tau,
    UpdateEvery,
)

if TYPE_CHECKING:
    from typing_extensions import Self

_TOLD = ("n_features_in_", "feature_names_in_")


class OnlinePCA(Streaming, Refining, Scores, ScoreStreams, ToTorch, Monitoring):
    """Principal components of a stream of rows, in one pass and O(components x features) memory.

    The result does not depend on how rows are divided into calls, to the last bit. A call with a bad row (NaN,
    infinity, another number of features) raises ValueError and changes nothing.

    C-ordered rows of float32 or float64 are not copied; other rows are converted. The first rows decide whether
    components and scores are float32 or float64. Means, variances and statistics are always float64.

    Threads may share an estimator. One call at a time works on it, with the GIL released, and every result is that
    of one moment between two calls. A fork waits for the calls in progress.

    Parameters
    ----------
    n_components : int, float, "auto" or None, default=None
        Number of components to report.

        - int: this number, at most the number of features. As long as there are fewer rows, directions of
          variance 0 are added.
        - float in (0, 1): the number of components that explain more than this fraction of the variance. It is
          computed whenever a result is read, so that it can change as rows are added. If there are few enough
          features for an exact result (`method="auto"` with up to 1,600 features, or `method="exact"`), all
          components are held, and otherwise 200: 100 and their oversampling. If these explain less than the
          fraction, all of them are reported, with a warning.
        - "auto": the consensus of `suggest_components`, at least 1. It is computed whenever a result is read, and as
          many components are held as for a float. So `n_components_` and the number of columns of `transform` can
          change as rows are added.
        - None: min(rows, features). `fit` knows the number of rows. `partial_fit` does not: it holds as many
          components as features, in O(features^2) memory, and reports min(n_samples_seen_, features).
    method : {"auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact"}, default="auto"
        "auto" means exact where that takes no longer than blocks (up to about 150 features for 2 components,
        240 for 10, 920 for 40, 4,000 for 256) and there are at most 1,024 features or 16 times as many as reported
        components. For dense rows that will be read more than once (`passes` of `fit` and `fit_stream`), it means exact
        for up to 1,024 features. Otherwise it means roipca.
    mu : {"mean", "zero"} or float, default="mean"
        The variance that roipca and froipca assume along directions that are not held.
    tau : {"zero", "optimal"}, default="zero"
        How froipca approximates rotations within the components.
    oversampling : "auto" or int, default="auto"
        Number of components that are held but not reported. More are more accurate. "auto" is `n_components`, at least
        10 and at most 100 (a fifth of `n_components` if that is more); at least 60 if `method` is "auto" and dense rows
        will be read more than once.
    update_every : {"block", "row"}, default="block"
        Whether roipca and ipca update the components with every block of rows or with every row.
    block_size : "auto" or int, default="auto"
        Number of rows in a block.
    center : bool, default=True
        Subtract the running mean.
    standardize : bool, default=False
        Divide each feature by its standard deviation (without centring, by its root mean square), so that the
        components are those of the correlation matrix. "exact" knows the deviations whenever a result is read. The
        other methods take them from the first rows and keep them; `scale_ratio_` says by how much they were off.
        Features that do not vary are divided by 1. `components_`, variances, T^2 and squared prediction errors are
        those of the divided rows; rows that methods take and return, `mean_` and `var_` are in their own units.
    first_rows : "auto" or int, default="auto"
        Number of first rows from which `standardize` computes the scales, and `missing="impute"` its first model. They
        are held in memory until all of them have arrived. "auto" is 1,000, or fewer, but at least 100, if 1,000 rows
        have more than 2^22 numbers.
    missing : {"error", "impute"}, default="error"
        What a NaN in dense rows means. "error" refuses the row. "impute" replaces missing values by their
        expectation under the model so far, given the other values of the row. Means are those of the present values,
        and the variance that expectations lack is added. Rows without any value are counted in `n_empty_rows_` and
        left out. It needs the methods roipca or ipca by blocks, or exact; "auto" then means roipca. Infinities are
        always refused.
    whiten : bool, default=False
        Scale the scores of `transform` to unit variance. Scores on components without variance are 0.
    forgetting : float in (0, 1], default=1.0
        Multiply the weight of all earlier rows by this factor at each row.
    window : int or None, default=None
        Number of latest rows to cover; None covers all rows. A window of up to 16 k + 512 rows, where k components are
        held, is exact and keeps its rows in memory. A larger window merges panes of rows and covers up to one pane
        more: a sixteenth of the window, or 4 k + 128 rows if that is more. It takes the memory of up to 20 models.
        `rows_covered_` tells which rows are covered. A window needs a method that updates by blocks ("auto" then means
        roipca) or "exact", and excludes `forgetting`, `merge` and clusters.
    align : {"previous", "previous-order"} or None, default=None
        How the signs and the order of components follow from one reading to the next. None: they depend on the rows
        alone, the largest entry of each component is positive, in descending order of variance. "previous": the signs
        are those closest to the previous reading. "previous-order": the order is the closest, too, so that components
        whose variances cross keep their places. The option does not change how rows are learned.
    probes : int, default=0
        Number of random probes, which estimate the error after one pass. With probes, `error_estimate_`, `error_bound`,
        `component_errors_` and `component_groups_` are known whenever they are read. With ten probes, the estimate is
        usually right within a factor of 3. Each probe takes the time and twice the memory of one more component.
        Merging, windows, threads and clusters keep them; `missing="impute"` excludes them.
    learning_rate : None, "auto" or float, default=None
        The constant c of the learning rate c/n of gha and oja. None derives it from the variance, "auto"
        tunes c on the first rows.
    n_jobs : int or None, default=None
        Number of threads that share the rows of a call, if the method updates by blocks or is exact. None means 1,
        -1 means one per processor. The result depends on the number, but not on the schedule.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Orthonormal rows, in descending order of variance, the largest entry of each positive, unless `align` is given.
        2^20 numbers or more are a view of the model that cannot be written to: make a copy to change it.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each component.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same, divided by the total variance of all features.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of each feature; zero without centring.
    var_ : ndarray of shape (n_features_in_,)
        Variance of each feature.
    scale_ : ndarray of shape (n_features_in_,)
        The numbers that the features are divided by; 1 without `standardize`.
    scale_ratio_ : ndarray of shape (n_features_in_,)
        Standard deviation of each feature divided by `scale_`: by how much a scale was off. 1 without `standardize`.
    feature_weight_ : ndarray of shape (n_features_in_,)
        Total weight of the rows in which each feature had a value.
    n_empty_rows_ : int
        Number of rows without any value, which were left out.
    noise_variance_ : float
        Mean variance along the directions that are not reported.
    n_components_ : int
        Number of reported components.
    method_ : str
        The method in use: what "auto" chose, from the first rows on.
    n_components_held_ : int
        Number of components that are held once there are enough rows: those reported, and the oversampling. "exact"
        keeps the whole scatter matrix, and holds as many components as features. `n_components` can be set up to this
        number.
    n_samples_seen_ : int
        Number of rows of positive weight seen.
    rows_covered_ : range
        Positions in the stream of the rows of positive weight that the results cover: all rows, or those in the window.
    change_score_ : float
        How far recent rows are from earlier ones. At 1 or more, the rows have changed. NaN if no rows were compared.
    change_row_ : int or None
        Approximate position of the row of positive weight at which the latest change began; None if there was none.
    n_changes_ : int
        Number of changes that were found.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the first rows had names that are all strings.
    n_passes_ : int
        Number of passes over all rows: 1, and one more for each `refine`.
    error_estimate_ : float
        Estimate of the subspace error against batch PCA of all rows, from 0 (the same) to 2, if it is known: with
        `probes`, after two passes or more, and for `method="exact"`. Otherwise, this and the next two attributes raise
        AttributeError.
    component_errors_ : ndarray of shape (n_components_,)
        Error of each component, estimated on the safe side: the squared sine of its angle to the true one.
    component_groups_ : list of lists of int
        Components that cannot be told apart from their neighbours are in one group, of which only the subspace is
        known.

    Notes
    -----
    `whiten` and `n_components` may be changed after a fit, with `set_params`, and take effect at the next reading:
    `n_components` up to the number of components held. Other parameters describe how rows are learned. If one was
    changed, `partial_fit`, `update` and `merge` raise ValueError; `fit` starts again with the new value.

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

    Parameters are read and changed as those of every estimator of scikit-learn, and columns of scores have names:

    >>> pca.get_params()["whiten"]
    False
    >>> bool(np.allclose(pca.set_params(whiten=True).transform(rows).std(axis=0), 1, rtol=1e-3))
    True
    >>> pca.get_feature_names_out()
    array(['onlinepca0', 'onlinepca1', 'onlinepca2'], dtype=object)
    """

    _fitted: Fitted | None = None

    def __init__(
        self,
        n_components: ComponentNumber = None,
        *,
        method: Method = "auto",
        mu: MuChoice = "mean",
        tau: Tau = "zero",
        oversampling: AutoOrInt = "auto",
        update_every: UpdateEvery = "block",
        block_size: AutoOrInt = "auto",
        center: bool = True,
        standardize: bool = False,
        first_rows: AutoOrInt = "auto",
        missing: Missing = "error",
        whiten: bool = False,
        forgetting: float = 1.0,
        window: int | None = None,
        align: Align = None,
        probes: int = 0,
        learning_rate: LearningRate = None,
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
        self.standardize = standardize
        self.first_rows = first_rows
        self.missing = missing
        self.whiten = whiten
        self.forgetting = forgetting
        self.window = window
        self.align = align
        self.probes = probes
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs

    def fit(
        self,
        X: MatrixLike,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        passes: int | Literal["auto"] = 1,
        tol: float = 1e-6,
    ) -> Self:
        """Fit the model to rows, after discarding earlier ones.

        Methods that update with every row start from a batch PCA of the first 500 rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse rows cost their nonzeros if the method updates by blocks. Other methods convert them to dense
            ones, a few at a time; if they start from a batch PCA, the first 500 at once.
        y : Ignored
        sample_weight : array-like of shape (n_samples,) or float, default=None
            Weights of the rows: 0, or between 1e-100 and 1e100. None means 1 for each row. The numbers in a row of
            weight w may be as large as 1e151, or 1e151 / sqrt(w) if w is above 1.
        passes : int or "auto", default=1
            Number of passes over the rows: see `fit_stream`.
        tol : float, default=1e-6
            Subspace error at which `passes="auto"` stops.

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
        check_passes(passes, tol)
        if passes != 1:
            require_equal_rows(self)
        learner = self._without_rows()
        rows = as_rows(learner, X)
        weights = as_weights(sample_weight, rows.shape[0])
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        fitted = learner._empty(rows, rows.shape[0], passes)
        fitted.fit(rows, weights)
        learner._fitted = fitted
        blocks = StreamBlocks(Preparation(None, False, None, None), weights, "error")
        names = getattr(learner, "feature_names_in_", None)
        again = rows if names is None else NamedBlock(rows, list(names))
        more_passes(learner, passes, tol, lambda: refine_once(learner, Stream([again]), blocks, False))
        learner._fitted.warn_of_few_rows()
        return self._learn_from(learner, learner._fitted)

    def merge(self, other: OnlinePCA, *, decay: float | None = None) -> Self:
        """Return a new estimator of the rows of both, for parts that were fitted separately.

        Parameters
        ----------
        other : OnlinePCA
            An estimator that has seen rows with the same features, with the same number of components and the same
            centring. Neither may use a window, which needs all rows in one order.
        decay : float, default=None
            Factor in (0, 1] on the weight of all rows of this estimator. Estimators with `forgetting` can be merged
            only with it: 1.0 for two streams of the same time, and `forgetting**n` if the n rows of `other` came
            after the rows of this one.

        Returns
        -------
        merged : OnlinePCA
            It has the parameters of this estimator. Mean, variances and counts are exact.

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
        merged = merge_parts([self._mergeable(), self._mergeable_with(other)], decay)
        return self._copy_with(Fitted.from_part(merged, self._learned.parameters))

    def _mergeable(self) -> Any:
        """Returns the part to merge (`Fitted.part`), or raises if the rows cannot be merged."""
        fitted = self._unchanged()
        if self.n_components != fitted.parameters["n_components"]:
            raise ValueError(self._told_of_change("n_components", fitted))
        return fitted.part()

    def _mergeable_with(self, other: OnlinePCA) -> Any:
        """Returns the part of `other` to merge, or raises if its type or features differ from these."""
        part = other._mergeable()
        if other._learned.dtype != self._learned.dtype:
            raise ValueError("cannot merge a float32 estimator with a float64 one")
        if hasattr(other, "feature_names_in_"):
            check_names(self, other.feature_names_in_)
        return part

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file, with the parameters and the names of the features.

        Parameters
        ----------
        path : str or path
            The file to write. A file of that name is replaced as a whole or not at all.

        Examples
        --------
        >>> import os, tempfile
        >>> from roipca import OnlinePCA
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> OnlinePCA(1).fit([[1.0, 1.0], [3.0, 3.0]]).save(path)
        >>> OnlinePCA.load(path).mean_
        array([2., 2.])
        """
        fitted = self._unchanged()
        is_number = isinstance(self.n_components, Integral)
        model = self._model if is_number else fitted.core.model()  # fractions and None are decided at reading
        save_model(model, path, getattr(self, "feature_names_in_", ()), self._parameters())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the estimator of a model file, which `save` or the command `roipca fit` wrote.

        More rows can be added to it.

        Parameters
        ----------
        path : str or path
            The file to read.

        Returns
        -------
        pca : OnlinePCA
            With the parameters and feature names of the file.

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
        saved = saved_parameters(model, _PARAMETERS)
        taken = inspect.signature(cls).parameters  # fewer than OnlinePCA's for a subclass that fixes some
        pca = cls(**{name: value for name, value in saved.items() if name in taken})
        for name, value in saved.items():
            setattr(pca, name, value)
        return pca._begin_with(model, model.feature_names)

    def _parameters(self) -> dict[str, Any]:
        """Returns the parameters of OnlinePCA, also those that a subclass does not have in its `__init__`."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def _without_rows(self) -> Self:
        """Returns a copy without rows. It learns in place of this estimator until nothing can fail any more."""
        learner = copy.copy(self)
        for name in ("_fitted", *_TOLD):
            learner.__dict__.pop(name, None)
        has_seen_rows(learner)
        return learner

    def _empty(self, X: Any, rows: int | None, passes: int | Literal["auto"]) -> Fitted:
        parameters = self._parameters()
        check_parameters(parameters)
        # For sparse rows, more components would slow the first pass down too much.
        has_more_passes = passes != 1 and not issparse(X)
        return Fitted.empty(parameters, X.dtype, rows, X.shape[1], has_more_passes)

    def _learn_from(self, learner: OnlinePCA, fitted: Fitted) -> Self:
        """Takes over the features and the fitted state of a learner."""
        for name in _TOLD:
            if name in vars(learner):
                setattr(self, name, vars(learner)[name])
            else:
                self.__dict__.pop(name, None)
        self._fitted = fitted
        has_seen_rows(self)
        return self

    def _begin_with(self, part: Any, names: Sequence[str] | None) -> Self:
        """Resumes from a model or an estimator of the core, whose features have these names."""
        self._fitted = Fitted.from_part(part, self._parameters())
        self.n_features_in_ = part.features
        if names:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        return self

    def _copy_with(self, fitted: Fitted) -> Self:
        """Returns a copy of the estimator with another fitted state of the same features."""
        other = copy.copy(self)
        other._fitted = fitted
        return other

    def _unchanged(self) -> Fitted:
        """Returns the fitted state, or raises if a parameter that affects learning was changed since."""
        fitted = self._learned
        if fitted.learning(vars(self)) != fitted.fixed:
            for name in _PARAMETERS:
                if name not in AT_READING and getattr(self, name) != fitted.parameters[name]:
                    raise ValueError(self._told_of_change(name, fitted))
        return fitted

    def _told_of_change(self, name: str, fitted: Fitted) -> str:
        return (
            f"{name} was changed from {fitted.parameters[name]!r} to {getattr(self, name)!r} after the first rows, "
            f"which cannot take effect: set it back, or start again with fit or a clone"
        )


_PARAMETERS = tuple(inspect.signature(OnlinePCA).parameters)
