"""The site: Markdown pages, the Python and C++ references, the commands' help, and a gallery that the build runs."""

from __future__ import annotations

import functools
import inspect
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
html_search_scorer = str(HERE / "scorer.js")
html_copy_source = False
html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3


def members_of(name: str) -> tuple[list[str], list[str]]:
    """Return the methods of a class that its page shows, and the properties that its docstring does not describe.

    Of the methods that a library adds to every class, only those are shown that this package's own examples use.
    """
    kind = functools.reduce(getattr, name.split(".")[1:], roipca)
    text = inspect.getdoc(kind) or ""
    methods, properties = [], []
    for member, value in inspect.getmembers(kind):
        owner = next(base for base in kind.__mro__ if member in vars(base))
        is_own = owner.__module__.startswith("roipca") and not member.endswith("_request")  # scikit-learn's, per class
        if member.startswith("_") or not (is_own or f".{member}(" in text):
            continue
        if callable(value):
            methods.append(member)
        elif inspect.isdatadescriptor(value) and not re.search(rf"^{member} : ", text, flags=re.MULTILINE):
            properties.append(member)
    return methods, properties


autosummary_generate = True
autosummary_context = {"members_of": members_of}
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


def draw_first_picture(folder: Path) -> None:
    """Draw the picture of the first page from the numbers on the page of performance."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    text = (folder / "performance.md").read_text()
    table = text[text.index("## Time against features") :]
    lines = [line.strip("| ").split(" | ") for line in re.findall(r"^\| .*", table, flags=re.MULTILINE)]
    heads = lines[0]
    rows = [[float(cell.replace(",", "")) for cell in line] for line in lines[1:5]]
    figure, axis = pyplot.subplots(figsize=(3.6, 3.1), layout="constrained")
    lines_drawn = (("IncrementalPCA", "#777777", 2), ("roipca", "#0a58ca", 2), ("one projection", "#999999", 0))
    for name, colour, at in lines_drawn:
        times = [row[heads.index(name)] for row in rows]
        axis.loglog([row[0] for row in rows], times, "o-", color=colour, markersize=4)
        place = {"xytext": (-6, 3), "ha": "right"} if at else {"xytext": (10, -4), "ha": "left"}  # beside the line
        axis.annotate(name, (rows[at][0], times[at]), textcoords="offset points", color=colour, **place)
    axis.set_title("microseconds per row, 10 components", fontsize=10)
    axis.set_xlabel("features")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "first-page.svg")
    pyplot.close(figure)


draw_first_picture(HERE)


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
