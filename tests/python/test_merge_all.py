"""Many models merged into one, by those who have a scheduler of their own."""

import pickle
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import joblib
import numpy as np
import pytest
from oracle import batch_components, decaying_rows, state, subspace_error

from roipca import OnlinePCA, merge_all
from roipca._merging import merge_tree

GUIDE = Path(__file__).parents[2] / "docs" / "clusters.md"


def fitted(parts, *arguments, **options):
    return [OnlinePCA(*arguments, **options).partial_fit(part) for part in parts]


@pytest.mark.parametrize("count", range(1, 20))
def test_the_tree_is_of_pairs_of_neighbours(count):
    def by_levels(parts):
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [pair[0] if len(pair) == 1 else f"({pair[0]}{pair[1]})" for pair in pairs]
        return parts[0]

    parts = [f"{i}," for i in range(count)]
    assert merge_tree(iter(parts), lambda a, b: f"({a}{b})") == by_levels(parts)


def test_the_tree_holds_few_models_at_a_time():
    alive, most = 0, 0

    def parts():
        nonlocal alive, most
        for _ in range(1000):
            alive += 1
            most = max(most, alive)
            yield 1

    def merge(a, b):
        nonlocal alive
        alive -= 1
        return a + b

    assert merge_tree(parts(), merge) == 1000
    assert most <= 11  # log2 of 1000 and the one that comes


@pytest.mark.parametrize("group", [2, 4, 16])
def test_groups_of_a_power_of_two_are_branches_of_the_same_tree(group):
    parts = [f"{i}," if i % 5 else None for i in range(77)]

    def merge(a, b):
        return f"({a}{b})"

    groups = [merge_tree(parts[i : i + group], merge) for i in range(0, len(parts), group)]
    assert merge_tree(groups, merge) == merge_tree(parts, merge)


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
    for none in ([], [OnlinePCA(3)]):
        with pytest.raises(ValueError, match="None of the models"):
            merge_all(none)


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
    with pytest.raises(ValueError, match="cannot be merged"):
        merge_all([OnlinePCA(3).partial_fit(rows), OnlinePCA(3).partial_fit(rows[:, :20])])


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_guides_mpi_program_gives_the_bits_of_merge_all(ranks, tmp_path):
    pytest.importorskip("mpi4py")
    mpiexec = Path(sysconfig.get_path("scripts"), "mpiexec")
    if not mpiexec.exists():
        pytest.skip("there is no mpiexec beside this Python")
    program = re.search(r"^```python mpi\n(.*?)^```", GUIDE.read_text(), flags=re.DOTALL | re.MULTILINE)[1]
    (tmp_path / "fit.py").write_text(program)
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal((100 + 10 * rank, 40)) for rank in range(ranks)]
    for rank, part in enumerate(parts):
        np.save(tmp_path / f"rows-{rank}.npy", part)
    command = [mpiexec, "-n", str(ranks), sys.executable, "fit.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    expected = merge_all(fitted(parts, 10))
    loaded = OnlinePCA.load(tmp_path / "model.safetensors")
    assert loaded.components_.tobytes() == expected.components_.tobytes()
