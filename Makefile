# `make demo` and `make test` are all that a fresh machine needs; `make setup` is their shared part.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: setup demo test test-all chromium coq proofs lint bench docs wheel clean

setup: $(VENV)/.setup
$(VENV)/.setup: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[train,smt,web]'
	touch $@
	@echo "ready; to have longreach on your path: source $(BIN)/activate"

$(VENV)/.dev: $(VENV)/.setup
	$(PIP) -e '.[train,smt,web,dev]'
	touch $@

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) -e '.[train,smt,web,dev,docs]'
	touch $@

# The main job: four tasks that differ, each forecast and measured within two minutes, and all in one page.
# On tomita-3 learned positions fail, and attention to the last match reaches ten times the training length.
# The report says last what was found.
demo: setup
	$(BIN)/longreach ask binary-majority --runs demo/runs
	$(BIN)/longreach ask aa --encoding nope --encoding ape --runs demo/runs
	$(BIN)/longreach ask tomita-3 --encoding ape --encoding reach --runs demo/runs
	$(BIN)/longreach ask parity --train-to 8 --runs demo/runs
	$(BIN)/longreach report --runs demo/runs --out demo/index.html

$(VENV)/.all: $(VENV)/.dev
	$(PIP) -e '.[train,smt,dev,hf,text,ray,slurm,parquet,web,browser,docs]'
	touch $@

# One thread per test process: two processes share the cores.
PYTEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# What it leaves out for want of a package or a program is named at the end; `make test-all` has it all.
test: $(VENV)/.dev
	$(PYTEST) -m "not slow"

test-all: $(VENV)/.all chromium
	$(PYTEST) --hypothesis-profile=thorough

# The report is looked at in the system's browser; nothing fetches one of its own.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { $(SUDO) apt-get update -qq && $(SUDO) apt-get install --yes --no-install-recommends chromium; } \
	|| echo "chromium is missing and cannot be installed here: tests in a browser are left out"

coq:
	@command -v coqc >/dev/null \
	|| { $(SUDO) apt-get update -qq && $(SUDO) apt-get install --yes --no-install-recommends coq; }

# The proofs of formal/, from scratch, what they rest on, and certificates checked by Coq.
proofs: $(VENV)/.dev coq
	rm -rf build/formal && mkdir -p build/formal && cp formal/*.v build/formal
	cd build/formal && for file in $$(grep '\.v$$' ../../formal/_CoqProject); do coqc -R . Longreach $$file || exit 1; done
	cd build/formal && coqc -R . Longreach Assumptions.v | diff - ../../formal/assumptions.txt
	$(PYTEST) --hypothesis-profile=thorough \
	  $(wildcard tests/theory/certificates/test_coq*.py) tests/cli/test_verify.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) -e '.[train,smt,web,dev,hf,bench]'
	touch $@

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	PYTHONPATH=. $(BIN)/zensical build --clean --strict
	$(BIN)/longreach board --board results/board --out site/board/all.html

# The wheel, installed with all extras into a fresh environment and tried where the repository is not.
wheel: $(VENV)/.dev
	rm -rf dist build/fresh
	$(PIP) build
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/fresh
	build/fresh/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	  "$$(ls dist/longreach-*.whl)[train,smt,web,hf,text,ray,slurm,parquet,docs]"
	$(BIN)/python tools/try_wheel.py build/fresh

clean:
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
