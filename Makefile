# Everything a checkout is asked to do. Each target first makes .venv fit pyproject.toml
# (.ci/environment), so a fresh clone needs nothing but make and Python 3.11 or later.
PYTHON_IN_VENV := .venv/bin/python
SECONDS := 60
ROUNDS := 200
# Many tests wait for sockets and processes, so more of them than there are cores run at once.
WORKERS := 4
# Some machines ask for no bytecode. Then each of the many processes of the tests would compile every file anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help environment demo test fuzz soak coverage mutants lint format docs bench

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

environment: ## make .venv, or bring it up to date
	@sh .ci/environment dev

demo: environment ## an agent's tool calls, asked of people; ARGS="--auto --json" and the like
	@.venv/bin/questions demo $(ARGS)

test: environment ## the whole suite; ARGS="-k words" and the like, WORKERS=0 for one at a time
	@$(PYTHON_IN_VENV) -m pytest --numprocesses $(WORKERS) --dist loadfile $(ARGS)

fuzz: environment ## random programs for SECONDS=60, or one round of a SEED=n
	@$(PYTHON_IN_VENV) tests/fuzz.py "$(SECONDS)" "$(SEED)" $(ARGS)

soak: environment ## kill, crowd and disturb durable decisions: SECONDS=60 a test, ROUNDS=200 kills at each step
	@$(PYTHON_IN_VENV) tests/soak.py "$(SECONDS)" "$(ROUNDS)" $(ARGS)

coverage: environment ## what the tests cover of each module, and its own tests alone
	@$(PYTHON_IN_VENV) tests/own_coverage.py $(ARGS)

mutants: ## change the judging modules in small ways and see whether a test notices; takes minutes
	@sh .ci/environment dev mutation
	@nice $(PYTHON_IN_VENV) tests/mutants.py

lint: environment ## ruff and mypy, both strict
	@$(PYTHON_IN_VENV) -m ruff check
	@$(PYTHON_IN_VENV) -m ruff format --check
	@$(PYTHON_IN_VENV) -m mypy

format: environment ## let ruff lay out the code and sort the imports
	@$(PYTHON_IN_VENV) -m ruff check --fix --select I
	@$(PYTHON_IN_VENV) -m ruff format

docs: environment ## write the pages that are read out of the code: reference, states, the tables of wire
	@$(PYTHON_IN_VENV) docs/make_reference.py
	@$(PYTHON_IN_VENV) -m docs.make_wire
	@$(PYTHON_IN_VENV) -m docs.make_command_line

bench: ## measure against the budgets, in one process, on the wire and counting votes; ARGS="--write" writes benchmarks/RESULTS.md
	@sh .ci/environment dev bench
	@$(PYTHON_IN_VENV) -m benchmarks.core $(ARGS)
	@$(PYTHON_IN_VENV) -m benchmarks.wire $(ARGS)
	@$(PYTHON_IN_VENV) -m benchmarks.durable $(ARGS)
	@$(PYTHON_IN_VENV) -m benchmarks.rooms $(ARGS)
