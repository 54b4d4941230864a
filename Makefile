# Two commands do everything on a machine with Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The versions of constraints.txt with their digests: LOCKED=1 installs nothing else.
LOCK := .ci/locked.txt
DEMO := $(VENV)/.demo
PEERS := .venv-peers
PAGE := tools/web
MINUTES ?= 60
MATCHES ?= 2000
TURN ?= 1/1
# Half of the tests wait for other programs, so there is one worker more than cores; an idle worker takes tests of another.
PYTEST := $(BIN)/python -m pytest -n "$$(($$(getconf _NPROCESSORS_ONLN) + 1))" --dist worksteal --durations 10

SIMULATE := PYTHONPATH=tests/simulation $(BIN)/python -m palio_simulation

.PHONY: help install demo demo-once test test-all test-deep simulate mutate check audit lock types docs format bench bench-quick bench-cluster soak chaos clean
.DEFAULT_GOAL := help

help:  ## show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11) and f"Palio needs Python 3.11 or newer, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=python3.13 ...")

$(DEMO): pyproject.toml constraints.txt
	@$(PYTHON) -c '$(NEW_ENOUGH)'
	@echo "installing Palio into $(VENV) (30 packages; half a minute, the first time only)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@$(BIN)/python -m compileall -q palio rules clients server db  # or the first command would do it
	@touch $@

$(STAMP): pyproject.toml constraints.txt $(wildcard $(LOCK))
	@$(PYTHON) -c '$(NEW_ENOUGH)'
	@echo "installing what tests and checks need into $(VENV) (190 packages, 1.7 GB; some minutes, the first time only)"
	@$(PYTHON) -m venv --clear $(VENV)
ifdef LOCKED
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
else
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
endif
	@$(BIN)/python -m compileall -q palio rules clients server db  # or the first command would do it
	@touch $@ $(DEMO)

install: $(STAMP)  ## set up .venv with pinned dependencies

demo: $(DEMO)  ## bots play each other, the page is at http://127.0.0.1:8000; Ctrl-C ends
	$(BIN)/palio demo

demo-once: $(DEMO)  ## the same, ending by itself
	$(BIN)/palio demo --once

test: $(STAMP)  ## run the quick tests (some eight minutes on two cores)
	$(PYTEST) -m "not slow"

test-all: $(STAMP)  ## run all tests, with as many examples as it takes (an hour on two cores)
	$(PYTEST) --hypothesis-profile=full

test-deep: $(STAMP)  ## of the tests that `make test` leaves out or has with few examples, a part: TURN=2/3
	$(PYTEST) --hypothesis-profile=full --turn $(TURN)

simulate: $(STAMP)  ## simulated disasters, SEEDS=1..10000 or a thousand from a random seed on (a minute)
	$(SIMULATE) $(if $(SEEDS),--seeds $(SEEDS))

check: $(STAMP) $(PAGE)/node_modules/.installed  ## lint, types, import arrows, how large the house is, links of the docs; the page's modules, too (needs Node.js)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	npm --prefix $(PAGE) run --silent lint
	npm --prefix $(PAGE) run --silent types
	$(BIN)/python tools/house.py
	$(BIN)/python tools/plain_words.py
	$(BIN)/python -m tools.site.build

$(PAGE)/node_modules/.installed: $(PAGE)/package.json $(PAGE)/package-lock.json
	@npm --version >/dev/null 2>&1 && node -e 'const [major, minor] = process.versions.node.split("."); process.exitCode = Number(major < 20 || (major == 20 && minor < 19))' \
	  || { echo "make check looks at the page's modules, too: install Node.js 20.19 or newer, with npm"; exit 1; }
	npm --prefix $(PAGE) ci --silent
	@touch $@

mutate: $(STAMP)  ## change the code in small ways and count which changes the tests notice, COUNT=20 a room, SEED=0 (an hour)
	$(BIN)/python tools/mutate.py $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(ROOM),--room $(ROOM))

audit: $(STAMP)  ## ask whether dependencies have known vulnerabilities
	$(BIN)/python tools/audit_dependencies.py

lock: $(STAMP)  ## write the digests of all packages anew, after constraints.txt has changed
	$(BIN)/uv pip compile --quiet pyproject.toml --extra dev --constraint constraints.txt --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --output-file $(LOCK)

types: $(STAMP)  ## write the page's wire types anew, from the structs
	$(BIN)/python $(PAGE)/wire_types.py

docs: $(STAMP)  ## build the documentation into site/, which palio serve shows at /guide/; broken links are errors
	$(BIN)/python -m tools.site.build

format: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

bench: $(STAMP) $(PEERS)  ## measure everything, beside its peers; one table of all goals at the end (an hour at most, and MINUTES=60 in which the page is left open)
	$(BIN)/python benchmarks/run_all.py --peers $(PEERS)/bin/python --minutes $(MINUTES)

bench-quick: $(STAMP)  ## the same at smaller sizes, the peers' figures quoted (ten minutes)
	$(BIN)/python benchmarks/run_all.py --quick

bench-cluster: $(STAMP)  ## games on a Dask cluster: what each costs whom, and a worker killed every second (some minutes)
	$(BIN)/python benchmarks/bench_cluster.py

$(PEERS): benchmarks/peers.txt
	$(PYTHON) -m venv --clear $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

soak: $(STAMP)  ## two hundred bots, some of which misbehave, for MINUTES=60; ends with 1 if anything grows or is lost
	nice -n 10 $(BIN)/python benchmarks/soak.py --minutes $(MINUTES) --csv soak.csv $(if $(SVG),--svg $(SVG))

chaos: $(STAMP)  ## gateways and referees on hosts of their own, while everything fails, MATCHES=2000 or SWISS=11 (Linux, as root)
	$(BIN)/python benchmarks/chaos $(if $(SWISS),--swiss $(SWISS),--matches $(MATCHES)) --verbose $(if $(SEED),--seed $(SEED))

clean:  ## remove what was made
	rm -rf $(VENV) $(PEERS) $(PAGE)/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .site site
