# `make` alone explains itself. Everything runs in .venv, which is made from the lock file when it changed.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.DEFAULT_GOAL := help
.PHONY: help setup run test check fix bench lock

help: ## Show what can be done
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1|/' | awk -F'|' '{printf "  make %-7s %s\n", $$1, $$2}'

setup: $(READY) ## Make the virtual environment from requirements.lock

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	@touch $(READY)

run: $(READY) ## Run the platform with demo data on the embedded parts; Ctrl-C stops it
	@$(BIN)/python -m config.stack

test: $(READY) ## Run all tests on embedded parts of their own
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered
	$(BIN)/coverage report --include='toolroster/semver/*' --fail-under=100

check: $(READY) ## Check style, types, layers, templates, spelling and migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --check --lint --quiet
	$(BIN)/codespell
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

fix: $(READY) ## Mend what the tools can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint templates --reformat --quiet || true

bench: $(READY) ## Measure, as ratios in one run
	$(BIN)/python -m bench

lock: $(READY) ## Compile requirements.lock from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --extra server --group dev --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --no-header --upgrade --quiet --output-file requirements.lock
