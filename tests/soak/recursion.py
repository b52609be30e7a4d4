"""A direct implementation of the formulas in double: its only error is what a truncated spectrum loses by definition.

The scatter is taken to be mu I + Q (Lambda - mu I) Q^T, and a block of rows is added by a singular value
decomposition of [(Lambda - mu)^(1/2), 0; Y, T^T] in the basis [Q, U], where X = Y Q^T + T^T U^T. Squares of
singular values are formed last, so that small ones keep their digits beside large ones.
"""

import numpy as np

MOST_GROWTH = 4.0  # largest ratio of the weights of the last and the first row of a block, with forgetting
OUTWEIGHED = 2.0**20  # relative to all rows before: a centred row of such a weight has a block of its own
START_ROWS = 500  # rows of the batch PCA that `fit` starts row-by-row methods from


def block_counts(weights, block_size, forgetting, first=0, center=True):
    """Returns the rows of each block, divided as the estimator does. A block also ends if forgetting has made its rows
    too heavy, and a row that far outweighs all before it has a block of its own if rows are centred."""
    counts = [min(first, len(weights))] if first else []
    before = weights[: sum(counts)].sum() * forgetting ** sum(counts)
    start = sum(counts)
    while start < len(weights):
        before, growth, weight, count = before * forgetting, 1.0, 0.0, 0
        while start + count < len(weights) and count < block_size:
            given = weights[start + count]
            if count == 1 and center and 0 < before * OUTWEIGHED < weight:
                break
            if count and center and given * growth > OUTWEIGHED * (before + weight) > 0:
                break
            if count and forgetting < 1.0:
                if growth > MOST_GROWTH * forgetting:
                    break
                growth /= forgetting
            weight, count = weight + given * growth, count + 1
        counts.append(count)
        before, start = (before + weight) / growth, start + count
    return counts


class Recursion:
    def __init__(self, features, held, mu="mean", center=True, forgetting=1.0):
        self.features, self.held, self.kind_of_mu = features, held, mu
        self.center, self.forgetting = center, forgetting
        self.Q, self.values = np.empty((features, 0)), np.empty(0)
        self.mean, self.weight, self.trace = np.zeros(features), 0.0, 0.0
        self.disturb = lambda Q: Q  # components, after each update
        self.disturb_values = lambda values: values  # eigenvalues, as a solver in squares rounds them
        self.disturb_trace = lambda trace: trace  # mu is the trace minus the eigenvalues

    def mu(self):
        rank = len(self.values)
        if self.kind_of_mu == "zero" or rank < self.held or rank in (0, self.features):
            return 0.0
        return float(np.clip((self.trace - self.values.sum()) / (self.features - rank), 0, self.values[-1]))

    def add(self, X, weights):
        """Adds one block of rows relative to an origin of the caller's choice. Each row makes all before it forget.

        Rows are centred in their own precision: in extended precision they may be far from the origin.
        """
        count = len(X)
        weights = weights * self.forgetting ** np.arange(count)[::-1]
        self.scale(self.forgetting**count)
        rows = X
        if self.center:
            total = weights.sum()
            mean = X[0] + weights @ (X - X[0]) / total
            jump = np.sqrt(self.weight / (self.weight + total) * total) * (mean - self.mean)
            self.mean = self.mean + total / (self.weight + total) * (mean - self.mean)
            rows = np.vstack([np.sqrt(weights)[:, None] * (X - mean), jump])[-1 if count == 1 else 0 :]
            self.weight += total
        else:
            rows = np.sqrt(weights)[:, None] * X
            self.weight += weights.sum()
        self.absorb(rows.astype(np.float64))
        self.Q = self.disturb(self.Q)
        self.values = self.disturb_values(self.values)

    def scale(self, factor):
        self.values, self.trace, self.weight = self.values * factor, self.trace * factor, self.weight * factor

    def absorb(self, rows):
        mu, rank = self.mu(), len(self.values)
        Y, rest = np.zeros((len(rows), rank)), rows
        for _ in range(2):
            step = rest @ self.Q
            Y, rest = Y + step, rest - step @ self.Q.T
        U, T = np.linalg.qr(rest.T)
        # Directions that are only rounding of the rows do not count. (A zero column of T would make U arbitrary.)
        for _ in range(2):
            U = U - self.Q @ (self.Q.T @ U)
        size = np.sqrt((rows**2).sum())
        small = np.zeros((rank + len(rows), rank + U.shape[1]))
        small[:rank, :rank] = np.diag(np.sqrt(np.maximum(self.values - mu, 0)))
        small[rank:, :rank], small[rank:, rank:] = Y, T.T
        sigma, V = np.linalg.svd(small)[1:]
        sigma = np.pad(sigma, (0, len(V) - len(sigma)))
        least = 0.0 if mu > 0 else 8 * np.finfo(float).eps * np.sqrt(self.trace + size**2)
        kept = min(self.held, int((sigma > least).sum()) if mu == 0 else max(rank, int((sigma > 0).sum())))
        self.Q = np.hstack([self.Q, U]) @ V[:kept].T
        self.Q = np.linalg.qr(self.Q)[0] if kept else self.Q
        self.values = sigma[:kept] ** 2 + mu
        self.trace = self.disturb_trace(self.trace + size**2)


