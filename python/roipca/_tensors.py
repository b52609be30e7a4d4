"""Tensors of PyTorch: read in place, returned where rows were tensors, and a model as a layer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch


def is_tensor(X: Any) -> bool:
    """Whether X is a tensor of PyTorch, without importing it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(X, torch.Tensor)


def tensor_rows(X: Any) -> np.ndarray:
    """Returns a tensor as an array: the same memory for float32, float64 and integers on the CPU.

    Half precision becomes float32. Gradients are not followed.
    """
    import torch

    X = X.detach()
    if X.layout != torch.strided:
        raise TypeError(f"tensors with the layout {X.layout} are not supported: pass a scipy sparse matrix")
    if X.is_floating_point() and X.dtype not in (torch.float32, torch.float64):
        X = X.float()
    return np.from_dlpack(X.cpu())


def like(X: Any, result: Any) -> Any:
    """Returns an array as a tensor on the device of X if X is a tensor, and as it is otherwise."""
    if not isinstance(result, np.ndarray) or not is_tensor(X):
        return result
    import torch

    return torch.from_dlpack(result).to(X.device)


class ToTorch:
    """`to_torch` of OnlinePCA."""

    def to_torch(self) -> torch.nn.Linear:
        """Return a layer of PyTorch whose outputs are the scores of its inputs, as `transform` returns them.

        Returns
        -------
        layer : torch.nn.Linear
            With n_features_in_ inputs and n_components_ outputs, on the CPU, in float32 if the first rows were float32.
            It is a copy: rows that are learned later do not change it. Its parameters can be trained further.

        Examples
        --------
        >>> import torch
        >>> from roipca import OnlinePCA
        >>> X = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
        >>> layer = OnlinePCA(1).fit(X).to_torch()
        >>> layer
        Linear(in_features=2, out_features=1, bias=True)
        """
        from ._sources import optional  # imported here because it needs this module

        torch = optional("torch", "torch")
        pca: Any = self
        model = pca._shown
        weight = np.asarray(model.components, np.float64) / pca.scale_
        if pca.whiten:
            deviation = np.sqrt(model.explained_variance)
            weight = weight * np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)[:, None]
        dtype = torch.float32 if pca._learned.dtype == np.float32 else torch.float64
        layer = torch.nn.Linear(model.features, model.n_components, dtype=dtype)
        with torch.no_grad():
            layer.weight.copy_(torch.from_dlpack(np.ascontiguousarray(weight)))
            layer.bias.copy_(torch.from_dlpack(-weight @ model.mean))
        return layer
