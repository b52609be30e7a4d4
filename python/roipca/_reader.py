"""The reading half of the estimator: attributes, scores, likelihoods, covariance."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ._component_counts import ComponentCounts
from ._fitted import Fitted, Moment
from ._rows import as_rows, imputes, of_rows, require_finite
from ._tensors import is_tensor, like, tensor_rows
from ._types import ComponentNumber, Float64Array, FloatArray, MatrixLike


class Reader(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Results of an estimator that has seen rows. Each call reads one moment of the stream."""

    n_components: ComponentNumber
    whiten: bool
    n_features_in_: int
    feature_names_in_: np.ndarray
    _fitted: Fitted | Moment | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = imputes(self)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    @property
    def _learned(self) -> Fitted:
        if self._fitted is None:
            check_is_fitted(self)  # raises, in scikit-learn's words
        return cast(Fitted, self._fitted)

    @property
    def _model(self) -> Any:
        return self._learned.model(self.n_components)

    @property
    def _shown(self) -> Any:
        """The model for results along the components: it may lack those that are held but not reported."""
        return self._learned.reported(self.n_components)

    @property
    def _n_features_out(self) -> int:
        return self._shown.n_components

    @property
    def components_(self) -> FloatArray:
        """Components (n_components_, n_features_in_): orthonormal rows, in descending order of variance."""
        return self._shown.components

    @property
    def explained_variance_(self) -> Float64Array:
        """Variance along each component (n_components_,)."""
        return self._shown.explained_variance

    @property
    def explained_variance_ratio_(self) -> Float64Array:
        """Variance along each component, divided by the total variance of all features (n_components_,)."""
        return self._shown.explained_variance_ratio

    @property
    def singular_values_(self) -> Float64Array:
        """Singular values of the centred rows (n_components_,)."""
        return self._shown.singular_values

    @property
    def mean_(self) -> Float64Array:
        """Mean of each feature (n_features_in_,)."""
        return self._shown.mean

    @property
    def var_(self) -> Float64Array:
        """Variance of each feature (n_features_in_,)."""
        return self._shown.feature_variance

    @property
    def scale_(self) -> Float64Array:
        """Numbers that the features are divided by (n_features_in_,); 1 without `standardize`."""
        return _or_ones(self._shown, "scale")

    @property
    def scale_ratio_(self) -> Float64Array:
        """Standard deviation of each feature over its scale (n_features_in_,): by how much the scale was off."""
        return _or_ones(self._shown, "scale_ratio")

    @property
    def feature_weight_(self) -> Float64Array:
        """Total weight of the rows in which each feature had a value (n_features_in_,)."""
        return _or_ones(self._shown, "feature_weight", self._shown.weight)

    @property
    def n_empty_rows_(self) -> int:
        """Number of rows without any value, which were left out."""
        return self._shown.empty_rows

    @property
    def noise_variance_(self) -> float:
        """Mean variance along the directions that are not reported."""
        return self._shown.noise_variance

    @property
    def n_components_(self) -> int:
        """Number of reported components."""
        return self._shown.n_components

    @property
    def method_(self) -> str:
        """The method in use: what "auto" chose."""
        return self._learned.plan()[0]

    @property
    def n_components_held_(self) -> int:
        """Number of components that are held once there are enough rows: those reported, and the oversampling."""
        return self._learned.plan()[1]

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows of positive weight seen."""
        model = self._shown
        return model.rows_before + model.rows

    @property
    def rows_covered_(self) -> range:
        """Positions of the rows of positive weight that the results cover: all, or those in the window."""
        model = self._shown
        return range(model.rows_before, model.rows_before + model.rows)

    @property
    def change_score_(self) -> float:
        """How far recent rows are from earlier ones. At 1 or more, the rows have changed. NaN if none were compared.

        It stays above 1 after a change until there are enough rows to compare with again. See docs/changing-streams.md.
        """
        model = self._shown
        return model.change_score if model.rows_compared > 0 else float("nan")

    @property
    def change_row_(self) -> int | None:
        """Approximate position of the row of positive weight at which the latest change began, or None."""
        model = self._shown
        return model.change_row if model.changes > 0 else None

    @property
    def n_changes_(self) -> int:
        """Number of changes that were found so far."""
        return self._shown.changes

    def _rows(self, X: MatrixLike) -> Any:
        rows = as_rows(self, X, self._learned.dtype)
        require_finite(rows, allow_nan=imputes(self) and not issparse(rows))
        return rows

    def transform(self, X: MatrixLike) -> FloatArray:
        """Return the scores of rows on the components. See `Scores.transform`."""
        model = self._shown
        X = self._rows(X)
        scores = of_rows(model, "transform", X)
        if self.whiten:
            deviation = np.sqrt(model.explained_variance)
            scores *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        return scores

    def inverse_transform(self, X: MatrixLike) -> FloatArray:
        """Return rows from their scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Scores, as `transform` returns them.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features_in_)
            The points in the plane of the components that have these scores.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> pca = OnlinePCA(1).fit(X)
        >>> np.allclose(pca.inverse_transform(pca.transform(X)), X)
        True
        """
        model = self._shown
        scores = tensor_rows(X) if is_tensor(X) else X
        scores = check_array(scores, dtype=self._learned.dtype, order="C", estimator=self, input_name="X")
        if scores.shape[1] != model.n_components:
            raise ValueError(
                f"X has {scores.shape[1]} columns, but the estimator reports {model.n_components} components: "
                "inverse_transform takes scores, as transform returns them"
            )
        if self.whiten:
            scores = np.asarray(scores * np.sqrt(model.explained_variance), self._learned.dtype)
        return like(X, model.inverse_transform(scores))

    def impute(self, X: MatrixLike) -> FloatArray:
        """Return rows with missing values replaced by their expected values, given the other values of the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, in which NaN stands for a missing value.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
            A copy of the rows. A feature that no learned row had remains NaN.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.outer(np.arange(20.0), [1.0, 2.0, 3.0])
        >>> OnlinePCA(1, missing="impute").fit(X).impute([[5.0, np.nan, 15.0]]).round(3)
        array([[ 5., 10., 15.]])
        """
        model = self._model  # all components that are held help to fill
        rows = as_rows(self, X, self._learned.dtype)
        require_finite(rows, allow_nan=True)
        if issparse(rows):
            raise TypeError("impute takes dense rows: values that a sparse row does not store are 0")
        return model.impute(rows)

    def score_samples(self, X: MatrixLike) -> Float64Array:
        """Return the log-likelihood of each row under probabilistic PCA.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
            Always finite: the noise variance is at least epsilon times the largest variance.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4))
        >>> usual, odd = OnlinePCA(2).fit(X).score_samples([[0.0] * 4, [9.0] * 4])
        >>> bool(usual > odd)
        True
        """
        return self._of_each_row("log_likelihood", X)

    def score(self, X: MatrixLike, y: Any = None) -> float:
        """Return the mean log-likelihood of rows under probabilistic PCA, for model selection.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : Ignored

        Returns
        -------
        score : float
            The mean of `score_samples`.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4))
        >>> pca = OnlinePCA(2).fit(X)
        >>> bool(pca.score(X) == pca.score_samples(X).mean())
        True
        """
        return float(np.mean(self.score_samples(X)))

    def t2(self, X: MatrixLike) -> Float64Array:
        """Return Hotelling's T^2 of each row: its squared distance from the mean within the plane of the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        t2 : ndarray of shape (n_samples,)
            Sum of the squared scores divided by their variances, over the components that have variance.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> OnlinePCA(1).fit(X).t2([[2.0, 2.0], [5.0, 5.0]]).round(3) + 0.0
        array([0., 9.])
        """
        return self._of_each_row("t2", X)

    def spe(self, X: MatrixLike) -> Float64Array:
        """Return the squared prediction error (Q statistic) of each row: its distance from the plane, squared.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        spe : ndarray of shape (n_samples,)
            Squared distance of each row from the plane of the components.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> OnlinePCA(1).fit(X).spe([[2.0, 2.0], [3.0, 1.0]]).round(3) + 0.0
        array([0., 2.])
        """
        return self._of_each_row("spe", X)

    def _of_each_row(self, name: str, X: MatrixLike) -> Float64Array:
        return like(X, of_rows(self._shown, name, self._rows(X)))

    def suggest_components(self) -> ComponentCounts:
        """Return how many of the held components the rows support, by five rules.

        Returns
        -------
        counts : ComponentCounts
            The number by each rule, their consensus, and reasons not to trust it. `n_components="auto"` reports the
            consensus.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> rng = np.random.default_rng(0)
        >>> X = 3 * rng.standard_normal((1000, 4)) @ rng.standard_normal((4, 50)) + rng.standard_normal((1000, 50))
        >>> print(OnlinePCA(10).fit(X).suggest_components())
        Gavish-Donoho        4
        Marchenko-Pastur     4
        Tracy-Widom          4
        Minka                4
        broken stick         4
        consensus            4
        """
        return ComponentCounts(**self._model.suggest_components())

    def rotation_to(self, other: Reader) -> Float64Array:
        """Return the rotation that turns these components into those of another reading, as closely as possible.

        Parameters
        ----------
        other : OnlinePCA
            An estimator with the same number of components and features, such as an earlier copy of this one.

        Returns
        -------
        rotation : ndarray of shape (n_components_, n_components_)
            Orthogonal (a rotation or a reflection). `transform(X) @ rotation` are scores in the axes of the other
            (orthogonal Procrustes).

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4)) * [4, 3, 2, 1]
        >>> before, after = OnlinePCA(2).fit(X[:250]), OnlinePCA(2).fit(X)
        >>> np.abs(before.rotation_to(after)).round()
        array([[1., 0.],
               [0., 1.]])
        """
        model, to = self._shown, other._shown
        if type(to) is not type(model):
            raise ValueError("cannot rotate between a float32 and a float64 estimator")
        return model.rotation_to(to)

    def get_covariance(self) -> Float64Array:
        """Return the covariance of the model: the variances of the components, and noise in all other directions.

        With `standardize`, the noise is that of the divided rows, and the covariance that of the rows as they were
        given.

        Returns
        -------
        covariance : ndarray of shape (n_features_in_, n_features_in_)
            Exact if all components are reported. Takes O(n_features_in_^2) memory.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4))
        >>> np.allclose(OnlinePCA(4).fit(X).get_covariance(), np.cov(X.T))
        True
        """
        model = self._shown
        noise = model.noise_variance
        excess = np.maximum(model.explained_variance - noise, 0)
        components = model.components.astype(np.float64)
        covariance = (components.T * excess) @ components
        covariance.flat[:: len(covariance) + 1] += noise
        scale = _or_ones(model, "scale")
        return scale[:, np.newaxis] * covariance * scale

    def get_precision(self) -> Float64Array:
        """Return the inverse of the covariance of the model.

        Returns
        -------
        precision : ndarray of shape (n_features_in_, n_features_in_)
            Always exists: variances are at least epsilon times the largest one.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4))
        >>> pca = OnlinePCA(2).fit(X)
        >>> np.allclose(pca.get_precision() @ pca.get_covariance(), np.eye(4))
        True
        """
        model = self._shown
        variance, noise = model.explained_variance, model.noise_variance
        limits = np.finfo(np.float64)
        noise = max(noise, limits.eps * variance.max(), limits.tiny)
        components = model.components.astype(np.float64)
        outside = 0.0 if model.n_components == model.features else 1 / noise
        precision = (components.T * (1 / np.maximum(variance, noise) - outside)) @ components
        precision.flat[:: len(precision) + 1] += outside
        scale = _or_ones(model, "scale")
        return precision / scale[:, np.newaxis] / scale


def _or_ones(model: Any, name: str, otherwise: float = 1.0) -> Float64Array:
    """Return numbers of a model, one per feature, and equal ones if it has none."""
    numbers = getattr(model, name)
    return numbers if len(numbers) else np.full(model.features, otherwise)

