"""The Python reference of the site: every public name has a page, with an example and its methods."""

import functools
import inspect
from pathlib import Path

import pytest

import roipca

pytestmark = pytest.mark.docs
PAGES = Path(__file__).parents[2] / "build" / "docs" / "html" / "reference" / "generated"
MODULES = ("anndata", "dask", "plot", "river", "spark")
NAMES = [name for name in roipca.__all__ if name != "__version__"]
NAMES += [f"{module}.{name}" for module in MODULES for name in getattr(roipca, module).__all__]


def test_every_page_is_of_a_public_name():
    assert {page.stem for page in PAGES.glob("*.html")} == {f"roipca.{name}" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_name_has_an_example_and_its_methods(name):
    page = (PAGES / f"roipca.{name}.html").read_text()
    assert f'id="roipca.{name}"' in page
    assert "&gt;&gt;&gt; " in page
    value = functools.reduce(getattr, name.split("."), roipca)
    if inspect.isclass(value):
        for method, _ in inspect.getmembers(value, callable):
            owner = next(base for base in value.__mro__ if method in vars(base))
            is_own = owner.__module__.startswith("roipca") and not method.startswith("_")
            if is_own and not method.endswith("_request"):  # of scikit-learn's metadata
                assert f'id="roipca.{name}.{method}"' in page
