# Needs Python 3.11+ and make; everything else goes into .venv, from the hashed locks.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST_ARGS ?=
BENCH_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# --no-deps: the locks are complete, and django-htmx is there for one file only, without Django.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-deps
# Without build isolation, so that the build's own requirements come from a lock too.
INSTALL_PROJECT := $(PIP) --no-build-isolation --editable .
# A file of tests stays with one worker, which then makes its servers and fixtures once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=10
GENERATED := tutor/web/static/vendor/htmx.min.js
CATALOGS := $(wildcard translations/*/LC_MESSAGES/*.po)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header $(if $(UPGRADE),--upgrade)

# A spelling dictionary and its Debian package per language.
DICTIONARIES := from tutor.book.words import LANGUAGE_TABLE as table; \
	print(*(f'{one.dictionary}:{one.package}' for one in table.values()))

# $(call APT,names): install Debian packages as root or by passwordless sudo, or fail.
APT = { \
	if ! command -v apt-get >/dev/null; then as_root=false; \
	elif [ "$$(id -u)" = 0 ]; then as_root=env; \
	elif sudo -n true 2>/dev/null; then as_root='sudo -n env'; \
	else as_root=false; fi; \
	[ "$$as_root" = false ] || { echo 'installing from Debian:' $(1); $$as_root apt-get update -qq; }; \
	$$as_root DEBIAN_FRONTEND=noninteractive apt-get install -yqq $(1) >/dev/null; }

.DEFAULT_GOAL := help
.PHONY: help run dev test test-all test-again test-fast soak golden mutants lint format lock bench clean test-tools
.NOTPARALLEL:

help:  ## list these targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; \
		do printf '  make %-9s %s\n' "$$name" "$$text"; done

run: $(VENV)/.run $(GENERATED)  ## set up what is missing and serve on http://127.0.0.1:8000 (HOST=, PORT=)
	$(BIN)/tutor serve --host $(HOST) --port $(PORT)

dev: $(VENV)/.dev $(GENERATED)  ## serve to an author: changes are seen when saved, problems on their pages (PORT=)
	$(BIN)/tutor dev --port $(PORT)

test: $(VENV)/.dev $(GENERATED) test-tools  ## run the tests but for the slow ones (PYTEST_ARGS="-k name")
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: $(VENV)/.dev $(GENERATED) test-tools  ## check the content and run all tests, as CI does
	$(PYTEST) $(PYTEST_ARGS)

test-again:
	@echo 'THESE FAILED, and run once more by themselves. One that passes now fails once in a while: find out why.'
	$(BIN)/python -m pytest -v --last-failed --last-failed-no-failures none

test-fast: $(VENV)/.dev $(GENERATED)  ## run the tests that need neither a browser nor patience
	$(PYTEST) -m "not browser and not patient and not slow" $(PYTEST_ARGS)

soak: $(VENV)/.dev $(GENERATED)  ## thousands of random games, 100,000 requests and more (TUTOR_SOAK=70)
	TUTOR_SOAK=$(or $(TUTOR_SOAK),70) $(BIN)/python -m pytest -n auto \
		tests/games/test_border.py tests/games/test_blockers.py tests/games/test_confini.py tests/referee/test_referee.py \
		tests/rules/test_contract.py tests/web/test_fuzz.py tests/search/test_search.py tests/web/test_budgets.py

golden: $(VENV)/.dev  ## tell the golden games anew, when a change of the rules is meant
	$(BIN)/python -m tests.games.golden

mutants: $(VENV)/.dev  ## break the engines on purpose and count what their tests notice (GAME=border, MUTANTS=100)
	$(BIN)/python -m tests.mutants $(GAME)

lint: $(VENV)/.dev  ## ruff, mypy, djlint, bandit and a check of the scripts; changes nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict tutor benchmarks tests
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive tutor benchmarks
	$(BIN)/python -m tests.web.js.lint

format: $(VENV)/.dev  ## let ruff sort imports, repair what it can and format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# The run-time and build locks are cut out of the dev lock, so that all three agree on every version.
lock: $(VENV)/.dev  ## write the lock files anew (UPGRADE=1 takes newer versions)
	$(LOCK) pyproject.toml --extra dev --group build --output-file requirements-dev.lock
	$(LOCK) pyproject.toml --constraints requirements-dev.lock --output-file requirements.lock
	$(LOCK) --group build --constraints requirements-dev.lock --output-file requirements-build.lock
	@if grep -n '://' requirements*.lock; then echo 'a lock names an address: do not commit it' >&2; exit 1; fi

bench: $(VENV)/.dev $(GENERATED)  ## measure engines and pages (BENCH_ARGS="live", "search")
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

clean:  ## remove .venv, caches and everything generated
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results screenshots
	rm -rf tutor/web/static/vendor
	find translations -name '*.mo' -delete 2>/dev/null || true
	find tutor tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Debian keeps ensurepip, without which venv makes no pip, in a package of its own.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name it with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(call APT,python3-venv) || \
		{ echo "Python's venv module is incomplete; as root: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements.lock requirements-build.lock pyproject.toml hatch_build.py
	$(PIP) --require-hashes -r requirements.lock -r requirements-build.lock
	$(INSTALL_PROJECT)
	@touch $@

# The dev lock holds the other two, so this serves `make run` as well.
$(VENV)/.dev: $(VENV)/.made requirements-dev.lock pyproject.toml hatch_build.py
	$(PIP) --require-hashes -r requirements-dev.lock
	$(INSTALL_PROJECT)
	@touch $(VENV)/.run $@

# Installing the project makes these too; this keeps them fresh when a translation changes.
$(GENERATED): hatch_build.py $(CATALOGS)
	$(BIN)/python hatch_build.py

# Tests that need one of these say so themselves; a missing tool does not stop the others. The headless shell
# is Chromium without windows, twice as fast; not every system has it.
# Debian may start the Redis that it installs, on its usual port; the tests start their own on others.
test-tools:
	@missing=''; \
	command -v chromium-headless-shell >/dev/null || $(call APT,chromium-headless-shell) 2>/dev/null || \
		command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v hunspell >/dev/null || missing="$$missing hunspell"; \
	command -v redis-server >/dev/null || missing="$$missing redis-server"; \
	for pair in $$($(BIN)/python -c "$(DICTIONARIES)"); do \
		[ -e "/usr/share/hunspell/$${pair%%:*}.dic" ] || missing="$$missing $${pair##*:}"; \
	done; \
	[ -z "$$missing" ] || $(call APT,$$missing) || { \
		echo "MISSING for some tests (browser, spelling, live tables):$$missing"; \
		echo "  on Debian or Ubuntu, as root: apt-get install$$missing"; } >&2
