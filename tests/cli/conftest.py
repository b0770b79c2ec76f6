"""No setting of whoever runs the tests reaches them."""

import os

import pytest


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in [name for name in os.environ if name.startswith("QUESTIONS_") and name != "QUESTIONS_CI"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("QUESTIONS_CONFIG", os.devnull)
