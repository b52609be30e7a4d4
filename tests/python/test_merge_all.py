"""Many models merged into one, by those who have a scheduler of their own."""

import pickle
import re
import subprocess
import sys
import sysconfig
import time
import weakref
from pathlib import Path

import joblib
import numpy as np
import pytest
from oracle import batch_components, decaying_rows, state, subspace_error

from roipca import OnlinePCA, merge_all
from roipca._partitions import Recipe

GUIDE = Path(__file__).parents[2] / "docs" / "clusters.md"


def fitted(parts, *arguments, **options):
    return [OnlinePCA(*arguments, **options).partial_fit(part) for part in parts]


@pytest.mark.parametrize("count", range(1, 20))
def test_the_tree_is_of_pairs_of_neighbours(count):
    def by_levels(models):
        while len(models) > 1:
            pairs = [models[i : i + 2] for i in range(0, len(models), 2)]
            models = [pair[0] if len(pair) == 1 else pair[0].merge(pair[1]) for pair in pairs]
        return models[0]

    models = fitted(np.split(decaying_rows(12 * count, 20), count), 2, method="roipca", oversampling=1)
    assert state(merge_all(iter(models))) == state(by_levels(models))


def test_models_are_taken_as_they_come():
    alive, most = weakref.WeakSet(), 0

    def models():
        nonlocal most
        for _ in range(100):
            pca = OnlinePCA(1).partial_fit(np.eye(2))
            alive.add(pca)
            most = max(most, len(alive))
            yield pca
            del pca

    assert merge_all(models()).n_samples_seen_ == 200
    assert most <= 3  # the first, whose parameters the result has, the last and the one that comes


@pytest.mark.parametrize("method", ["roipca", "exact"])
@pytest.mark.parametrize("group", [2, 4, 16])
def test_groups_of_a_power_of_two_are_branches_of_the_same_tree(group, method):
    recipe = Recipe.of({"n_components": 2, "method": method, "oversampling": 1}, is_float32=False)
    parts = [
        recipe.fit(i, [(rows, None)]) if i % 5 else None
        for i, rows in enumerate(np.split(decaying_rows(77 * 6, 20), 77))
    ]
    groups = [recipe.merge(parts[i : i + group]) for i in range(0, len(parts), group)]
    assert recipe.merge(groups) == recipe.merge(parts)


