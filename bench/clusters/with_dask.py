"""Measures a Dask cluster of processes: two workers against one, other ways to do PCA, and the client's own work."""

import contextlib
import time

import dask.array as da
import distributed
import numpy as np
from measure import subspace_error
from memory import timed

import roipca.dask


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


def scaling(d, m, rows, partitions, turns=5):
    """Fits rows that are in the workers' memory, on clusters of one and of two workers in alternation, so that both
    see the same load. Returns {workers: median seconds}, and {workers: least CPU seconds of the busiest worker}, which
    does not depend on other programs on the machine."""
    seconds, busiest = {1: [], 2: []}, {1: [], 2: []}
    with contextlib.ExitStack() as running:
        clients, data = {}, {}
        for workers in seconds:
            client = distributed.Client(running.enter_context(cluster(workers)))
            clients[workers] = running.enter_context(client)
            data[workers] = _made_by_workers(partitions, d, rows)
        for _ in range(turns):
            for workers, client in clients.items():
                with client.as_current():
                    before, start = client.run(time.process_time), time.perf_counter()
                    roipca.dask.fit(data[workers], m)
                    seconds[workers].append(time.perf_counter() - start)
                    after = client.run(time.process_time)
                    busiest[workers].append(max(after[worker] - before[worker] for worker in after))
    return {
        "seconds": {workers: float(np.median(taken)) for workers, taken in seconds.items()},
        "busiest": {workers: min(taken) for workers, taken in busiest.items()},
        "rows": partitions * rows,
        "features": d,
        "components": m,
        "partitions": partitions,
    }


def overheads(size=2_000_000, count=50, tasks=500):
    """Returns the bytes per second between two workers on this machine, and the CPU seconds of Dask's scheduler and
    client per task."""
    with cluster(2) as running, distributed.Client(running) as client:
        here, there = client.scheduler_info()["workers"]
        models = client.map(lambda i: bytes([i % 256]) * size, range(count), workers=[here], pure=False)
        distributed.wait(models)
        start = time.perf_counter()
        distributed.wait(client.map(len, models, workers=[there], pure=False))
        moving = time.perf_counter() - start
        start = time.process_time()
        distributed.wait(client.map(lambda i: i, range(tasks), pure=False))
        scheduling = (time.process_time() - start) / tasks
    return {"bandwidth": size * count / moving, "task": scheduling}


def contest(X, m, truth, partitions=12):
    """Returns [(label, seconds, CPU seconds, bytes, error)] for the same rows in the memory of two workers."""
    found = []
    with cluster(2) as running, distributed.Client(running) as client:
        rows = da.from_array(X, chunks=(-(-len(X) // partitions), X.shape[1])).persist()
        distributed.wait(rows)
        client.run(__import__, "roipca.dask")
        for label, turns, fit in _contestants(rows, m):
            runs = [timed(fit) for _ in range(turns)]
            components, *costs = min(runs, key=lambda run: run[2])
            found.append((label, *costs, subspace_error(truth, np.asarray(components).T)))
    return found


def _contestants(rows, m):
    """Yields (label, how often to measure, function). The best of several is for those that take less than a second."""
    yield "roipca.dask", 5, lambda: roipca.dask.fit(rows, m).components_
    yield 'roipca.dask, `method="exact"`', 5, lambda: roipca.dask.fit(rows, m, method="exact").components_
    yield "Dask, X'X and `eigh`", 5, lambda: by_covariance(rows, m)
    try:
        from dask_ml.decomposition import IncrementalPCA
    except ImportError:
        return
    yield "dask-ml IncrementalPCA", 1, lambda: IncrementalPCA(m).fit(rows).components_


def by_covariance(rows, m):
    """Returns the components from the covariance matrix, which Dask adds up and the client decomposes."""
    mean, squares = da.compute(rows.mean(axis=0), rows.T @ rows)
    vectors = np.linalg.eigh(squares - len(rows) * np.outer(mean, mean))[1]
    return vectors[:, : -m - 1 : -1].T


def graph_building(counts):
    """Returns [(partitions, CPU seconds of the client)] until the tasks of a fit are ready to be sent."""
    found = []
    for count in (10, *counts):  # the first imports what Dask needs
        rows = da.random.default_rng(0).standard_normal((1_000 * count, 1_000), chunks=(1_000, 1_000))
        start = time.process_time()
        roipca.dask.fit(rows, 10, compute=False)
        found.append((count, time.process_time() - start))
    return found[1:]
