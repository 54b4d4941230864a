# Two commands do everything on a machine with Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := .venv-peers
# A file of tests stays on one core: a browser and an event loop do not share a process well.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile

.PHONY: help install demo demo-once test test-all check format bench bench-quick clean
.DEFAULT_GOAL := help

help:  ## show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Palio needs Python 3.11 or newer, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=python3.13 ...")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(STAMP)  ## set up .venv with pinned dependencies

demo: $(STAMP)  ## bots play each other, the page is at http://127.0.0.1:8000; Ctrl-C ends
	$(BIN)/palio demo

demo-once: $(STAMP)  ## the same, ending by itself
	$(BIN)/palio demo --once

test: $(STAMP)  ## run the tests (a few minutes)
	$(PYTEST) -m "not slow"

test-all: $(STAMP)  ## run the tests, the slow ones included
	$(PYTEST)

check: $(STAMP)  ## lint, types and import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(STAMP)  ## put the code into its house style
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

bench: $(STAMP) $(PEERS)  ## measure everything, beside its peers; one table of all goals at the end (an hour at most)
	$(BIN)/python benchmarks/run_all.py --peers $(PEERS)/bin/python

bench-quick: $(STAMP)  ## the same at smaller sizes, the peers' figures quoted (five minutes)
	$(BIN)/python benchmarks/run_all.py --quick

$(PEERS): benchmarks/peers.txt
	$(PYTHON) -m venv --clear $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean:  ## remove what was made
	rm -rf $(VENV) $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
