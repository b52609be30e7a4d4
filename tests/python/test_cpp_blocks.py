"""Compiles and runs the C++ code in guides."""

import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
LIBRARY = REPOSITORY / "build" / "release" / "libroipca.a"

# What a page takes for granted: rows, a source of them, and other models.
GIVEN = """
const roipca::Index n = 200, d = 30;
std::vector<double> given(static_cast<std::size_t>(n * d));
for (std::size_t i = 0; i < given.size(); ++i) given[i] = std::sin(static_cast<double>(i * i));
roipca::Rows<double> rows(given.data(), n, d);
int calls = 0;
const auto read = [&calls](roipca::Rows<double>&) { return ++calls < 5; };
const std::vector<double> weights(static_cast<std::size_t>(n), 2.0);
const roipca::Row<double> row = rows.row(0);
roipca::OnlinePca<double> other_pca({.n_components = 10});
other_pca.fit(rows);
const roipca::Model<double> other = other_pca.model(), older = other, newer = other;
const roipca::Index features = d;
Eigen::MatrixXd column_major = Eigen::MatrixXd::Random(n, d);
"""

# In another stream than that of the blocks before.
ANEW = {
    "roipca::Refinement": "roipca::OnlinePca<double> pca({.n_components = 3});\npca.fit({numbers.data(), n, d});\n",
}

PAGES = ["README.md", "docs/cpp.md", "docs/kernel-pca.md"]


def program_of(page):
    """Return a program of the blocks of a page. Each is in the scope of the one before, whose names it may redefine."""
    blocks = re.findall(r"^```cpp\n(.*?)^```", (REPOSITORY / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    assert blocks
    includes = ["<cmath>", "<vector>", "<optional>", "<roipca/roipca.hpp>", "<roipca/eigen.hpp>"]
    includes += re.findall(r"^#include (.*)", "".join(blocks), flags=re.MULTILINE)
    text = "".join(f"#include {name}\n" for name in includes) + "int main() {\n" + GIVEN
    for block in blocks:
        text += "{\n" + "".join(code for name, code in ANEW.items() if name in block)
        text += re.sub(r"^#include .*\n", "", block, flags=re.MULTILINE)
    return text + "}\n" * len(blocks) + "}\n"


@pytest.mark.skipif(not LIBRARY.exists(), reason="needs the library that `make build` makes")
@pytest.mark.parametrize("page", PAGES)
def test_the_cpp_code_of_a_page_runs(page, tmp_path):
    (tmp_path / "page.cpp").write_text(program_of(page))
    eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], capture_output=True, text=True, check=True).stdout
    command = ["c++", "-std=c++20", "-O0", f"-I{REPOSITORY / 'include'}", *eigen.split()]
    subprocess.run([*command, "page.cpp", str(LIBRARY), "-pthread", "-o", "page"], cwd=tmp_path, check=True)
    subprocess.run(["./page"], cwd=tmp_path, check=True)
