"""The processes of channels have no part of a store, of a database or of workflows in them."""

import subprocess
import sys

import pytest

ADAPTERS = [
    "tests.questions.gates.line_channel",
    "questions.gates.telegram.__main__",
    "questions.gates.webhook.__main__",
]
NOT_THERE = (
    "apsw",
    "sqlite3",
    "psycopg",
    "questions.durable.store",
    "questions.durable.backend",
    "questions.durable.memory",
)
OF_GATES = ("store", "stored", "opening", "server", "gate", "resuming", "channels", "channel_work", "tables", "rows")


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_imports_no_store_and_no_workflow(adapter):  # case 122
    program = f"import importlib, sys; importlib.import_module({adapter!r}); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(run.stdout.split())
    assert "questions.gates.adapter_process" in loaded
    assert not loaded & {*NOT_THERE, *(f"questions.gates.{name}" for name in OF_GATES)}
