"""`python -m questions.gates.telegram`: the channel as a process, as a gate server starts it."""

from questions.gates.adapter_process import run_adapter

from .telegram import open_telegram

if __name__ == "__main__":
    run_adapter(open_telegram)
