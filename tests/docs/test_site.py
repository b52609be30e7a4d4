"""The site that `make docs` builds, as a browser shows it."""

import re
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import browser
import pytest

pytestmark = pytest.mark.docs
READY = "new Promise((done) => document.readyState === 'complete' ? done() : (onload = done))"
SITE = Path(__file__).parents[2] / "build" / "docs" / "html"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Returns a browser at the first page."""
    with browser.Page(SITE / "index.html", tmp_path_factory.mktemp("profile")) as page:
        yield page


def go(page, address):
    page.send("Page.navigate", url=f"{SITE.as_uri()}/{address}")
    page.run(READY)
    page.settle()


WAIT = """new Promise((done, fail) => {
    const end = Date.now() + 20000;
    const look = () => {
        const links = [...document.querySelectorAll('#search-results li a')].map((a) => a.getAttribute('href'));
        const summary = document.querySelector('#search-results .search-summary')?.textContent ?? '';
        if (summary.startsWith('Search finished')) done(links);
        else if (Date.now() > end) fail('no end of the search: ' + summary);
        else setTimeout(look, 100);
    };
    look();
})"""


@pytest.mark.parametrize(
    "words, target",
    [
        ("larger than memory", "guides/larger-than-memory.html"),
        ("IncrementalPCA", "moving/incremental-pca.html"),
        ("alarm", "guides/sensors.html"),
        ("limits and alarms", "monitoring.html"),
        ("missing values", "missing.html"),
        ("merge", "python.html"),
        ("error bound", "accuracy.html"),
        ("concept drift", "changing-streams.html"),
        ("sample weights", "python.html"),
    ],
)
def test_a_search_finds_the_guide(page, words, target):
    go(page, f"search.html?q={words.replace(' ', '+')}")
    links = page.run(WAIT)
    assert any(link.startswith(target) for link in links[:5]), links[:5]


@pytest.mark.parametrize(
    "words, title",
    [("missing values", "Missing values"), ("alarm", "Sensors: units, gaps, limits and alarms")],
)
def test_a_reader_who_types_words_and_takes_the_first_result_is_on_the_right_page(page, words, title):
    go(page, "index.html")
    page.run("document.querySelector('input.sidebar-search').focus()")
    page.send("Input.insertText", text=words)
    page.run("window.isOld = true")
    page.send("Input.dispatchKeyEvent", type="keyDown", key="Enter", windowsVirtualKeyCode=13, text="\r")
    deadline = time.monotonic() + 20
    while page.run("window.isOld"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    page.run(READY)
    page.run(WAIT)
    page.run("(window.isOld = true, document.querySelector('#search-results li a').click())")
    while page.run("window.isOld"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    page.run(READY)
    assert page.run("document.querySelector('h1').textContent").rstrip("¶#") == title


def test_the_first_screen_says_what_is_better_and_when_not_to_use_it(page):
    page.resize(1280, 800)
    try:
        go(page, "index.html")
        ends = page.run(
            "[...document.querySelectorAll('article h2, article img, article li, #use-it')].map((element) =>"
            " [element.tagName + ' ' + element.innerText, element.getBoundingClientRect().bottom])"
        )
        heads = [text.partition(" ")[2] for text, _ in ends if text.startswith("H2")]
        assert heads[:3] == ["What it does better", "When not to use it", "Use it"]
        first = ends[: next(i for i, (text, _) in enumerate(ends) if "Use it" in text)]
        assert sum(text.startswith("IMG") for text, _ in first) == 1
        assert sum(text.startswith("LI") for text, _ in first) == 6
        assert max(bottom for _, bottom in first) < 800
    finally:
        page.resize(1200, 900)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(page, width, dark):
    page.resize(width, 800)
    page.emulate(dark=dark)
    try:
        wide = []
        for name in PAGES:
            go(page, name)
            if page.run("document.scrollingElement.scrollWidth > innerWidth"):
                wide.append(name)
        assert wide == []
    finally:
        page.resize(1200, 900)
        page.emulate(dark=False)


def test_every_link_within_the_site_leads_to_a_page():
    links = [
        (name, link) for name in PAGES for link in re.findall(r'<a [^>]*href="([^"#?]+)', (SITE / name).read_text())
    ]
    within = [(name, link) for name, link in links if ":" not in link]
    assert [(name, link) for name, link in within if not (SITE / name).parent.joinpath(unquote(link)).exists()] == []


def test_links_to_other_sites_are_written_as_addresses():
    """Whether they lead somewhere is checked by `make linkcheck`, which needs a network."""
    links = {link for name in PAGES for link in re.findall(r'<a [^>]*href="([^"#]+)', (SITE / name).read_text())}
    others = {link for link in links if ":" in link}
    assert "https://arxiv.org/abs/1911.11049" in others
    wrong = []
    for link in others:
        parts = urlsplit(link)
        is_address = parts.scheme == "https" and re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", parts.netloc)
        if not is_address or re.search(r"[\s`)>,]|//|\.$", parts.path):
            wrong.append(link)
    assert wrong == []


def test_long_names_in_titles_break_after_dots_and_underscores():
    page = (SITE / "reference" / "generated" / "roipca.dask.inverse_transform.html").read_text()
    assert "<h1>roipca.<wbr/>dask.<wbr/>inverse_<wbr/>transform<" in page


def test_every_picture_of_the_gallery_appears(page):
    examples = [name for name in PAGES if name.startswith("gallery/") and name.count("/") == 1]
    examples = [name for name in examples if not name.endswith("index.html")]
    assert len(examples) >= 10
    for name in examples:
        go(page, name)
        pictures = page.run("[...document.querySelectorAll('article img')].map((i) => i.naturalWidth)")
        assert pictures and min(pictures) > 0, name


def test_nothing_is_requested_from_elsewhere(page):
    for name in ("index.html", "gallery/index.html", "reference/cpp.html"):
        go(page, name)
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
