"""Models of many parts of the rows into one of all, in a tree that depends on the parts' order alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from sklearn.base import clone

from ._fitted import Fitted
from .online_pca import OnlinePCA

Part = TypeVar("Part")


def merge_tree(parts: Iterable[Part | None], merge: Callable[[Part, Part], Part]) -> Part | None:
    """Neighbours are merged in pairs, the pairs in pairs, and so on; None stands for a part without rows.

    Parts are taken as they come. At most log2(parts) + 1 are held at a time: the digits of a binary counter.
    """

    def join(left: Part | None, right: Part | None) -> Part | None:
        if left is None or right is None:
            return right if left is None else left
        return merge(left, right)

    waiting: list[tuple[int, Part | None]] = []
    for part in parts:
        height = 0
        joined: Part | None = part
        while waiting and waiting[-1][0] == height:
            joined = join(waiting.pop()[1], joined)
            height += 1
        waiting.append((height, joined))
    whole = None
    while waiting:
        whole = join(waiting.pop()[1], whole)
    return whole


def settled(pca: OnlinePCA) -> OnlinePCA:
    """A copy that begins from the model of the rows so far: the smallest to send, with no rows waiting."""
    learned = pca._learned
    return clone(pca)._learn_from(pca, Fitted.from_model(learned.core.model(), learned.requested))


def merge_all(models: Iterable[OnlinePCA]) -> OnlinePCA:
    """One estimator of the rows of all, for parts that were fitted in processes or on other machines.

    Neighbours are merged in pairs, the pairs in pairs, and so on, so that the result depends on the order of
    the models alone: it is the same to the last bit however and whenever they were made.

    Parameters
    ----------
    models : iterable of OnlinePCA
        With the same parameters, of the same features. They are taken as they come, and only a few are held
        at a time. Those that have seen no rows count for nothing.

    Returns
    -------
    merged : OnlinePCA
        With the parameters of the first that has seen rows. Mean, variances and counts are exact. A pickle of
        it holds the components and means and no more; `merge_all([pca])` makes such a one of a single model.

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import OnlinePCA, merge_all
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> parts = (OnlinePCA(2).partial_fit(part) for part in np.array_split(X, 7))
    >>> pca = merge_all(parts)
    >>> pca.n_samples_seen_, np.allclose(pca.mean_, X.mean(axis=0))
    (100, True)
    """
    parts = (None if model._fitted is None else settled(model) for model in models)
    merged = merge_tree(parts, OnlinePCA.merge)
    if merged is None:
        raise ValueError("None of the models to be merged has seen rows.")
    return merged
