"""The estimator, with scikit-learn's names and meanings."""

import inspect
import os
from numbers import Integral

import numpy as np

from . import _core
from ._model_file import load_model
from ._rows import as_rows, as_weights

_ESTIMATORS = {np.dtype(np.float32): _core.EstimatorF32, np.dtype(np.float64): _core.EstimatorF64}
_DTYPES = {estimator: dtype for dtype, estimator in _ESTIMATORS.items()}


def _is_count(value):
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 1


class OnlinePCA:
    """Principal components of a stream of rows, in one pass and O(components x features) memory.

    >>> import numpy as np
    >>> from roipca import OnlinePCA
    >>> rows = np.random.default_rng(0).standard_normal((1000, 50)) * np.linspace(5, 1, 50)
    >>> pca = OnlinePCA(3)
    >>> for part in np.array_split(rows, 7):
    ...     pca = pca.partial_fit(part)
    >>> pca.components_.shape, pca.transform(rows).shape
    ((3, 50), (1000, 3))

    The way rows are cut into calls does not change the result, to the last bit. A call with a bad row (NaN,
    infinity, another width) raises ValueError and changes nothing.

    Rows of float32 or float64 in C order are read where they lie, others are converted. The first rows decide
    whether components and scores are float32 or float64; means, variances and statistics are always float64.

    Parameters
    ----------
    n_components : int or None
        Components to report. None: min(rows, features) in `fit`, the number of features in `partial_fit`.
    method : {"auto", "roipca", "froipca", "ipca", "ccipca", "gha", "oja", "fd", "exact"}
        "auto" is exact where the features are few beside the components, else roipca.
    mu : {"mean", "zero"} or float
        The variance that roipca and froipca assume along directions that are not held.
    tau : {"zero", "optimal"}
        How froipca stands in for rotations inside the components.
    oversampling : "auto" or int
        Components held beyond those reported: what buys accuracy.
    update : {"block", "sample"}
        Whether roipca and ipca update by blocks of rows, or with every row.
    block_size : "auto" or int
        Rows in a block.
    center : bool
        Subtract the running mean.
    whiten : bool
        Scale the scores of `transform` to unit variance. Components without variance have scores of 0.
    forgetting : float in (0, 1]
        Factor by which all that came before is scaled down at each row.
    learning_rate : None, "auto" or float
        c of the rate c/n of gha and oja. None follows the variance, "auto" tunes c on the first rows.
    n_jobs : int or None
        Threads that share the rows of a call, for blocks and for exact; -1 for one a processor. The result
        depends on the number, but not on how they were scheduled. None is 1.

    Attributes
    ----------
    components_ : array (n_components_, n_features_in_)
        Orthonormal, by descending variance, the largest entry of each positive.
    explained_variance_, explained_variance_ratio_, singular_values_ : array (n_components_,)
    mean_, var_ : array (n_features_in_,)
    noise_variance_ : float
    n_components_, n_samples_seen_, n_features_in_ : int
    """

    _core = None  # the C++ estimator, once there are rows

    def __init__(self, n_components=None, *, method="auto", mu="mean", tau="zero", oversampling="auto",
                 update="block", block_size="auto", center=True, whiten=False, forgetting=1.0,
                 learning_rate=None, n_jobs=None):
        self.n_components = n_components
        self.method = method
        self.mu = mu
        self.tau = tau
        self.oversampling = oversampling
        self.update = update
        self.block_size = block_size
        self.center = center
        self.whiten = whiten
        self.forgetting = forgetting
        self.learning_rate = learning_rate
        self.n_jobs = n_jobs

    def get_params(self, deep=True):
        """The parameters by name, as scikit-learn's tools ask for them."""
        return {name: vars(self)[name] for name in _PARAMETERS}

    def set_params(self, **params):
        """Set parameters by name. All but `whiten` count from the next `fit` on."""
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise ValueError(f"Invalid parameter {name!r}; valid parameters are {_PARAMETERS}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        defaults = inspect.signature(type(self)).parameters
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if repr(v) != repr(defaults[k].default)]
        return f"OnlinePCA({', '.join(changed)})"

    def fit(self, X, y=None, sample_weight=None):
        """Forget everything and add the rows X (rows, features)."""
        X = as_rows(X)
        core = self._new_core(X.dtype, min(X.shape))
        core.fit(X, as_weights(sample_weight, len(X)))
        self._core = core
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Add the rows X (rows, features), from one row on; a row of weight 0 is left out."""
        X = as_rows(X, self._dtype)
        core = self._core or self._new_core(X.dtype, X.shape[1])
        core.partial_fit(X, as_weights(sample_weight, len(X)))
        self._core = core
        return self

    @property
    def update(self):
        """update(x): add one row x (features,). The parameter of this name is in `get_params`."""
        return self._add_row

    @update.setter
    def update(self, value):
        # A property goes before the instance's dictionary, so parameter and method can share the name.
        vars(self)["update"] = value

    def _add_row(self, x):
        core = self._core
        if core is None:
            return self.partial_fit(np.asarray(x)[np.newaxis])
        core.update(np.asarray(x, _DTYPES[type(core)], order="C"))
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit to the rows and return their scores."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X):
        """Scores of the rows X on the components: array (rows, n_components_)."""
        model = self._model
        scores = model.transform(as_rows(X, self._dtype))
        if self.whiten:
            deviation = np.sqrt(model.explained_variance)
            scores *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        return scores

    def inverse_transform(self, X):
        """Rows (rows, n_features_in_) from their scores X (rows, n_components_)."""
        model = self._model
        scores = as_rows(X, self._dtype)
        if self.whiten:
            scores = as_rows(scores * np.sqrt(model.explained_variance), self._dtype)
        return model.inverse_transform(scores)

    def score_samples(self, X):
        """Log-likelihood of each row under probabilistic PCA: array (rows,)."""
        return self._model.log_likelihood(as_rows(X, self._dtype))

    def score(self, X, y=None):
        """Mean log-likelihood of the rows."""
        return float(np.mean(self.score_samples(X)))

    def t2(self, X):
        """Hotelling's T^2 of each row: its squared whitened scores, summed."""
        return self._model.t2(as_rows(X, self._dtype))

    def spe(self, X):
        """Squared prediction error of each row: its squared distance from the components' plane."""
        return self._model.spe(as_rows(X, self._dtype))

    def merge(self, other):
        """A new estimator of the rows of both, with the parameters of this one."""
        mine, theirs = self._model, other._model
        if type(mine) is not type(theirs):
            raise ValueError("an estimator of float32 and one of float64 cannot be merged")
        merged = type(self)(**self.get_params())
        merged._core = type(self._core)(mine.merge(theirs))
        return merged

    def save(self, path):
        """Write the model to a safetensors file. `whiten` is not part of a model."""
        self._model.save(path)

    @classmethod
    def load(cls, path):
        """The estimator whose model `save` wrote, ready to go on."""
        model = load_model(path)
        pca = cls(**model.parameters)
        pca._core = (_core.EstimatorF32 if isinstance(model, _core.ModelF32) else _core.EstimatorF64)(model)
        return pca

    def _new_core(self, dtype, most_components):
        n_components = most_components if self.n_components is None else self.n_components
        if not _is_count(n_components):
            raise ValueError(f"n_components must be None or an int from 1 on, not {n_components!r}")
        n_jobs = 1 if self.n_jobs is None else os.cpu_count() if self.n_jobs == -1 else self.n_jobs
        if not _is_count(n_jobs):
            raise ValueError(f"n_jobs must be None, -1 or an int from 1 on, not {n_jobs!r}")
        parameters = {**self.get_params(), "n_components": int(n_components), "n_jobs": int(n_jobs)}
        del parameters["whiten"]
        if self.learning_rate is None:
            del parameters["learning_rate"]
        return _ESTIMATORS[dtype](parameters)

    @property
    def _dtype(self):
        return None if self._core is None else _DTYPES[type(self._core)]

    @property
    def _model(self):
        if self._core is None or self._core.rows_seen == 0:
            raise AttributeError("This OnlinePCA has seen no rows yet: call 'fit' or 'partial_fit' first")
        return self._core.model()

    components_ = property(lambda self: self._model.components)
    explained_variance_ = property(lambda self: self._model.explained_variance)
    explained_variance_ratio_ = property(lambda self: self._model.explained_variance_ratio)
    singular_values_ = property(lambda self: self._model.singular_values)
    mean_ = property(lambda self: self._model.mean)
    var_ = property(lambda self: self._model.feature_variance)
    noise_variance_ = property(lambda self: self._model.noise_variance)
    n_components_ = property(lambda self: self._model.n_components)
    n_samples_seen_ = property(lambda self: self._model.rows)
    n_features_in_ = property(lambda self: self._model.features)


_PARAMETERS = list(inspect.signature(OnlinePCA).parameters)
