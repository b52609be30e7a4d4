"""Batch PCA, and the paper's error against it."""

import numpy as np
from scipy.linalg import eigh


def batch_basis(scatter, m):
    """Returns the m leading eigenvectors of a scatter matrix as columns, in descending order of eigenvalue."""
    d = len(scatter)
    return eigh(scatter, subset_by_index=[d - m, d - 1])[1][:, ::-1]


def components_for(scatter, fraction=0.8, most=10):
    """Returns the number of components that explain `fraction` of the variance, but at most `most`."""
    values = eigh(scatter, eigvals_only=True)[::-1]
    return int(min(most, 1 + np.searchsorted(np.cumsum(values) / np.sum(values), fraction)))


def subspace_error(U, V):
    """Returns |UU' - VV'|_F^2 / |UU'|_F^2: 0 for the same subspace, 2 for orthogonal ones. U and V have the same number
    of columns. It is computed from the part of V outside U, to avoid cancellation."""
    V = np.linalg.qr(V)[0]
    return float(2 * np.sum((V - U @ (U.T @ V)) ** 2) / U.shape[1])