@pytest.mark.parametrize("flag", [[], ["--float32"]])
def test_the_command_merges_to_the_same_bits(tmp_path, flag):
    command = Path(sysconfig.get_path("scripts"), "roipca")
    paths = [tmp_path / f"{i}.safetensors" for i in range(5)]
    for path, rows in zip(paths, np.split(decaying_rows(60, 20), 5), strict=True):
        np.save(tmp_path / "rows.npy", rows)
        fit = [command, "fit", "rows.npy", "-k", "2", "--method", "roipca", "--oversampling", "1", *flag, "-o", path]
        subprocess.run(fit, cwd=tmp_path, check=True, capture_output=True)
    subprocess.run([command, "merge", *paths, "-o", "all"], cwd=tmp_path, check=True, capture_output=True)
    assert state(merge_all(map(OnlinePCA.load, paths))) == state(OnlinePCA.load(tmp_path / "all"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mean_variance_and_counts_are_those_of_all_rows(rows, dtype):
    rows = rows.astype(dtype)
    pca = merge_all(fitted(np.array_split(rows, 9), 4))
    assert pca.n_samples_seen_ == len(rows) and pca.components_.dtype == dtype
    np.testing.assert_allclose(pca.mean_, rows.mean(axis=0, dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(pca.var_, rows.var(axis=0, ddof=1, dtype=np.float64), rtol=1e-5)


def test_components_are_exact_where_the_method_is(rows):
    pca = merge_all(fitted(np.array_split(rows, 40), 4))
    assert subspace_error(batch_components(rows, 4), pca.components_) < 1e-20


def test_scatter_matrices_are_added_and_decomposed_once():
    # To decompose each of the 100 parts would take about a hundred times as long as the one reading.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 400))
    parts = fitted(np.split(X, 100), 4, method="exact")
    start = time.process_time()
    pca = merge_all(parts)
    merging = time.process_time() - start
    start = time.process_time()
    variances = pca.explained_variance_
    assert merging < 20 * (time.process_time() - start)
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:4] ** 2 / 1999
    np.testing.assert_allclose(variances, expected, rtol=1e-11)
    copy = pickle.loads(pickle.dumps(pca))
    assert state(copy.partial_fit(X)) == state(pca.partial_fit(X))


def test_parts_of_fewer_rows_than_components_lose_nothing(rows):
    X = rows[:14]  # no more than are held
    pca = merge_all(fitted(np.array_split(X, 7), 4, method="roipca"))
    assert subspace_error(batch_components(X, 4), pca.components_) < 1e-18


@pytest.mark.parametrize("n_components", [0.9, None])
def test_the_number_of_components_is_decided_at_the_end(rows, n_components):
    pca = merge_all(fitted(np.array_split(rows, 8), n_components))
    whole = OnlinePCA(n_components).partial_fit(rows)
    assert pca.n_components_ == whole.n_components_
    assert pca.n_components == n_components
    np.testing.assert_allclose(pca.explained_variance_, whole.explained_variance_, rtol=1e-9, atol=1e-12)


def test_models_without_rows_are_skipped(rows):
    models = fitted(np.array_split(rows, 4), 3)
    with_holes = [OnlinePCA(3), *models, OnlinePCA(3), OnlinePCA(3)]
    assert merge_all(with_holes).n_samples_seen_ == len(rows)
    assert state(merge_all([models[0], OnlinePCA(3)])) == state(models[0])
    nothing = merge_all([OnlinePCA(3), OnlinePCA(4)])
    assert nothing.n_components == 3
    assert state(merge_all([nothing, models[0], nothing])) == state(models[0])
    with pytest.raises(ValueError, match="at least one model"):
        merge_all([])


def test_the_models_are_not_changed(rows):
    models = fitted(np.array_split(rows, 3), 3)
    before = [state(model) for model in models]
    merge_all(models).partial_fit(rows)
    merge_all(models[:1]).partial_fit(rows)
    assert [state(model) for model in models] == before


def test_joblib_gives_the_same_bits_as_a_loop(rows):
    parts = np.array_split(rows, 5)
    tasks = (joblib.delayed(OnlinePCA(3).partial_fit)(part) for part in parts)
    found = joblib.Parallel(n_jobs=2, return_as="generator")(tasks)
    assert state(merge_all(found)) == state(merge_all(fitted(parts, 3)))


def test_a_merged_model_is_pickled_as_components_and_means_alone():
    d, held = 1000, 15
    pca = OnlinePCA(5).partial_fit(decaying_rows(200, d))
    small = len(pickle.dumps(merge_all([pca])))
    assert small < (held + 3) * d * 8 + 4096  # mean, its tail and the scatter; parameters and header
    assert small < len(pickle.dumps(pca))


def test_a_merged_model_resumes_from_a_pickle_with_the_same_bits(rows):
    pca = merge_all(fitted(np.array_split(rows, 3), 3, method="roipca"))
    copy = pickle.loads(pickle.dumps(pca))
    assert state(copy) == state(pca)
    assert state(copy.partial_fit(rows)) == state(pca.partial_fit(rows))


def test_incompatible_models_are_refused(rows):
    with pytest.raises(ValueError, match="cannot merge a float32 estimator with a float64 one"):
        merge_all([OnlinePCA(3).partial_fit(rows), OnlinePCA(3).partial_fit(rows.astype(np.float32))])
    with pytest.raises(TypeError, match="merge_all takes OnlinePCA estimators, not str"):
        merge_all(["model.safetensors"])
    with pytest.raises(ValueError, match="cannot merge"):
        merge_all([OnlinePCA(3).partial_fit(rows), OnlinePCA(3).partial_fit(rows[:, :20])])


@pytest.fixture
def mpi_program(tmp_path):
    """Runs the guide's program with one rank for each array."""
    pytest.importorskip("mpi4py")
    mpiexec = Path(sysconfig.get_path("scripts"), "mpiexec")
    if not mpiexec.exists():
        pytest.skip("there is no mpiexec beside this Python")
    program = re.search(r"^```python mpi\n(.*?)^```", GUIDE.read_text(), flags=re.DOTALL | re.MULTILINE)[1]
    (tmp_path / "fit.py").write_text(program)

    def run(parts, check=True):
        for rank, part in enumerate(parts):
            np.save(tmp_path / f"rows-{rank}.npy", part)
        command = [mpiexec, "-n", str(len(parts)), sys.executable, "-m", "mpi4py", "fit.py"]
        return subprocess.run(command, cwd=tmp_path, check=check, timeout=120, capture_output=True, text=True)

    return run


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_guides_mpi_program_gives_the_bits_of_merge_all(mpi_program, ranks, tmp_path):
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((100 + 10 * rank, 40)) for rank in range(ranks)]
    mpi_program([*parts, np.empty((0, 40))])  # a rank without rows adds nothing
    expected = merge_all(fitted(parts, 10))
    loaded = OnlinePCA.load(tmp_path / "model.safetensors")
    assert loaded.components_.tobytes() == expected.components_.tobytes()


def test_the_guides_mpi_program_stops_if_a_rank_fails(mpi_program):
    rows = np.random.default_rng(0).standard_normal((100, 40))
    shown = mpi_program([rows, np.full((100, 40), np.nan)], check=False)  # only the second rank has a reason to fail
    assert shown.returncode != 0 and "contains NaN" in shown.stderr
