"""Watching a process: limits of T^2 and SPE, contributions of features, one row at a time."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from . import _core
from ._parameters import is_int
from ._reader import Reader
from ._rows import as_row
from ._types import FloatArray, MatrixLike

_MONITORS = {np.dtype(np.float32): _core.MonitorF32, np.dtype(np.float64): _core.MonitorF64}
_LEARN = ("none", "normal", "all")
_MOST_CONSIDERED = 64  # rows of an alarm


def _check_confidence(confidence: Any) -> None:
    if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
        raise ValueError(f"confidence must be a number between 0 and 1, not {confidence!r}")


def _check_arguments(confidence: Any, alarm_rows: Any, hold: Any, warm_up: Any, learn: Any) -> None:
    """Raises ValueError that names the first argument of `monitor` whose value is not valid."""
    _check_confidence(confidence)
    is_pair = isinstance(alarm_rows, (tuple, list)) and len(alarm_rows) == 2 and all(map(is_int, alarm_rows))
    if not is_pair or not 1 <= alarm_rows[0] <= alarm_rows[1] <= _MOST_CONSIDERED:
        raise ValueError(
            f"alarm_rows must be two integers (m, n), with 1 <= m <= n <= {_MOST_CONSIDERED}, not {alarm_rows!r}"
        )
    for name, value in (("hold", hold), ("warm_up", warm_up)):
        if not is_int(value) or value < 0:
            raise ValueError(f"{name} must be an integer of at least 0, not {value!r}")
    if not isinstance(learn, str) or learn not in _LEARN:
        raise ValueError(f'learn must be "none", "normal" or "all", not {learn!r}')


class Monitoring(Reader):
    """Limits, contributions and `monitor` of OnlinePCA."""

    _monitor: tuple[Any, Any, Any] = (None, None, None)  # what was learned, the arguments, and their monitor
    _chooses_at = 0  # number of rows at which the monitor chooses its number of components; 0 if it has chosen

    def t2_limit(
        self, confidence: float = 0.99, *, method: Literal["auto", "prequential", "f", "chi2"] = "auto"
    ) -> float:
        """Return the limit that T^2 of a new row exceeds with probability 1 - confidence.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.99
            Probability that a row like those learned is within the limit.
        method : {"auto", "prequential", "f", "chi2"}, default="auto"
            - "prequential": a shifted chi-squared distribution with the first three moments of T^2 over the rows
              learned, each of which was scored before it was learned;
            - "f": the textbook limit for new rows by the F distribution;
            - "chi2": the textbook limit for a mean and variances that are known;
            - "auto": the larger of "f" and, if at least 50 rows were scored, "prequential".

        Returns
        -------
        limit : float
            Infinite if there are too few rows.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((5000, 20))
        >>> pca = OnlinePCA(3).fit(X[:4000])
        >>> bool(np.mean(pca.t2(X[4000:]) > pca.t2_limit(0.95)) < 0.1)
        True
        """
        model = self._model
        _check_confidence(confidence)
        return _core.t2_limit(model, confidence, method)

    def spe_limit(
        self, confidence: float = 0.99, *, method: Literal["auto", "prequential", "box", "jackson-mudholkar"] = "auto"
    ) -> float:
        """Return the limit that SPE of a new row exceeds with probability 1 - confidence.

        Parameters
        ----------
        confidence : float in (0, 1), default=0.99
            Probability that a row like those learned is within the limit.
        method : {"auto", "prequential", "box", "jackson-mudholkar"}, default="auto"
            - "prequential": a shifted chi-squared distribution with the first three moments of SPE over the rows
              learned, each of which was scored before it was learned;
            - "box", "jackson-mudholkar": textbook limits from the variances along the directions that are not
              reported. They are too low if there are few rows for the number of features;
            - "auto": the larger of "box" and, if at least 50 rows were scored, "prequential"; for the methods
              ccipca, gha and fd, whose eigenvalues are estimates, "prequential" alone.

        Returns
        -------
        limit : float
            Infinite if there are too few rows, and never below the rounding of rows that the components explain.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((5000, 20))
        >>> pca = OnlinePCA(3).fit(X[:4000])
        >>> bool(np.mean(pca.spe(X[4000:]) > pca.spe_limit(0.95)) < 0.1)
        True
        """
        model = self._model
        _check_confidence(confidence)
        return _core.spe_limit(model, confidence, method)

    def contributions(self, X: MatrixLike, of: Literal["spe", "t2"] = "spe") -> FloatArray:
        """Return the contribution of each feature to SPE or T^2 of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        of : {"spe", "t2"}, default="spe"
            - "spe": squared residuals, which add up to `spe`;
            - "t2": x_j times the sum over components of score / variance * component_j, for the centred row x,
              which add up to `t2` and can be negative.

        Returns
        -------
        contributions : ndarray of shape (n_samples, n_features_in_)

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((500, 4))
        >>> pca = OnlinePCA(2).fit(X)
        >>> np.allclose(pca.contributions(X, of="t2").sum(axis=1), pca.t2(X))
        True
        """
        if of not in ("spe", "t2"):
            raise ValueError(f'of must be "spe" or "t2", not {of!r}')
        model = self._model
        rows = self._rows(X)
        if issparse(rows):
            rows.check_format(full_check=True)  # toarray would write anywhere for indices out of range
            rows = np.ascontiguousarray(rows.toarray())
        return (_core.spe_contributions if of == "spe" else _core.t2_contributions)(model, rows)

    def monitor(
        self,
        x: ArrayLike,
        *,
        confidence: float = 0.99,
        alarm_rows: tuple[int, int] = (1, 1),
        hold: int = 0,
        warm_up: int = 100,
        learn: Literal["none", "normal", "all"] = "normal",
    ) -> _core.MonitorReading:
        """Score one row before it is learned, and return whether there is an alarm.

        Limits and components are read again whenever the number of rows has grown by a sixteenth. Unless
        `n_components` is an integer, the number of components is chosen once, when the warm-up ends.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            One row. A contiguous array of the estimator's own type, float32 or float64, is fastest. The names of a
            pandas series must be those of the features.
        confidence : float in (0, 1), default=0.99
            Confidence of both limits.
        alarm_rows : (m, n), default=(1, 1)
            An alarm begins if m of the last n rows are beyond a limit; n is at most 64.
        hold : int, default=0
            An alarm lasts until this number of successive rows were within the limits.
        warm_up : int, default=100
            No alarm begins before this number of rows was learned.
        learn : {"none", "normal", "all"}, default="normal"
            Which rows are learned: none, those that are not in alarm, or all. With "normal", a row beyond a limit
            is learned once n - 1 more rows have passed without an alarm, so that the first rows of a fault do
            not raise the limits. Rows that still wait are lost to copies, pickles and calls with other arguments.

        Returns
        -------
        reading : MonitorReading
            With the attributes t2, spe, t2_limit, spe_limit, is_empty, is_beyond, alarm, is_learned (at once),
            n_learned_late (number of earlier rows that waited and were learned now), statistic ("t2" or "spe",
            whichever is larger relative to its limit), and features and contributions: the three features that
            contribute most to it. With `missing="impute"`, a row without any value is empty: it is not scored (t2 and
            spe are NaN, features and contributions are empty), and an alarm stays as it was.

        Examples
        --------
        >>> import numpy as np
        >>> from roipca import OnlinePCA
        >>> X = np.random.default_rng(0).standard_normal((1000, 20))
        >>> pca = OnlinePCA(3).fit(X)
        >>> odd = X[0].copy()
        >>> odd[7] += 20
        >>> reading = pca.monitor(odd)
        >>> reading.alarm, reading.features[0], reading.is_learned
        (True, 7, False)
        """
        fitted = self._fitted
        if fitted is None:
            _check_arguments(confidence, alarm_rows, hold, warm_up, learn)
            self.update(x)  # type: ignore[attr-defined]
            return _core.MonitorReading(is_learned=True)
        arguments = (confidence, alarm_rows, hold, warm_up, learn, self.n_components)
        seen, known, monitor = self._monitor
        if seen is not fitted or known != arguments or self._must_choose(seen):
            monitor = self._new_monitor(*arguments)
        try:
            return monitor.watch(x)
        except TypeError:
            return monitor.watch(as_row(self, x, fitted.dtype))

    def _must_choose(self, learned: Any) -> bool:
        return 0 < self._chooses_at <= learned.core.rows_seen

    def _new_monitor(self, confidence: Any, alarm_rows: Any, hold: Any, warm_up: Any, learn: Any, n: Any) -> Any:
        fitted = self._learned
        _check_arguments(confidence, alarm_rows, hold, warm_up, learn)
        rows_beyond, rows_considered = alarm_rows
        # Until the warm-up ends there is no alarm that another monitor would not know of.
        is_early = not isinstance(n, Integral) and fitted.core.rows_seen < warm_up
        self._chooses_at = warm_up if is_early else 0
        monitor = _MONITORS[fitted.dtype](
            fitted.core,
            n_components=self._model.n_components,
            confidence=confidence,
            rows_beyond=rows_beyond,
            rows_considered=rows_considered,
            hold=hold,
            warm_up=warm_up,
            learn=learn,
        )
        self._monitor = (fitted, (confidence, alarm_rows, hold, warm_up, learn, n), monitor)
        return monitor

    def __getstate__(self) -> dict[str, Any]:
        # An alarm belongs to this process: copies start without one.
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_monitor", "_chooses_at")}
