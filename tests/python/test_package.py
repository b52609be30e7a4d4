"""What the wheel carries beside the estimator: types, the command, the kernels."""

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import get_args

import pytest

import roipca
from roipca import _core
from roipca._parameters import METHODS
from roipca._types import Method

FILES = {Path(str(file)) for file in importlib.metadata.files("roipca") or ()}


def test_the_command_is_installed():
    command = Path(sysconfig.get_path("scripts"), "roipca")
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.strip() == roipca.__version__ == importlib.metadata.version("roipca")


def test_the_changelog_and_the_citation_are_of_this_version():
    repository = Path(__file__).parents[2]
    changes = re.search(
        r"^## \[(.*?)\] - (unreleased|\d{4}-\d\d-\d\d)$", (repository / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    cited = re.search(r"^version: (.*)$", (repository / "CITATION.cff").read_text(), re.MULTILINE)
    assert changes and cited
    assert changes[1] == cited[1] == roipca.__version__


def test_the_extension_has_a_stub():
    stub = next(file for file in FILES if file.name == "_core.pyi")
    text = Path(str(importlib.metadata.distribution("roipca").locate_file(stub))).read_text()
    for name in ("EstimatorF32", "EstimatorF64", "ModelF32", "ModelF64", "instruction_set"):
        assert hasattr(_core, name) and name in text


@pytest.mark.skipif(sys.version_info < (3, 12), reason="nanobind has the stable ABI from Python 3.12 on")
def test_the_extension_is_of_the_stable_abi():
    assert ".abi3." in Path(_core.__file__).name


def mypy(*arguments, folder):
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


def test_the_packages_own_types_are_consistent(tmp_path):
    assert "Success" in mypy("-p", "roipca", folder=tmp_path)


def test_the_types_have_all_methods():
    assert get_args(Method) == METHODS


def test_types_are_checked_where_the_package_is_used(tmp_path):
    (tmp_path / "used.py").write_text(
        "import numpy as np\n"
        "from roipca import OnlinePCA\n"
        "pca: OnlinePCA = OnlinePCA(0.9, update_every='row').partial_fit(np.eye(3)).update([1.0, 2.0, 3.0])\n"
        "scores: np.ndarray = pca.transform(np.eye(3))\n"
        "rows: int = pca.n_samples_seen_\n"
        "wrong: str = pca.score(np.eye(3))\n"
        "OnlinePCA(method='roipcca')\n"
        "OnlinePCA(oversampling='atuo')\n"
        "class Mine(OnlinePCA): ...\n"
        "mine: Mine = Mine().fit(np.eye(3)).merge(Mine().fit([[1.0, 2.0, 3.0]])).update([1.0, 2.0, 3.0])\n"
        "loaded: Mine = Mine.load('model')\n"
        "mine.mean_.astype(float).wrong\n"
        "mine.fit(object())\n"
    )
    shown = mypy("used.py", folder=tmp_path)
    assert re.findall(r"used.py:(\d+): error", shown) == ["6", "7", "8", "12", "13"], shown


def test_the_package_index_is_told_what_the_package_is():
    metadata = importlib.metadata.metadata("roipca")
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert all(url.startswith(("Paper, https://",)) for url in metadata.get_all("Project-URL"))
    description = metadata.json["description"]  # the payload is empty once Dask has imported importlib_metadata
    links = re.findall(r"\]\(([^)]+)\)", description)
    assert links and all(link.startswith("https://") for link in links)  # a relative one leads nowhere there


@pytest.mark.parametrize("isa", ["baseline", "x86-64-v2"])
def test_an_instruction_set_can_be_forced(isa):
    if "x86-64" not in roipca.instruction_set() and isa != "baseline":
        pytest.skip("this machine has no such instruction set")
    code = "import roipca; print(roipca.instruction_set())"
    environment = {**os.environ, "ROIPCA_ISA": isa}
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == isa


def test_libraries_for_files_and_clusters_are_imported_only_when_needed():
    code = (
        "import sys, sklearn.base, sklearn.utils.validation\n"
        "before = set(sys.modules)\n"
        "import roipca\n"
        "after = set(sys.modules) - before\n"
        "print([m for m in ('pyarrow', 'h5py', 'zarr', 'polars', 'tqdm', 'dask', 'pyspark') if m in after])\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("progress", [False, True])
def test_streams_are_read_without_a_bar_where_tqdm_is_missing(progress, tmp_path):
    code = (
        "import sys\n"
        "sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"
        "import numpy as np\n"
        "from roipca import OnlinePCA\n"
        "X = np.random.default_rng(0).standard_normal((100, 6))\n"
        f"shown = {{'progress': {progress}}}\n"
        "pca = OnlinePCA(2, method='roipca').fit_stream(X, passes=2, **shown).refine(X, **shown)\n"
        "OnlinePCA(2, method='roipca').fit(X, passes=2)\n"
        "print([sum(map(len, f(X, **shown))) for f in (pca.transform_stream, pca.score_stream)])\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (shown.stdout.strip(), shown.stderr) == ("[100, 100]", "")


def test_tqdm_is_not_imported_without_a_bar():
    code = (
        "import sys\n"
        "from roipca import OnlinePCA\n"
        "OnlinePCA(1).fit_stream([[[1.0, 2.0], [2.0, 1.0]]], progress=False)\n"
        "print('tqdm' in sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
