"""The parameters of OnlinePCA against the library's table of options."""

import inspect

import pytest

from roipca import OnlinePCA
from roipca._parameters import OPTIONS, core_parameters, estimator_parameters

IN_SIGNATURE = {name: p.default for name, p in inspect.signature(OnlinePCA).parameters.items()}
NOT_OF_PYTHON = {"amnesia"}


def test_every_option_is_a_parameter():
    assert set(estimator_parameters(dict.fromkeys(OPTIONS))) - NOT_OF_PYTHON <= set(IN_SIGNATURE)


@pytest.mark.parametrize("name", sorted(set(OPTIONS) & set(IN_SIGNATURE) - {"n_components"}))
def test_the_default_is_that_of_the_table(name):
    default = OPTIONS[name]["default"]
    assert IN_SIGNATURE[name] == default and type(IN_SIGNATURE[name]) is type(default)


def test_the_docstring_names_every_word_of_an_option():
    text = inspect.getdoc(OnlinePCA)
    for name in set(OPTIONS) & set(IN_SIGNATURE):
        described = text[text.index(f"\n{name} : ") :].partition("\n    ")[0]
        for word in set(OPTIONS[name]["words"]) - {"true", "false"}:
            assert ("None" if word == "none" else f'"{word}"') in described


def test_parameters_survive_the_way_through_the_core():
    parameters = OnlinePCA(3, mu=0.5, center=False, learning_rate="auto", n_jobs=2).get_params()
    back = estimator_parameters(core_parameters(parameters, None, 10))
    assert back == {name: value for name, value in parameters.items() if name != "whiten"}
