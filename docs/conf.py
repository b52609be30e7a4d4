"""The site: Markdown pages, the Python and C++ references, the commands' help, and a gallery that the build runs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

import roipca

HERE = Path(__file__).parent
# `make docs` builds from a copy in build/docs/source, so that generated pages stay out of the sources.
REPOSITORY = next(folder for folder in HERE.parents if (folder / "CMakeLists.txt").exists())

project = "roipca"
author = "The roipca authors"
project_copyright = "the roipca authors"
version = release = roipca.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "breathe",
]
default_role = "code"  # `name` in the texts of the gallery
exclude_patterns = ["pypi.md", "requirements.txt"]
templates_path = ["templates"]

html_theme = "furo"
html_title = "roipca"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say more
napoleon_google_docstring = False
napoleon_use_rtype = False

breathe_projects = {"roipca": str(HERE.parent / "doxygen" / "xml")}
breathe_default_project = "roipca"
breathe_default_members = ("members",)

sphinx_gallery_conf = {
    "examples_dirs": str(REPOSITORY / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/[a-z]",
    "ignore_pattern": r"/_",
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "min_reported_time": 1000,
    "write_computation_times": False,  # a page that would load scripts from elsewhere
    "copyfile_regex": r"",
}
# Every header reopens the namespace; a type in a docstring may name one of several classes.
suppress_warnings = ["config.cache", "duplicate_declaration.cpp", "ref.python"]


def write_commands(folder: Path) -> None:
    """Write a page with the help of each command, as the program prints it."""

    def help_of(*words: str) -> str:
        return subprocess.run(["roipca", *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()

    commands = re.findall(r"^  ([a-z]+)  ", help_of(), flags=re.MULTILINE)
    parts = ["# Commands and options\n", "What `roipca --help` and `roipca COMMAND --help` print.", "", "```text"]
    parts += [help_of(), "```", ""]
    for command in commands:
        parts += [f"## roipca {command}", "", "```text", help_of(command), "```", ""]
    (folder / "commands.md").write_text("\n".join(parts))


write_commands(HERE / "reference")


def join_lines(folder: Path) -> None:
    """Join the lines of a text that Doxygen left apart, of which Breathe would make paragraphs."""
    for file in folder.glob("*.xml"):
        # Every second piece is code, whose lines stay.
        pieces = re.split(r"(?s)(<verbatim>.*?</verbatim>|<preformatted>.*?</preformatted>)", file.read_text())
        pieces[::2] = [re.sub(r"(?<=[^>\s])\n(?=[^<\s])", " ", piece) for piece in pieces[::2]]
        file.write_text("".join(pieces))


join_lines(HERE.parent / "doxygen" / "xml")


def write_headers(folder: Path) -> None:
    """Write a page per public header: what it is for, an example that uses every name, and its comments."""
    folder.mkdir(exist_ok=True)
    for header in sorted((REPOSITORY / "include" / "roipca").glob("*.hpp")):
        if header.name == "roipca.hpp":
            continue  # includes the others
        example = REPOSITORY / "examples" / "cpp" / "reference" / f"{header.stem}.cpp"
        parts = [header.name, "=" * len(header.name), ""]
        parts += ["Example", "-------", "", f".. literalinclude:: {os.path.relpath(example, folder)}"]
        parts += ["   :language: cpp", "", "Names", "-----", "", f".. doxygenfile:: {header.name}", ""]
        (folder / f"{header.stem}.rst").write_text("\n".join(parts))


write_headers(HERE / "reference" / "headers")


def describe_header_first(app, doctree) -> None:
    """Move the text about a header, which Breathe puts before the names, above the example."""
    if app.env.docname.startswith("reference/headers/"):
        page = next(doctree.findall(nodes.section))
        _, example, names = page.children
        while not isinstance(names[1], addnodes.index):
            page.insert(page.index(example), names.pop(1))


def keep_numbers_whole(app, doctree) -> None:
    """Mark short cells of tables, such as "10.2 us", and short code, such as `--resume`, which a page would break."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) <= 12:
            cell["classes"].append("short")
    for code in doctree.findall(nodes.literal):
        if len(code.astext()) <= 20:
            code["classes"].append("short")


def leave_out_compiled_modules(app) -> list:
    """Take modules without Python source out of the list of sources, which would link to pages that do not exist."""
    modules = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, entry in modules.items() if not entry]:
        del modules[name]
    return []


def break_long_titles(app, page, template, context, doctree) -> None:
    """Let a narrow page break the names in titles, such as roipca.OnlinePCA.partial_fit, after a dot or underscore."""

    def with_breaks(title: re.Match) -> str:
        pieces = re.split(r"(<[^>]*>)", title[2])
        pieces[::2] = [re.sub(r"(?<=\w)([._]+)(?=\w)(?!hpp)", r"\1<wbr/>", piece) for piece in pieces[::2]]
        return title[1] + "".join(pieces) + title[3]

    if "body" in context:
        context["body"] = re.sub(r'(?s)(<h[1-3]>)(.*?)(<a class="headerlink")', with_breaks, context["body"])


def as_rst(line: str) -> str:
    """Return a line of a docstring, which is plain text with `code`, as reStructuredText."""
    begin = re.match(r"\s*[\w*, ]+ : |", line)
    assert begin is not None
    text = line[begin.end() :]
    text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)
    # components_ would be a link to a target of that name, and |x| a substitution.
    pieces = re.split(r"(``[^`]+``)", text)
    pieces[::2] = [re.sub(r"(\w)_(?!\w)", r"\1\_", piece).replace("|", r"\|") for piece in pieces[::2]]
    return line[: begin.end()] + "".join(pieces)


def convert_docstring(app, what, name, obj, options, lines) -> None:  # noqa: D103
    # Functions of the compiled module begin with their signature, which stands above the text already.
    if lines and re.fullmatch(rf"{re.escape(name.split('.')[-1])}\(.*\)( -> .+)?", lines[0]):
        del lines[0]
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[i] = as_rst(line)


def setup(app) -> None:  # noqa: D103
    app.connect("autodoc-process-docstring", convert_docstring, priority=400)
    app.connect("doctree-read", describe_header_first)
    app.connect("doctree-read", keep_numbers_whole)
    app.connect("html-collect-pages", leave_out_compiled_modules, priority=400)
    app.connect("html-page-context", break_long_titles)
