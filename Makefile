# Two commands do everything, set-up included: `make run` and `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
TESTS ?=
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --constraints constraints.txt

.PHONY: run test test-slow coverage test-browser lint format docs verify-docker ui constraints clean help

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

run: $(VENV)/.installed  ## a small but real study: table, plots, MLflow
	$(BIN)/stackel-bench sweep study=quickstart

test: $(VENV)/.installed-dev  ## the test suite
	$(BIN)/python -m pytest -m "not browser and not slow"

test-slow: $(VENV)/.installed-dev  ## what takes long: kills, clusters, servers, installations; CI runs it too
	$(BIN)/python -m pytest -m slow

coverage: $(VENV)/.installed-dev  ## the test suite, slower, with the share of lines that it runs
	$(BIN)/python -m pytest -m "not browser and not slow" --cov --cov-report=term:skip-covered \
		--cov-report=html:htmlcov $(TESTS)

test-browser: $(VENV)/.installed-dev  ## MLflow's pages and the report in a real browser (installs Chromium if it may)
	tests/browser/install.sh
	$(BIN)/python -m pytest -m browser --numprocesses=0 tests/browser

lint: $(VENV)/.installed-dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev  ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-docs  ## the documentation, into site/, with every link checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

verify-docker: $(VENV)/.installed  ## the compose stack for real: build, sweep, lose a worker, compare
	docker/verify.sh

ui: $(VENV)/.installed  ## the results in MLflow's pages
	$(BIN)/stackel-bench ui

constraints: $(VENV)/.installed-dev  ## pin every dependency anew, for the image by hash, too
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate \
		--no-emit-index-url --all-extras --group dev --group docs pyproject.toml --output-file constraints.txt --upgrade
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate \
		--no-emit-index-url --extra cluster --extra gym --extra server --constraint constraints.txt \
		--generate-hashes pyproject.toml --output-file docker/requirements.lock

clean:  ## remove the environment and caches, keep results
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/uv
	$(UV) --editable .
	$(BIN)/python -m stackel_bench.execution.warm_up
	$(BIN)/python -m stackel_bench.tracking.mlflow_database
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(UV) --group dev
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(UV) --group docs
	@touch $@
