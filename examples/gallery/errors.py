"""
How good is the answer?
=======================

One pass over wide rows is not exact. A second one reads the rows again, brings the components closer to those of
batch PCA, and knows how far away they still are. Here the truth is computed too, to compare: the estimate follows it,
and the bound stays above it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from roipca import OnlinePCA

rng = np.random.default_rng(0)
features, components = 600, 10
turn = np.linalg.qr(rng.standard_normal((features, features)))[0]
X = rng.standard_normal((4_000, features)) / np.arange(1, features + 1) ** 0.75 @ turn

truth = PCA(components, svd_solver="full").fit(X).components_


def subspace_error(found):
    """Return |UU' - VV'|^2 / |UU'|^2: 0 for the same subspace, 2 for an orthogonal one."""
    return 2 * np.linalg.norm(truth - truth @ found.T @ found) ** 2 / components


pca = OnlinePCA(components, method="roipca").fit(X)
passes, true, estimate, bound = [1], [subspace_error(pca.components_)], [np.nan], [np.nan]
for _ in range(5):
    pca.refine(X)
    passes.append(pca.n_passes_)
    true.append(subspace_error(pca.components_))
    estimate.append(pca.error_estimate_)
    bound.append(pca.error_bound())

figure, axis = plt.subplots(figsize=(6.5, 4), layout="constrained")
axis.semilogy(passes, true, "o-", label="true error")
axis.semilogy(passes, estimate, "s--", label="error_estimate_")
axis.semilogy(passes, bound, "^:", label="error_bound()")
axis.set_xlabel("passes over the rows")
axis.set_ylabel("subspace error against batch PCA")
axis.legend()
plt.show()

# %%
# If the variances of two components are close to each other, the plane that they span is known better than either.
# `component_groups_` has the components that cannot be told apart. Here there are none.

print("errors of the components:", [f"{error:.0e}" for error in pca.component_errors_])
print("groups:", pca.component_groups_)

# %%
# If you need a certain accuracy, let the program count the passes.

pca = OnlinePCA(components, method="roipca").fit(X, passes="auto", tol=1e-4)
print(f"{pca.n_passes_} passes: bound {pca.error_bound():.1e}, true error {subspace_error(pca.components_):.1e}")
