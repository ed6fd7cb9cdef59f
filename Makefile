# `make demo` and `make test` are all that a fresh machine needs; `make setup` is their shared part.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: setup demo test test-all lint bench docs clean

setup: $(VENV)/.setup
$(VENV)/.setup: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[train,smt]'
	touch $@

$(VENV)/.dev: $(VENV)/.setup
	$(PIP) -e '.[train,smt,dev]'
	touch $@

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) -e '.[train,smt,dev,docs]'
	touch $@

demo: setup
	$(BIN)/python examples/demo.py --out demo

# One thread per test process: two processes share the cores.
test: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# With what `make test` leaves out where it is missing: the report in Debian's Chromium.
test-all:
	command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  { $(SUDO) apt-get update && $(SUDO) apt-get install --yes --no-install-recommends chromium; }
	$(MAKE) test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	$(BIN)/zensical build --clean

clean:
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
