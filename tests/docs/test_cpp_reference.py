"""The C++ reference of the site: every public name of a header is used by the example of the header."""

import html
import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.docs
REPOSITORY = Path(__file__).parents[2]
XML = REPOSITORY / "build" / "docs" / "doxygen" / "xml"
HEADERS = sorted(path.stem for path in (REPOSITORY / "include" / "roipca").glob("*.hpp") if path.stem != "roipca")

# How a program uses a name: it calls functions, reads or sets members of an object, and writes the others.
# Enumerators stand for each other: one of them shows how the enumeration is used.
USES = {
    "function": r"\b{}(?:<[^;(){{}}]*>)?\(",
    "variable": r"(?:\.|->|\b(?=k[A-Z])){}\b",
    "typedef": r"\b{}\b",
    "enum": r"\b{}\b",
    "class": r"\b{}\b",
}


def compounds():
    """Return the namespace and the classes. Those that are no part of the reference are not in the files."""
    for path in sorted(XML.glob("*roipca*.xml")):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        if compound is not None and compound.get("kind") in ("class", "struct", "namespace"):
            yield compound


def own_name(name):
    return name.split("::")[-1].split("<")[0].strip()


def is_left_out(member, class_name):
    """Tell whether a program does not name this member: constructors are used by the name of their class."""
    name = member.findtext("name", "")
    return name.startswith(("operator", "~")) or name == class_name or "delete" in member.findtext("argsstring", "")


@pytest.fixture(scope="module")
def public_names():
    """Return the pairs (how it is used, name) that each header declares, by the header."""
    names = defaultdict(set)
    for compound in compounds():
        class_name = own_name(compound.findtext("compoundname", ""))
        if compound.get("kind") != "namespace":
            names[Path(compound.find("location").get("file")).stem].add(("class", class_name))
        for member in compound.iter("memberdef"):
            assert member.get("prot") == "public"
            if not is_left_out(member, class_name):
                header = Path(member.find("location").get("file")).stem
                names[header].add((member.get("kind"), member.findtext("name", "")))
                enumerators = [value.findtext("name", "") for value in member.findall("enumvalue")]
                if enumerators:
                    names[header].add(("enum", f"(?:{'|'.join(enumerators)})"))
    return names


def code_of(path):
    """Return a source without comments and texts, in which a name would be no use of it."""
    return re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\])*\"", "", path.read_text())


def test_every_header_declares_names(public_names):
    assert sorted(public_names) == HEADERS
    assert ("function", "partial_fit") in public_names["online_pca"]
    assert ("variable", "n_components") in public_names["options"]
    assert ("enum", "Method") in public_names["options"]
    assert ("class", "Model") in public_names["model"]
    assert ("function", "error_bound") in public_names["accuracy"]


@pytest.mark.parametrize("header", HEADERS)
def test_the_example_of_a_header_uses_every_name(public_names, header):
    code = code_of(REPOSITORY / "examples" / "cpp" / "reference" / f"{header}.cpp")
    assert f"#include <roipca/{header}.hpp>" in code
    unused = [name for kind, name in sorted(public_names[header]) if not re.search(USES[kind].format(name), code)]
    assert unused == []


@pytest.mark.parametrize("header", HEADERS)
def test_the_page_of_a_header_shows_its_example(header):
    page = (REPOSITORY / "build" / "docs" / "html" / "reference" / "headers" / f"{header}.html").read_text()
    example = (REPOSITORY / "examples" / "cpp" / "reference" / f"{header}.cpp").read_text()
    assert example in html.unescape(re.sub(r"<[^>]*>", "", page))
