"""Scores of rows: arrays, or frames whose column names belong to the same moment of the stream."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any, cast

from numpy.typing import ArrayLike

from ._fitted import Moment
from ._reader import Reader
from ._tensors import like
from ._types import FloatArray, MatrixLike


class Scores:
    """`transform` and `fit_transform` of OnlinePCA.

    scikit-learn turns their results into frames, with the names that the estimator has at that moment. If the number of
    components can change, another thread may have changed it in between, so a copy that does not change returns both.
    This class does not inherit from scikit-learn's, which would turn the results of these methods into frames twice.
    """

    def transform(self, X: MatrixLike) -> FloatArray:
        """Return the scores of rows on the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. Sparse rows are not converted to dense ones.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components_)
            float32 if the first rows were float32, else float64. A tensor if X is a tensor of PyTorch.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> OnlinePCA(1).fit(X).transform([[4.0, 4.0]]).round(3)
        array([[2.828]])
        """
        return like(X, Reader.transform(_at_one_moment(cast(Reader, self)), X))

    def fit_transform(
        self, X: MatrixLike, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> FloatArray:
        """Fit the model to rows, after discarding earlier ones, and return their scores.

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
            As `transform` returns them.

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
        return cast(Any, self).fit(X, y, sample_weight).transform(X)


def _at_one_moment(estimator: Reader) -> Reader:
    """Return an estimator whose number of components does not change."""
    if isinstance(estimator.n_components, Integral):
        return estimator
    moment = copy.copy(estimator)
    moment._fitted = Moment(estimator._shown)
    return moment
