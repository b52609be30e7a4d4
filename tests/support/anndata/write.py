"""Writes cells.h5ad, a file of the anndata package, which the tests of the command and of Python read.

pip install anndata && python write.py
"""

from pathlib import Path

import anndata
import numpy as np
import pandas as pd
from scipy import sparse


def counts():
    """Counts of 30 genes in 50 cells; the same numbers wherever this runs."""
    i, j = np.indices((50, 30))
    return np.where((i * 7 + j * 13) % 5 == 0, (i * 3 + j * 11) % 17, 0)


if __name__ == "__main__":
    X = sparse.csr_matrix(counts().astype(np.float32))
    cells = anndata.AnnData(
        X,
        obs=pd.DataFrame(index=[f"cell{i}" for i in range(50)]),
        var=pd.DataFrame(index=[f"gene{j}" for j in range(30)]),
        layers={"doubled": 2 * X, "dense": X.toarray(), "columns": X.tocsc()},
    )
    cells.obsm["X_umap"] = np.zeros((50, 2))
    cells.write_h5ad(Path(__file__).with_name("cells.h5ad"), compression="gzip")
