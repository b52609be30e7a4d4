"""Batch PCA, and the paper's error against it."""

import numpy as np
from scipy.linalg import eigh


def batch_basis(scatter, m):
    """The m leading eigenvectors of a scatter matrix, as columns, the first first."""
    d = len(scatter)
    return eigh(scatter, subset_by_index=[d - m, d - 1])[1][:, ::-1]


def components_for(scatter, fraction=0.8, most=10):
    """As many components as hold `fraction` of the variance, but no more than `most`."""
    values = eigh(scatter, eigvals_only=True)[::-1]
    return int(min(most, 1 + np.searchsorted(np.cumsum(values) / np.sum(values), fraction)))


def subspace_error(U, V):
    """|UU' - VV'|_F^2 / |UU'|_F^2 for as many orthonormal columns in U as in V: 0 for one subspace, 2 for orthogonal
    ones. Taken from what of V lies outside U, so that nothing cancels."""
    V = np.linalg.qr(V)[0]
    return float(2 * np.sum((V - U @ (U.T @ V)) ** 2) / U.shape[1])
