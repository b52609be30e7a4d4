"""Fits documents by one program; prints CPU seconds, bytes by which the peak memory grew, and the variance captured.

python sparse_peers.py NAME ROWS WORDS COMPONENTS
"""

import os

# Before NumPy loads its BLAS.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import tempfile
import time

import numpy as np
from memory_probe import forget_peak, kilobytes
from scipy import sparse

NAMES = ("roipca", "PCA(arpack)", "TruncatedSVD", "IncrementalPCA", "gensim LsiModel", "anndataoom")
# Those that are compared where they are installed, with their modules.
OPTIONAL = {"gensim LsiModel": "gensim", "anndataoom": "anndataoom"}
CHUNK = 500


def documents(n, words, length=100, topics=60, seed=0):
    """A CSR matrix of 1 + log(count): words by Zipf's law, in an order of their own for each of 60 topics."""
    rng = np.random.default_rng(seed)
    weights = np.cumsum(1 / np.arange(1.0, words + 1))
    order = np.stack([rng.permutation(words) for _ in range(topics)])
    rank = np.searchsorted(weights, rng.random((n, length)) * weights[-1])
    topic = rng.integers(0, topics, (n, 2))[np.arange(n)[:, np.newaxis], rng.integers(0, 2, (n, length))]
    word = np.where(rng.random((n, length)) < 0.4, rank, order[topic, rank])
    X = sparse.csr_matrix((np.ones(n * length), (np.repeat(np.arange(n), length), word.ravel())), shape=(n, words))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    return X


def captured(components, X):
    """Returns the sum of the squared scores of the rows about their mean."""
    orthonormal = np.linalg.qr(np.asarray(components, float).T)[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    return np.sum((X @ orthonormal - mean @ orthonormal) ** 2)


def by_chunks(estimator, X):
    for start in range(0, X.shape[0], CHUNK):
        estimator.partial_fit(X[start : start + CHUNK])
    return estimator.components_


def prepared(name, m, X, folder):
    """Returns a function from rows to components, with everything that it imports and reads in its place."""
    from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD

    from roipca import OnlinePCA

    if name == "gensim LsiModel":
        from gensim.matutils import Sparse2Corpus
        from gensim.models import LsiModel

        def lsi(X):
            corpus = Sparse2Corpus(X, documents_columns=False)
            return LsiModel(corpus, num_topics=m, chunksize=2000).projection.u.T

        return lsi
    if name == "anndataoom":
        import anndata
        import anndataoom

        anndata.AnnData(X).write_h5ad(f"{folder}/rows.h5ad")
        # Of the file: it keeps the rows there.
        return lambda _: anndataoom.chunked_pca(anndataoom.read(f"{folder}/rows.h5ad"), n_comps=m)[1]
    if name == "IncrementalPCA":
        return lambda X: IncrementalPCA(m, batch_size=CHUNK).fit(X).components_
    if name == "roipca":
        return lambda X: by_chunks(OnlinePCA(m), X)
    batch = PCA(m, svd_solver="arpack", random_state=0) if name == "PCA(arpack)" else TruncatedSVD(m, random_state=0)
    return lambda X: batch.fit(X).components_


def main():
    name, (rows, words, m) = sys.argv[1], map(int, sys.argv[2:])
    X = documents(rows, words)
    with tempfile.TemporaryDirectory() as folder:
        fit = prepared(name, m, X, folder)
        forget_peak()
        before = kilobytes("VmRSS")
        start = time.process_time()
        components = fit(X)
        seconds = time.process_time() - start
        print(seconds, 1024 * (kilobytes("VmHWM") - before), captured(components, X))


if __name__ == "__main__":
    main()