def run(recursion, rows, weights, counts):
    """Runs the recursion over rows (relative to an origin: the first row if they are centred), divided into blocks."""
    start = 0
    for count in counts:
        recursion.add(rows[start : start + count], weights[start : start + count])
        start += count
    return recursion


class FastRecursion(Recursion):
    """fROIPCA: rotations within the components are left out (tau = 0) or replaced by one number (tau optimal)."""

    def __init__(self, *arguments, tau="zero", noise=0.0):
        super().__init__(*arguments)
        self.tau, self.noise = tau, noise

    def absorb(self, rows):
        if len(rows) > 1:  # the batch that `fit` starts from
            super().absorb(rows)
        elif rows.any():
            self.absorb_row(rows[0])

    def absorb_row(self, v):
        mu, rank = self.mu(), len(self.values)
        z, r = np.zeros(rank), v
        for _ in range(2):
            step = self.Q.T @ r
            z, r = z + step, r - self.Q @ step
        length = np.linalg.norm(r)
        self.trace = self.disturb_trace(self.trace + v @ v)
        if length <= self.noise * np.linalg.norm(v):
            length = 0.0
        order = rank + (length > 0)
        poles = np.append(self.values, mu)[:order]
        w = np.append(z, length)[:order]
        roots = np.sqrt(np.maximum(poles - mu, 0))
        sigma, V = np.linalg.svd(np.vstack([np.diag(roots), w]))[1:]
        V = V.T
        kept = min(self.held, order)
        u = r / length if length > 0 else np.zeros_like(r)
        moves = self.moves(V, z, rank, length) if kept == rank else None
        if moves is None:
            self.Q = np.linalg.qr(np.column_stack([self.Q, u])[:, :order] @ V[:, :kept])[0]
        else:
            a, c = moves
            left, _, right = np.linalg.svd(self.Q + np.outer(self.Q @ z, a) + np.outer(u, c), full_matrices=False)
            self.Q = left @ right  # the nearest orthonormal basis
        self.values = sigma[:kept] ** 2 + mu

    def moves(self, V, z, rank, length):
        """Returns the coefficients of projection and residual; None for a rotation of more than 45 degrees."""
        own = np.diag(V)[:rank].copy()
        out = V[rank, :rank] if length > 0 else np.zeros(rank)
        tau = np.zeros(rank)
        if self.tau == "optimal":
            # Without those of i itself from the start: beside one large z they would cancel.
            others = (z**2) @ (1 - np.eye(rank))
            along = ((1 - np.eye(rank)) * V[:rank, :rank]).T @ z
            tau = np.divide(along, others, out=np.zeros(rank), where=others > 0)
        own = own - tau * z
        small = (np.abs(out) <= np.abs(own)) & (np.abs(tau) * np.linalg.norm(z) <= np.abs(own)) & (own != 0)
        small &= np.diag(V)[:rank] ** 2 >= 0.5
        return (tau / own, out / own) if small.all() else None
