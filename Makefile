# `make demo` and `make test` need nothing but Python 3.11+ and make: they set up .venv themselves.
PYTHON ?= python3
BIN := .venv/bin
# Real mouse data for tests and benchmarks, where a copy lies beside the project.
export HIQL_DATA_DIR ?= $(abspath $(wildcard ../shared/data))
ifeq ($(HIQL_DATA_DIR),)
unexport HIQL_DATA_DIR
endif

.PHONY: demo test check slow bench docs dist clean

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	touch $@

# numba does not see that a kernel which a cached one calls has changed: so all are compiled anew.
.venv/kernels: .venv/installed $(wildcard src/hiql/kernels/*.py)
	rm -f src/hiql/kernels/__pycache__/*.nb[ic]
	touch $@

demo: .venv/kernels  ## simulate, choose K, fit, and write demo/report.html
	$(BIN)/hiql demo --out demo
	@echo "Your own table, on a page of this computer: $(BIN)/hiql app"

check: .venv/kernels  ## style, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A worker that dies ends the run: with one in its place the rest of its file would be waited for, for ever.
test: check  ## checks and the fast tests, a file of them at a time on each of two cores
	$(BIN)/python -m pytest -n 2 --dist loadfile --max-worker-restart 0

slow: .venv/kernels  ## scientific checks that take minutes
	$(BIN)/python -m pytest -m slow --timeout 900

.venv/bench: .venv/kernels
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	touch $@

bench: .venv/bench  ## ours against peers in one run, as ratios
	$(BIN)/python benchmarks/run.py

.venv/docs: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	touch $@

# MathJax (Apache 2): one file that draws all formulas, without fonts to fetch.
MATHJAX := mathjax@3.2.2
docs/_build/mathjax/tex-svg.js:
	mkdir -p $(@D)
	cd $(@D) && npm pack --silent $(MATHJAX) | xargs -I{} tar xzf {} --strip-components=2 package/es5/tex-svg.js
	rm -f $(@D)/*.tgz
	touch $@

docs: .venv/docs docs/_build/mathjax/tex-svg.js  ## the documentation, in docs/_build/html/index.html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

.venv/build: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt build
	touch $@

dist: .venv/build  ## wheel and source distribution in dist/, and the wheel tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python benchmarks/try_wheel.py dist

clean:
	rm -rf .venv demo dist docs/_build docs/generated
