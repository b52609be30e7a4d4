#!/usr/bin/env python3
"""Compares roipca.anndata.pca with scanpy.pp.pca on cells in a file, and writes the table of docs/ecosystem.md.

    pip install scanpy
    python bench/scanpy_cells.py            # 100,000 cells of 2,000 genes
    python bench/scanpy_cells.py --quick    # small, to check that it runs; prints the text instead of writing it

Every program runs in a process of its own. Cells are simulated: twelve kinds, and thirty programs of genes that are
more or less active in each cell.
"""

from __future__ import annotations

import os

# Before NumPy loads its BLAS, here and in the other processes.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anndata
import numpy as np
from machine import processor
from memory_probe import forget_peak, kilobytes
from scipy import sparse

ROOT = Path(__file__).resolve().parents[1]
COMPONENTS = 50
PROGRAMS = {
    "roipca": "`roipca.anndata.pca`, backed",
    "chunked": "`scanpy.pp.pca(chunked=True)`, backed",
    "memory": "`scanpy.pp.pca`, in memory",
}


def simulated(cells, genes, seed=0):
    """Returns log-normalised counts as a CSR matrix of float32, made a block at a time."""
    rng = np.random.default_rng(seed)
    kinds = rng.normal(-3, 1, (12, genes))
    programs = rng.standard_normal((30, genes)) * (0.6 / np.sqrt(np.arange(1, 31)))[:, None]
    blocks = []
    for start in range(0, cells, 5_000):
        count = min(5_000, cells - start)
        active = kinds[rng.integers(0, 12, count)] + rng.standard_normal((count, 30)) @ programs
        counts = rng.poisson(np.exp(active) * rng.lognormal(sigma=0.3, size=(count, 1))).astype(np.float64)
        blocks.append(sparse.csr_array(np.log1p(1e4 / counts.sum(axis=1, keepdims=True) * counts), dtype=np.float32))
    return sparse.vstack(blocks, format="csr")


def exact(X):
    """Returns the eigenvalues of the covariance, in descending order, and the eigenvectors, one per column."""
    scatter, total = 0.0, 0.0
    for start in range(0, X.shape[0], 5_000):
        rows = X[start : start + 5_000].toarray().astype(np.float64)
        scatter, total = scatter + rows.T @ rows, total + rows.sum(axis=0)
    mean = total / X.shape[0]
    values, vectors = np.linalg.eigh(scatter / X.shape[0] - np.outer(mean, mean))
    return values[::-1], vectors[:, ::-1]


def run(name, path, out):
    """Computes components of the cells in a file, stores them, and prints what that took."""
    if name == "roipca":
        import roipca.anndata
    else:
        import scanpy
    forget_peak()
    before, start = kilobytes("VmRSS"), time.process_time()
    adata = anndata.read_h5ad(path, backed=None if name == "memory" else "r")
    if name == "roipca":
        roipca.anndata.pca(adata, COMPONENTS)
    else:
        scanpy.pp.pca(adata, n_comps=COMPONENTS, chunked=name == "chunked")
    taken = time.process_time() - start, 1024 * (kilobytes("VmHWM") - before)
    np.save(out, np.asarray(adata.varm["PCs"]))
    print(json.dumps(taken))


def compare(cells, genes, folder):
    """Returns a line of the table for every program, and a few words on the cells."""
    X = simulated(cells, genes)
    path = str(Path(folder, "cells.h5ad"))
    anndata.AnnData(X).write_h5ad(path)
    values, vectors = exact(X)
    lines = []
    for name, label in PROGRAMS.items():
        out = str(Path(folder, f"{name}.npy"))
        shown = subprocess.run(
            [sys.executable, __file__, "--run", name, path, out], check=True, capture_output=True, text=True
        )
        seconds, memory = json.loads(shown.stdout.splitlines()[-1])
        found = np.linalg.qr(np.load(out).astype(np.float64))[0]
        captured = np.einsum("ij,i,ij->", vectors.T @ found, values, vectors.T @ found) / values[:COMPONENTS].sum()
        strong = vectors[:, :10]
        error = 2 * np.linalg.norm(strong - found[:, :10] @ (found[:, :10].T @ strong)) ** 2 / 10
        measured = f"{seconds:.1f} s | {memory / 2**20:,.0f} MiB | {error:.0e} | {captured:.5f}"
        lines.append(f"| {label} | {measured} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return lines, f"{100 * X.nnz / X.shape[0] / X.shape[1]:.0f} % of the numbers are not 0"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small, to check that it runs")
    parser.add_argument("--run", nargs=3, metavar=("NAME", "FILE", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return run(*options.run)
    cells, genes = (3_000, 300) if options.quick else (100_000, 2_000)
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        lines, described = compare(cells, genes, folder)
    text = "\n".join([
        f"{cells:,} simulated cells of {genes:,} genes in a sparse `.h5ad` file ({described}), {COMPONENTS} "
        f"components, one core of an {processor()}, with a load of {busy:.1f} from others. Memory is the growth "
        "of the peak. The error is the subspace error of the first ten components against the eigenvectors of the "
        "covariance matrix, and the last column the variance along all fifty, relative to the best possible. "
        "`python bench/scanpy_cells.py` writes this table.\n",
        "|  | CPU time | memory | error | variance |\n|---|---|---|---|---|", *lines,
    ])
    if options.quick:
        print(text)
        return None
    page = ROOT / "docs" / "ecosystem.md"
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->"
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + text + "\n" + end + rest.split(end)[1])
    return None


if __name__ == "__main__":
    main()
