"""On a Dask cluster of processes: two workers against one, and dask-ml's IncrementalPCA."""

import time

import dask.array as da
import distributed
import numpy as np
import roipca.dask
from measure import subspace_error
from memory import timed


def cluster(workers):
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0)


def _made_here(number, features, rows):
    return np.random.default_rng(int(number[0, 0])).standard_normal((rows, features)) * np.linspace(3, 1, features)


def _made_by_workers(partitions, features, rows):
    numbers = da.arange(partitions, chunks=1)[:, None]
    chunks = ((rows,) * partitions, (features,))
    X = numbers.map_blocks(_made_here, features, rows, dtype=float, chunks=chunks).persist()
    distributed.wait(X)
    return X


def scaling(d, m, rows, partitions, turns=3):
    """Seconds of a fit of rows that lie in the workers' memory, best of `turns`: {workers: seconds}, and the sizes."""
    best = {1: np.inf, 2: np.inf}
    for turn in range(turns):
        for workers in best:
            with cluster(workers) as running, distributed.Client(running):
                X = _made_by_workers(partitions, d, rows)
                roipca.dask.fit(X[:rows], m)  # imports, in every worker
                start = time.perf_counter()
                # Another oversampling is another computation, which no worker remembers.
                roipca.dask.fit(X, m, oversampling=25)
                best[workers] = min(best[workers], time.perf_counter() - start)
    return {"seconds": best, "rows": partitions * rows, "features": d, "components": m, "partitions": partitions}


def overheads(size=2_000_000, count=50, tasks=500):
    """Measured between two workers of this machine: bytes a second from one to the other, and seconds of Dask's
    scheduler for a task."""
    with cluster(2) as running, distributed.Client(running) as client:
        here, there = client.scheduler_info()["workers"]
        models = client.map(lambda i: bytes([i % 256]) * size, range(count), workers=[here], pure=False)
        distributed.wait(models)
        start = time.perf_counter()
        distributed.wait(client.map(len, models, workers=[there], pure=False))
        moving = time.perf_counter() - start
        start = time.perf_counter()
        distributed.wait(client.map(lambda i: i, range(tasks), pure=False))
        scheduling = (time.perf_counter() - start) / tasks
    return {"bandwidth": size * count / (moving - count * scheduling), "task": scheduling}


def contest(X, m, truth, partitions=12):
    """[(label, seconds, bytes, error)] on the same rows in the memory of two workers."""
    found = []
    with cluster(2) as running, distributed.Client(running) as client:
        rows = da.from_array(X, chunks=(-(-len(X) // partitions), X.shape[1])).persist()
        distributed.wait(rows)
        client.run(__import__, "roipca.dask")
        for label, fit in _contestants(rows, m):
            pca, seconds, memory = timed(fit)
            found.append((label, seconds, memory, subspace_error(truth, np.asarray(pca.components_).T)))
    return found


def _contestants(rows, m):
    yield "roipca.dask", lambda: roipca.dask.fit(rows, m)
    try:
        from dask_ml.decomposition import IncrementalPCA
    except ImportError:
        return
    yield "dask-ml IncrementalPCA", lambda: IncrementalPCA(m).fit(rows)
