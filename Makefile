# Every target works on a fresh checkout; the virtual environment is made when it is missing.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: run test check format lock live-test clean

run: .venv/run
	$(BIN)/python -m bot run

test: .venv/dev
	$(BIN)/python -m pytest

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/actionlint -no-color
	$(BIN)/python -m pytest --cov

format: .venv/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: .venv/dev
	$(BIN)/uv pip compile --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate pyproject.toml -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate pyproject.toml --group dev -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --group live -o requirements/live.txt

live-test: .venv/run
	$(PYTHON) -m venv .venv-live
	.venv-live/bin/python -m pip install --quiet --require-hashes -r requirements/live.txt
	$(BIN)/python -m tests.live.small_model --server-python .venv-live/bin/python

.venv/run: requirements/run.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/run.txt
	touch $@

.venv/dev: requirements/dev.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	touch $@

clean:
	rm -rf .venv .venv-live out .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
