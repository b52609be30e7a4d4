"""PCA of AnnData objects, in memory or in backed mode, with the results where scanpy puts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._sources import optional
from .online_pca import OnlinePCA

__all__ = ["pca"]

anndata = optional("anndata", "anndata")

_DEFAULT_COMPONENTS = 50


def pca(
    adata: Any,
    n_comps: int | None = None,
    *,
    layer: str | None = None,
    mask_var: str | np.ndarray | None = None,
    key_added: str | None = None,
    target_sum: float | None = None,
    log1p: bool = False,
    feature_weights: ArrayLike | None = None,
    dtype: Any = np.float32,
    batch_size: int | None = None,
    progress: bool = False,
    **options: Any,
) -> OnlinePCA:
    """Compute principal components of the cells, and write them where `scanpy.pp.pca` does.

    The matrix is read twice in blocks of rows, once to fit and once for the scores. It may be dense or sparse, in
    memory or on disk (backed mode), and is neither loaded nor made dense.

    Parameters
    ----------
    adata : anndata.AnnData of shape (n_obs, n_vars)
        Cells. The results are added to it.
    n_comps : int, default=None
        Number of components. None means 50, or one less than the smaller of cells and variables if that is less.
    layer : str, default=None
        Name of the layer to use. None means `X`.
    mask_var : str or ndarray of bool of shape (n_vars,), default=None
        The variables to use: a column of `var`, such as "highly_variable", or a mask. None means all of them. (scanpy
        uses "highly_variable" by default, if it exists.)
    key_added : str, default=None
        As in scanpy: the key of the results in `obsm`, `varm` and `uns`, instead of "X_pca", "PCs" and "pca".
    target_sum : float, default=None
        Multiply the counts of each cell by a number such that their sum is this, as `normalize_total` of scanpy does.
        This and the next two are applied to the blocks that are read, as in `OnlinePCA.fit_stream`; `adata` keeps its
        counts. Variables that `mask_var` drops count in the sum.
    log1p : bool, default=False
        Then, replace each number x by log(1 + x).
    feature_weights : array-like of shape (n_vars,), default=None
        Then, multiply each variable by its weight.
    dtype : dtype, default=float32
        Type of the scores.
    batch_size : int, default=None
        Number of cells to read at a time, as in `OnlinePCA.fit_stream`.
    progress : bool, default=False
        Show progress bars.
    **options
        Other parameters of `OnlinePCA`.

    Returns
    -------
    pca : OnlinePCA
        The estimator, whose features are the variables used. The results are in `adata`:

        - `obsm["X_pca"]` (n_obs, n_comps): the scores of the cells;
        - `varm["PCs"]` (n_vars, n_comps): the components, 0 for variables that are not used;
        - `uns["pca"]`: "variance", "variance_ratio" and "params".

    Examples
    --------
    >>> import anndata, numpy as np, roipca.anndata
    >>> adata = anndata.AnnData(np.random.default_rng(0).standard_normal((200, 30)).astype(np.float32))
    >>> pca = roipca.anndata.pca(adata, 5)
    >>> adata.obsm["X_pca"].shape, adata.varm["PCs"].shape, adata.uns["pca"]["variance"].shape
    ((200, 5), (30, 5), (5,))
    """
    if "feature_mask" in options:
        raise TypeError("feature_mask is called mask_var here")
    if not isinstance(adata, anndata.AnnData):
        raise TypeError(f"adata must be an AnnData, not {type(adata).__name__}")
    mask = _mask(adata, mask_var)
    source = _matrix(adata, layer)
    used = adata.n_vars if mask is None else int(mask.sum())
    if n_comps is None:
        n_comps = min(_DEFAULT_COMPONENTS, min(adata.n_obs, used) - 1)
    how: dict[str, Any] = {
        "batch_size": batch_size,
        "target_sum": target_sum,
        "log1p": log1p,
        "feature_weights": feature_weights,
        "feature_mask": mask,
        "progress": progress,
    }
    model = OnlinePCA(n_comps, **options).fit_stream(source, **how)
    scores = np.empty((adata.n_obs, model.n_components_), dtype)
    first = 0
    for block in model.transform_stream(source, **how):  # type: ignore[union-attr]
        scores[first : first + len(block)] = block
        first += len(block)

    names = np.asarray(adata.var_names, dtype=object)
    model.feature_names_in_ = names if mask is None else names[mask]
    loadings = np.zeros((adata.n_vars, model.n_components_), model.components_.dtype)
    loadings[slice(None) if mask is None else mask] = model.components_.T
    params: dict[str, Any] = {
        "zero_center": model.center,
        "use_highly_variable": isinstance(mask_var, str) and mask_var == "highly_variable",
        "mask_var": mask_var if isinstance(mask_var, str) else None,
    }
    if layer is not None:
        params["layer"] = layer
    adata.obsm[key_added or "X_pca"] = scores
    adata.varm[key_added or "PCs"] = loadings
    adata.uns[key_added or "pca"] = {
        "params": params,
        "variance": model.explained_variance_,
        "variance_ratio": model.explained_variance_ratio_,
    }
    return model


def _mask(adata: Any, mask_var: Any) -> np.ndarray | None:
    """Returns which variables to use, or None for all."""
    if mask_var is None:
        return None
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise ValueError(f"There is no column {mask_var!r} in adata.var, for mask_var")
        mask_var = adata.var[mask_var]
    mask = np.asarray(mask_var)
    if mask.dtype != bool or mask.shape != (adata.n_vars,):
        raise ValueError(f"mask_var must be {adata.n_vars} bools, not {mask.shape} of {mask.dtype}")
    return mask


def _matrix(adata: Any, layer: str | None) -> Any:
    """Returns the rows as `fit_stream` reads them: an array, a scipy matrix, or a group or dataset of the file."""
    if layer is not None and layer not in adata.layers:
        known = ", ".join(map(repr, adata.layers.keys())) or "none"
        raise ValueError(f"There is no layer {layer!r}; the layers are {known}")
    matrix = adata.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError("adata has no matrix X: choose a layer")
    return getattr(matrix, "group", matrix)  # the group of a sparse matrix on disk
