"""Plots of a fitted estimator, with matplotlib: each draws into `ax`, or into a new one, and returns it.

Install it with `pip install roipca[plot]`. All functions read one moment of the stream and change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._sources import optional
from ._types import MatrixLike
from .online_pca import OnlinePCA

__all__ = [
    "biplot",
    "component_images",
    "contributions",
    "control_chart",
    "cumulative_variance",
    "loadings",
    "score_plot",
    "scree",
]


def _new_axes() -> Any:
    pyplot = optional("matplotlib.pyplot", "plot")
    return pyplot.figure(layout="constrained").add_subplot()


def _feature_names(pca: OnlinePCA) -> list[str]:
    names = getattr(pca, "feature_names_in_", None)
    return [str(name) for name in (range(pca.n_features_in_) if names is None else names)]


def scree(pca: OnlinePCA, *, ax: Any = None, log: bool = False) -> Any:
    """Draw the variance along each component.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.
    log : bool, default=False
        Use a logarithmic axis.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.scree(pca).get_ylabel()
    'variance'
    """
    ax = _new_axes() if ax is None else ax
    variance = pca.explained_variance_
    ax.plot(np.arange(1, len(variance) + 1), variance, "o-", markersize=4)
    if log:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("component")
    ax.set_ylabel("variance")
    return ax


def cumulative_variance(pca: OnlinePCA, *, ax: Any = None) -> Any:
    """Draw the part of the total variance that the first components explain together.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.cumulative_variance(pca).get_ylabel()
    'explained part of the variance'
    """
    ax = _new_axes() if ax is None else ax
    ratio = pca.explained_variance_ratio_
    ax.plot(np.arange(len(ratio) + 1), np.concatenate([[0.0], np.cumsum(ratio)]), "o-", markersize=4)
    ax.set_ylim(0, 1.02)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("components")
    ax.set_ylabel("explained part of the variance")
    return ax


def score_plot(
    pca: OnlinePCA,
    X: MatrixLike,
    *,
    components: tuple[int, int] = (0, 1),
    colors: ArrayLike | None = None,
    confidence: float | None = 0.95,
    ax: Any = None,
) -> Any:
    """Draw the scores of rows on two components, and the ellipse that contains a new row with a given probability.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    components : (int, int), default=(0, 1)
        The components across and up.
    colors : array-like of shape (n_samples,), default=None
        Numbers, or classes, to colour the points by. Classes get a legend.
    confidence : float in (0, 1) or None, default=0.95
        Probability of the ellipse, by the F distribution. None draws none.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.score_plot(pca, X, colors=y).get_xlabel()
    'component 1 (36.2 %)'
    """
    from scipy.stats import f

    Ellipse = optional("matplotlib.patches", "plot").Ellipse

    ax = _new_axes() if ax is None else ax
    across, up = components
    scores = pca.transform(X)[:, [across, up]]
    deviation = np.sqrt(pca.explained_variance_[[across, up]])
    if pca.whiten:
        deviation = np.ones(2)
    if colors is None:
        ax.scatter(*scores.T, s=12, alpha=0.7)
    elif np.issubdtype(np.asarray(colors).dtype, np.floating):
        ax.figure.colorbar(ax.scatter(*scores.T, s=12, alpha=0.7, c=np.asarray(colors)), ax=ax)
    else:
        for value in np.unique(np.asarray(colors)):
            ax.scatter(*scores[np.asarray(colors) == value].T, s=12, alpha=0.7, label=str(value))
        ax.legend()
    if confidence is not None:
        n = pca.n_samples_seen_
        limit = 2 * (n - 1) * (n + 1) / (n * (n - 2)) * f.ppf(confidence, 2, n - 2) if n > 2 else np.inf
        if np.isfinite(limit):
            width, height = 2 * np.sqrt(limit) * deviation
            ax.add_patch(Ellipse((0, 0), width, height, fill=False, linestyle="--", color="gray"))
            ax.autoscale_view()
    ratio = pca.explained_variance_ratio_
    ax.set_xlabel(f"component {across + 1} ({100 * ratio[across]:.3g} %)")
    ax.set_ylabel(f"component {up + 1} ({100 * ratio[up]:.3g} %)")
    return ax


def loadings(pca: OnlinePCA, *, component: int = 0, most: int = 20, ax: Any = None) -> Any:
    """Draw the entries of a component, those of the largest magnitude if there are many.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    component : int, default=0
        Which component.
    most : int, default=20
        Number of features to draw at most.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.loadings(pca, component=1).get_xlabel()
    'component 2'
    """
    entries = pca.components_[component]
    return _bars(entries, _feature_names(pca), most, f"component {component + 1}", ax)


def biplot(
    pca: OnlinePCA,
    X: MatrixLike,
    *,
    components: tuple[int, int] = (0, 1),
    colors: ArrayLike | None = None,
    most: int = 12,
    ax: Any = None,
) -> Any:
    """Draw scores and, as arrows, the features with the largest loadings on the two components.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    components : (int, int), default=(0, 1)
        The components across and up.
    colors : array-like of shape (n_samples,), default=None
        As in `score_plot`.
    most : int, default=12
        Number of features to draw at most.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.biplot(pca, X).get_ylabel()
    'component 2 (19.2 %)'
    """
    ax = score_plot(pca, X, components=components, colors=colors, ax=ax)
    arrows = pca.components_[list(components)].T.astype(np.float64)
    lengths = np.hypot(*arrows.T)
    chosen = np.argsort(-lengths, kind="stable")[:most]
    # The longest arrow reaches as far as the points.
    reach = min(np.abs(ax.get_xlim()).min(), np.abs(ax.get_ylim()).min())
    scale = 0.9 * reach / max(lengths[chosen[0]], np.finfo(float).tiny)
    names = _feature_names(pca)
    for feature in chosen:
        x, y = scale * arrows[feature]
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": "firebrick"})
        ax.annotate(names[feature], (x, y), color="firebrick", fontsize="small")
    return ax


def component_images(
    pca: OnlinePCA, shape: tuple[int, int], *, components: Sequence[int] | None = None, ax: Any = None
) -> Any:
    """Draw components as images side by side, red where an entry is positive and blue where it is negative.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator of rows that are images.
    shape : (int, int)
        Height and width of an image.
    components : sequence of int, default=None
        Which components. None means all.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_digits(return_X_y=True)
    >>> ax = plot.component_images(OnlinePCA(6).fit(X), (8, 8))
    """
    ax = _new_axes() if ax is None else ax
    chosen = list(range(pca.n_components_)) if components is None else list(components)
    height, width = shape
    if height * width != pca.n_features_in_:
        raise ValueError(
            f"images of {height} x {width} pixels have {height * width} features, not {pca.n_features_in_}"
        )
    columns = int(np.ceil(np.sqrt(len(chosen))))
    lines = -(-len(chosen) // columns)
    tiles = np.full((lines * (height + 1) - 1, columns * (width + 1) - 1), np.nan)
    for place, component in enumerate(chosen):
        top, left = (place // columns) * (height + 1), (place % columns) * (width + 1)
        image = pca.components_[component].reshape(shape).astype(np.float64)
        tiles[top : top + height, left : left + width] = image / max(np.abs(image).max(), np.finfo(float).tiny)
    ax.imshow(tiles, cmap="RdBu_r", vmin=-1, vmax=1, interpolation="nearest")
    ax.set_axis_off()
    return ax


def control_chart(
    pca: OnlinePCA,
    X: MatrixLike,
    *,
    of: Literal["spe", "t2"] = "spe",
    confidence: float | Sequence[float] = (0.95, 0.99),
    log: bool = True,
    ax: Any = None,
) -> Any:
    """Draw T^2 or SPE of rows in their order, with limits; rows beyond the largest limit in another colour.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    of : {"spe", "t2"}, default="spe"
        Which statistic.
    confidence : float or sequence of float, default=(0.95, 0.99)
        Confidence of each limit.
    log : bool, default=True
        Use a logarithmic axis.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.control_chart(pca, X, of="t2").get_ylabel()
    'T²'
    """
    if of not in ("spe", "t2"):
        raise ValueError(f'of must be "spe" or "t2", not {of!r}')
    ax = _new_axes() if ax is None else ax
    values = getattr(pca, of)(X)
    levels = np.atleast_1d(np.asarray(confidence, dtype=float))
    limits = [getattr(pca, f"{of}_limit")(float(level)) for level in levels]
    beyond = values > max(limits)
    rows = np.arange(len(values))
    ax.plot(rows, values, linewidth=0.8)
    ax.plot(rows[beyond], values[beyond], "o", color="firebrick", markersize=3)
    for level, limit in zip(levels, limits, strict=True):
        ax.axhline(limit, linestyle="--", color="gray", linewidth=1)
        ax.annotate(f"{100 * level:g} %", (1, limit), xycoords=("axes fraction", "data"), ha="right", va="bottom")
    if log and (values > 0).any():
        ax.set_yscale("log")
    ax.set_xlabel("row")
    ax.set_ylabel("SPE" if of == "spe" else "T²")
    return ax


def contributions(
    pca: OnlinePCA, x: ArrayLike, *, of: Literal["spe", "t2"] = "spe", most: int = 20, ax: Any = None
) -> Any:
    """Draw the contribution of each feature to T^2 or SPE of one row, the largest first.

    Parameters
    ----------
    pca : OnlinePCA
        A fitted estimator.
    x : array-like of shape (n_features,)
        One row.
    of : {"spe", "t2"}, default="spe"
        Which statistic.
    most : int, default=20
        Number of features to draw at most.
    ax : matplotlib Axes, default=None
        Where to draw. None means a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from roipca import OnlinePCA, plot
    >>> X, y = load_wine(return_X_y=True)
    >>> pca = OnlinePCA(3, standardize=True).fit(X)
    >>> plot.contributions(pca, X[0], of="spe").get_xlabel()
    'contribution to SPE'
    """
    parts = pca.contributions(np.atleast_2d(np.asarray(x)), of=of)[0]
    return _bars(parts, _feature_names(pca), most, f"contribution to {'SPE' if of == 'spe' else 'T²'}", ax)


def _bars(values: np.ndarray, names: list[str], most: int, label: str, ax: Any) -> Any:
    """Draws horizontal bars of the values of the largest magnitude, the largest on top."""
    ax = _new_axes() if ax is None else ax
    chosen = np.argsort(-np.abs(values), kind="stable")[:most]
    colors = np.where(values[chosen] < 0, "firebrick", "steelblue")
    places = np.arange(len(chosen))
    ax.barh(places, values[chosen], color=colors)
    ax.set_yticks(places, [names[feature] for feature in chosen])
    ax.invert_yaxis()
    ax.axvline(0, color="gray", linewidth=0.8)
    ax.set_xlabel(label)
    return ax
