"""The process of a webhook channel."""

from questions.gates.adapter_process import run_adapter

from .webhook import open_webhook

__all__: list[str] = []

if __name__ == "__main__":
    run_adapter(open_webhook)
