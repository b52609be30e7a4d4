"""The report as a browser shows it. Left out where there is no Chromium."""

import json
import re

import browser
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="no Chromium here")

HOSTILE = [
    "<script>document.title = 'run'</script>",
    "</script><script>document.title = 'run'</script>",
    '"><img src=http://example.com/a.png onerror="document.title = 1">',
    "left\u202eright\u200f\u2066",
    "שלום",
    "x" * 10_000,
    "escape \x1b[31m\x07 and\ttab",
    "it's & co",
]


@pytest.fixture
def view(roipca, tmp_path):
    """Writes a report with options and opens it."""
    pages = []

    def view(*options, **how):
        roipca("report", *options, "-o", f"page{len(pages)}.html")
        page = browser.Page(tmp_path / f"page{len(pages)}.html", tmp_path / f"profile{len(pages)}", **how)
        pages.append(page)
        return page

    yield view
    for page in pages:
        page.__exit__()
        assert page.messages == []
        assert [url for url in page.requests if not url.startswith("file:")] == []


@pytest.fixture
def model(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")


@pytest.fixture
def hostile(roipca, tmp_path, rows):
    lines = [",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE)]
    lines += [",".join(map(repr, row)) for row in rows[:, : len(HOSTILE)].tolist()]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    roipca("fit", "a.csv", "-k", 3, "-o", "hostile")


def tooltip(page):
    return page.run("document.querySelector('#tooltip').hidden ? null : document.querySelector('#tooltip').innerText")


def overflow(page):
    return page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize(
    "options, drawn",
    [
        (["--loadings", "bars"], "document.querySelectorAll('.loading').length == 3 * 20"),
        (["--loadings", "lines"], "document.querySelectorAll('.loadings svg .line').length == 3"),
        (["--image", "5x8"], "document.querySelectorAll('.loadings canvas').length == 3"),
    ],
)
def test_every_plot_is_drawn_and_fits_a_phone(model, view, options, drawn):
    page = view("m", "a.npy", *options, width=360, height=700)
    assert page.run(drawn)
    assert page.run("['variance', 'cumulative', 'scores'].every((id) => document.querySelector(`#${id} svg path`))")
    assert overflow(page) == 0
    # Text in plots has the same size on a phone: it is not scaled with the plot.
    assert page.run("document.querySelector('#scores text').getBoundingClientRect().height") > 10


def test_pointing_at_a_plot_shows_numbers(model, view, rows):
    page = view("m", "a.npy", "--loadings", "bars")
    variances = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
    assert tooltip(page) is None
    page.point_at("#variance svg", 0.95, 0.5)
    title, variance, share, total = tooltip(page).split("\n")
    assert title == "Component 3"
    assert float(variance.removeprefix("variance ")) == pytest.approx(variances[2], rel=1e-3)
    assert float(share.removeprefix("share ").removesuffix("\u00a0%")) == pytest.approx(
        100 * variances[2] / variances.sum(), rel=1e-2
    )
    assert float(total.removeprefix("first 3: ").removesuffix("\u00a0%")) == pytest.approx(
        100 * variances[:3].sum() / variances.sum(), rel=1e-2
    )
    page.point_at("h1")
    assert tooltip(page) is None


def test_arrow_keys_go_through_the_points_of_a_plot(model, view):
    page = view("m")
    page.run("document.querySelector('#cumulative svg').focus()")
    for _ in range(2):
        page.send("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    assert tooltip(page).startswith("Component 2\n")


def test_pointing_at_a_row_shows_its_scores(model, view, rows):
    page = view("m", "a.npy")
    centred = rows - rows.mean(axis=0)
    _, _, components = np.linalg.svd(centred, full_matrices=False)
    scores = np.abs(centred @ components[:2].T)
    # In steps over the plot, until the pointer is near a point.
    shown = set()
    for x in np.linspace(0.2, 0.8, 7):
        page.point_at("#scores svg", x)
        text = tooltip(page)
        if text is None:
            continue
        title, *values = text.replace("\u2212", "-").split("\n")
        row = int(title.removeprefix("Row "))
        shown.add(row)
        for j, value in enumerate(values):
            name, number = value.split(": ")
            assert name == f"component {j + 1}"
            assert abs(float(number)) == pytest.approx(scores[row, j], rel=1e-3)
    assert len(shown) > 3


def test_pointing_at_a_pixel_shows_its_loading(model, view, rows):
    page = view("m", "--image", "5x8")
    _, _, components = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    page.point_at(".loadings canvas", 2.5 / 8, 3.5 / 5)
    title, value = tooltip(page).replace("\u2212", "-").split("\n")
    assert title == "Pixel in row 4, column 3"
    # The page has five digits of the largest loading.
    assert abs(float(value)) == pytest.approx(abs(components[0, 3 * 8 + 2]), abs=1e-4)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_ticks_are_round_numbers_with_equal_steps(roipca, tmp_path, rows, view, scale):
    np.save(tmp_path / "a.npy", rows * scale)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    page = view("m", "a.npy", "--loadings", "lines")
    for plot in ("#variance", "#cumulative", "#scores", ".loadings"):
        texts = page.run(
            f"[...document.querySelector('{plot} svg').querySelectorAll('text[text-anchor=end]')]"
            ".map((text) => text.textContent)"
        )
        numbers = [as_number(text) for text in texts]
        ticks = np.array([number for number in numbers if number is not None])
        steps = np.diff(ticks)
        assert len(ticks) >= 3, texts
        np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
        mantissa = steps[0] / 10 ** np.floor(np.log10(steps[0]) + 1e-9)
        assert np.min(np.abs(mantissa - np.array([1, 2, 5]))) < 1e-9, texts


def as_number(text):
    """The number of a tick; nothing for the title of an axis."""
    superscripts = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    text = text.replace("\u2212", "-").replace(",", "").removesuffix("\u00a0%")
    match = re.fullmatch(r"(-?[\d.]+)(?:\u00d710([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", text)
    if match is None:
        return None
    return float(match[1] + "e" + (match[2] or "0").translate(superscripts))


def test_a_logarithmic_scale_has_powers_of_ten(model, view):
    page = view("m")
    page.run("document.querySelector('#log').click()")
    texts = page.run("[...document.querySelectorAll('#variance svg text[text-anchor=end]')].map((t) => t.textContent)")
    exponents = np.log10([float(text.replace(",", "")) for text in texts if text != "component"])
    np.testing.assert_allclose(exponents, np.round(exponents), atol=1e-12)


def test_names_are_text_and_stay_in_their_place(hostile, view):
    page = view("hostile", "--title", HOSTILE[0] + HOSTILE[3] + HOSTILE[5], width=360, height=700)
    assert page.run("document.title").startswith("<script>document")
    assert page.run("document.images.length") == 0
    names = page.run("[...document.querySelectorAll('.loadings:first-child .name')].map((e) => e.textContent)")
    assert names[:3] == HOSTILE[:3] and names[4] == HOSTILE[4] and names[7] == HOSTILE[7]
    assert names[3] == "left<U+202E>right<U+200F><U+2066>"
    assert names[5] == "x" * 200 + "…"
    assert names[6] == "escape <U+001B>[31m<U+0007> and tab"
    # Name, bar and number from left to right, whatever the direction of the name, and inside of the card.
    edges = page.run(
        "[...document.querySelectorAll('.loading')].map((row) => [...row.children].map((e) => {"
        "const b = e.getBoundingClientRect(); return [b.left, b.right]; }))"
    )
    edges = np.array(edges).reshape(len(edges), 6)
    assert np.all(np.diff(edges, axis=1) >= 0) and edges.min() >= 0 and edges.max() <= 360
    assert overflow(page) == 0
    page.point_at(".loading:nth-child(6) .name")
    assert tooltip(page).startswith("xxx")
    assert overflow(page) == 0
    box = page.run("document.querySelector('#tooltip').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0 and box["right"] <= 360


@pytest.mark.parametrize("rows", [np.ones((10, 3)), np.ones((1, 40)), np.array([[1.0], [2.0]])])
def test_models_without_much_to_draw_have_a_page(roipca, tmp_path, view, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 1, "-o", "m")
    page = view("m", "a.npy")
    page.run("document.querySelector('#log').click()")
    assert page.run("document.querySelectorAll('#scores svg, #variance svg, #cumulative svg').length") == 3
    assert "NaN" not in page.run("document.body.outerHTML.replace(/<script[^]*<.script>/g, '')")


def luminance(colour):
    """Relative luminance as in WCAG 2."""
    channels = np.array([int(part) for part in re.findall(r"\d+", colour)[:3]]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_light_and_dark_have_enough_contrast(model, view):
    page = view("m", "a.npy")
    backgrounds = []
    for dark in (False, True):
        page.emulate(dark=dark)
        page.settle()
        colour = "getComputedStyle(document.querySelector('{}')).{}".format
        behind = luminance(page.run(colour("figure", "backgroundColor")))
        backgrounds.append(behind)
        for selector, part in (("body", "color"), ("svg text", "fill"), ("figcaption span", "color")):
            front = luminance(page.run(colour(selector, part)))
            ratio = (max(front, behind) + 0.05) / (min(front, behind) + 0.05)
            assert ratio >= 4.5, (dark, selector)  # WCAG AA
    assert backgrounds[0] > 0.8 and backgrounds[1] < 0.1


def test_print_is_light_in_a_dark_scheme(model, view):
    page = view("m", dark=True)
    page.emulate(dark=True, media="print")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("options", [["--loadings", "bars"], ["--image", "5x8"]])
def test_print_leaves_no_heading_alone_and_cuts_no_plot(model, view, options):
    page = view("m", "a.npy", *options, width=720)
    page.emulate(media="print")
    # Columns break as pages do, and the browser says where everything is.
    broken = []
    for height in range(600, 1100, 20):
        page.run(
            f"Object.assign(document.querySelector('main').style, {{columns: '720px', columnFill: 'auto', "
            f"height: '{height}px', width: '720px', columnGap: '0'}})"
        )
        page.settle()
        broken += page.run(
            "(() => { const column = (x) => Math.floor((x + 1) / 720);"
            "const columns = (e) => [...e.getClientRects()].map((b) => column(b.left));"
            "const alone = [...document.querySelectorAll('h2')].filter((h) => {"
            "  const next = h.parentElement.querySelector('figure') ?? h.nextElementSibling;"
            "  return columns(h)[0] !== columns(next)[0]; });"
            "const cut = [...document.querySelectorAll('figure')].filter((f) => f.getClientRects().length > 1);"
            "return [...alone, ...cut].map((e) => e.textContent.slice(0, 30)); })()"
        )
    assert broken == []


def test_the_policy_stops_a_script_that_is_not_the_pages_own(model, roipca, tmp_path):
    roipca("report", "m", "-o", "page.html")
    page = tmp_path / "page.html"
    page.write_text(page.read_text().replace("<main>", "<main><script>document.title = 'run'</script>"))
    with browser.Page(page, tmp_path / "profile") as shown:
        assert shown.run("document.title") == "m"
        assert any("Content Security Policy" in json.loads(m)["entry"]["text"] for m in shown.messages)
