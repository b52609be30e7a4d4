"""Runs the code in docstrings and guides."""

import doctest
import functools
import importlib.util
import inspect
import os
import re
from pathlib import Path
from types import FunctionType

import pytest

import roipca
from roipca import (
    OnlinePCA,
    _component_counts,
    _errors,
    _merging,
    _monitor,
    _passes,
    _preparation,
    _reader,
    _score_streams,
    _scores,
    _streaming,
    online_kernel_pca,
    online_pca,
)

DOCS = Path(__file__).parents[2] / "docs"
CLASSES = [kind for kind in reversed(OnlinePCA.__mro__) if kind.__module__.startswith("roipca.")]
OURS = {name: value for kind in CLASSES for name, value in vars(kind).items()}
METHODS = [
    name for name, value in OURS.items() if isinstance(value, (FunctionType, classmethod)) and not name.startswith("_")
]


# What pages take for granted, because it is the reader's.
ROWS = "import numpy as np\nsource = np.random.default_rng(0).standard_normal((5, 100, 30))\n"
GIVEN = {
    "index.md": ROWS,
    "../README.md": ROWS
    + "import pyarrow as pa, pyarrow.parquet as pq\nx = source[0, 0]\n"
    + 'pq.write_table(pa.table({f"x{j}": source[0, :, j] for j in range(30)}), "rows.parquet")\n',
    "format.md": ROWS + 'from roipca import OnlinePCA\nOnlinePCA(3).fit(source[0]).save("model.safetensors")\n',
}
# The tests of Dask and Spark run these.
OF_CLUSTERS = {"clusters.md"}
GUIDES = {
    os.path.relpath(page, DOCS): blocks
    for page in [DOCS / "../README.md", *sorted(DOCS.rglob("*.md"))]
    if (blocks := re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE))
    and page.name not in OF_CLUSTERS
}


def test_the_guides_have_code():
    assert len(GUIDES["python.md"]) > 10 and len(GUIDES["kernel-pca.md"]) > 4 and len(GUIDES) > 10


@pytest.mark.parametrize("name, blocks", GUIDES.items(), ids=list(GUIDES))
def test_the_guide_runs(name, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    exec(GIVEN.get(name, ""), namespace)
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)


@pytest.mark.parametrize(
    "module",
    [
        online_pca,
        online_kernel_pca,
        _component_counts,
        _errors,
        _monitor,
        _passes,
        _reader,
        _score_streams,
        _scores,
        _streaming,
        _merging,
        _preparation,
    ],
    ids=lambda module: module.__name__,
)
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("name", ["MonitorReading", "instruction_set"])
def test_the_examples_of_the_compiled_module_run(name):
    text = inspect.getdoc(getattr(roipca, name))
    test = doctest.DocTestParser().get_doctest(text[text.index("Examples") :], {}, name, None, 0)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


def public_names():
    """Return the public names of the package and its modules, without those of modules that are not installed."""
    names = [name for name in roipca.__all__ if name != "__version__"]
    for module, needs in (
        ("anndata", "anndata"),
        ("dask", "dask"),
        ("plot", "matplotlib"),
        ("river", "river"),
        ("spark", "pyspark"),
    ):
        if importlib.util.find_spec(needs):
            names += [f"{module}.{name}" for name in getattr(roipca, module).__all__]
    return names


def public_methods(kind):
    """Return the methods of a class that this package defines. Those on metadata are scikit-learn's, made per class."""
    for name, _ in inspect.getmembers(kind, callable):
        owner = next(base for base in kind.__mro__ if name in vars(base))
        if owner.__module__.startswith("roipca") and not name.startswith("_") and not name.endswith("_request"):
            yield name


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_an_example(name):
    value = functools.reduce(getattr, name.split("."), roipca)
    text = inspect.getdoc(value)
    assert "Examples\n--------\n>>> " in text
    example = "\n".join(re.findall(r"^ *(?:>>>|\.\.\.) .*$", text, flags=re.MULTILINE))
    if inspect.isclass(value):
        for method in public_methods(value):
            own = "Examples\n--------\n>>> " in (inspect.getdoc(getattr(value, method)) or "")
            assert own or f".{method}(" in example, f"{method} has no example"
    else:
        assert f"{name.split('.')[-1]}(" in example


@pytest.mark.parametrize("name", METHODS)
def test_every_public_function_has_shapes_and_an_example(name):
    text = inspect.getdoc(inspect.getattr_static(OnlinePCA, name))
    assert "Examples\n--------\n>>> " in text
    parameters = list(inspect.signature(getattr(OnlinePCA, name)).parameters)
    for parameter in parameters[0 if name == "load" else 1 :]:
        assert re.search(rf"^{parameter} : ", text, flags=re.MULTILINE), f"{parameter} is not described"


def test_every_parameter_and_attribute_is_described():
    text = inspect.getdoc(OnlinePCA)
    attributes = [name for name in dir(OnlinePCA) if name.endswith("_") and not name.startswith("_")]
    for name in [
        *inspect.signature(OnlinePCA).parameters,
        *attributes,
        "n_features_in_",
        "feature_names_in_",
    ]:
        assert re.search(rf"^{name} : ", text, flags=re.MULTILINE), name
