"""Published online methods that no maintained package offers, in NumPy: AdaOja and History PCA.

Both take mini-batches, centre each row by the mean of all rows so far, and spend their time in NumPy's products and QR
decompositions, as a package of their own would.
"""

import numpy as np


class MiniBatches:
    """Base class: `fit` passes mini-batches of centred rows to `step`, which updates `Q` (features x m)."""

    def __init__(self, m, batch_size, seed=0):
        self.m = m
        self.batch_size = batch_size
        self.seed = seed

    def fit(self, X):
        rng = np.random.default_rng(self.seed)
        self.Q = np.linalg.qr(rng.standard_normal((X.shape[1], self.m)))[0]
        total = np.zeros(X.shape[1])
        self.begin()
        for start in range(0, len(X) - self.batch_size + 1, self.batch_size):
            rows = X[start : start + self.batch_size]
            total += rows.sum(axis=0)
            self.step(rows - total / (start + len(rows)), start)
        self.components_ = self.Q.T
        return self


class AdaOja(MiniBatches):
    """Oja's rule with the step size of AdaGrad, one per component (Henriksen and Ward 2019, arXiv:1905.12115)."""

    def begin(self):
        self.squares = np.full(self.m, 1e-5)

    def step(self, rows, before):
        gradient = rows.T @ (rows @ self.Q) / len(rows)
        self.squares += np.sum(gradient**2, axis=0)
        self.Q = np.linalg.qr(self.Q + gradient / np.sqrt(self.squares))[0]


class HistoryPCA(MiniBatches):
    """Power iterations on the mini-batch plus the components so far (Yang, Hsieh and Wang 2018, arXiv:1802.05447)."""

    ITERATIONS = 2

    def begin(self):
        self.values = np.zeros(self.m)  # eigenvalues of the covariance along the columns of Q

    def step(self, rows, before):
        seen = before + len(rows)
        history, values = self.Q, self.values
        for _ in range(self.ITERATIONS):
            product = rows.T @ (rows @ self.Q) / seen
            product += (before / seen) * history @ (values[:, None] * (history.T @ self.Q))
            self.values = np.linalg.norm(product, axis=0)
            self.Q = np.linalg.qr(product)[0]
