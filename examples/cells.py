#!/usr/bin/env python3
"""PCA of simulated single cells, in two passes over a file that need not fit in memory.

    python examples/cells.py --cells 100000        # 100,000 cells of 20,000 genes: 8 GB as a dense matrix of float32

Writes cells.h5ad in a temporary folder, as anndata does, and removes it at the end. Needs h5py.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from scipy import sparse

from roipca import OnlinePCA, prepare_rows

BLOCK = 1000


def simulated_blocks(cells, genes, kinds=8, seed=0):
    """Yields CSR blocks of counts: each kind of cell expresses genes of its own, each cell at a depth of its own."""
    rng = np.random.default_rng(seed)
    profiles = rng.gamma(0.2, size=(kinds, genes))
    choices = np.cumsum(profiles / profiles.sum(axis=1, keepdims=True), axis=1)
    for first in range(0, cells, BLOCK):
        count = min(BLOCK, cells - first)
        depth = rng.integers(500, 1500, count)
        row = np.repeat(np.arange(count), depth)
        kind = rng.integers(0, kinds, count)[row]
        gene = np.empty(len(row), np.int64)
        for k in range(kinds):
            drawn = kind == k
            gene[drawn] = np.searchsorted(choices[k], rng.random(np.count_nonzero(drawn)) * choices[k][-1])
        block = sparse.coo_array((np.ones(len(row), np.float32), (row, gene)), shape=(count, genes)).tocsr()
        block.sum_duplicates()
        yield block


def write_h5ad(path, blocks, genes):
    """Writes CSR blocks one after the other as the matrix X of an AnnData file."""
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        data = group.create_dataset("data", (0,), np.float32, maxshape=(None,), chunks=(1 << 16,))
        indices = group.create_dataset("indices", (0,), np.int32, maxshape=(None,), chunks=(1 << 16,))
        ends = [np.zeros(1, np.int64)]
        for block in blocks:
            before = len(data)
            for array, part in ((data, block.data), (indices, block.indices)):
                array.resize((before + block.nnz,))
                array[before:] = part
            ends.append(before + block.indptr[1:].astype(np.int64))
        indptr = np.concatenate(ends)
        group["indptr"] = indptr
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", (len(indptr) - 1, genes)
        file.create_group("var").attrs["_index"] = "gene"
        file["var/gene"] = [f"gene{j}" for j in range(genes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--variable", type=int, default=2000, help="number of variable genes to learn from")
    parser.add_argument("--components", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.h5ad"
        write_h5ad(path, simulated_blocks(options.cells, options.genes), options.genes)
        start = time.perf_counter()
        recipe = {"target_sum": 1e4, "log1p": True}
        first = OnlinePCA(1).fit_stream(path, **recipe, progress=False)  # also gives the variance of each gene
        variable = np.zeros(options.genes, bool)
        variable[np.argsort(first.var_)[-options.variable :]] = True
        pca = OnlinePCA(options.components).fit_stream(path, **recipe, feature_mask=variable, progress=False)
        seconds = time.perf_counter() - start
        some = next(simulated_blocks(options.cells, options.genes))
        scores = pca.transform(prepare_rows(some, **recipe, feature_mask=variable))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{pca.n_samples_seen_:,} cells of {options.genes:,} genes in {seconds:.1f} s, {memory} MiB at most")
    ratios = pca.explained_variance_ratio_
    print(f"{options.components} components explain {ratios.sum():.3f} of the variance;")
    print(f"the first seven, which tell eight kinds of cells apart, {ratios[:7].sum():.3f}")
    print(f"scores of the first cells: {scores.shape}")


if __name__ == "__main__":
    main()
