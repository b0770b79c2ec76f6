"""Folders with a configuration of channels, and the secrets that they name."""

import json

from questions.gates.config_files import add_profile, load_configuration
from tests.questions.gates.bot_api import TOKEN
from tests.questions.gates.webhook.receiver import SECRET

PROFILE = {"allowedUserIds": ["100"], "allowedChatIds": ["-200"]}
HOOK = {"recipients": ["ana", "bo"], "page": "https://questions.example/decide"}
URL = "https://notify.example/secret-in-the-path"


def private(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return path


def secret_in(folder, name="token", text=TOKEN, mode=0o600):
    """A file with a secret, outside of the folder of the configuration."""
    return str(private(folder / name, text, mode))


def configured(tmp_path, *, audiences=("operator",), name="approval", token=TOKEN, **changes):
    """A folder with one Telegram profile more."""
    file = secret_in(tmp_path, f"token-of-{name}", f"  {token}\n")
    add_profile(tmp_path / "channels", "telegram", name, {**PROFILE, **changes}, {"tokenFile": file}, audiences)
    return tmp_path / "channels"


def hooked(tmp_path, *, audiences=("operator",), name="ops", url=URL, **changes):
    """A folder with one webhook more."""
    credential = {"secretFile": secret_in(tmp_path, "secret", SECRET), "url": url}
    add_profile(tmp_path / "channels", "webhook", name, {**HOOK, **changes}, credential, audiences)
    return tmp_path / "channels"


def changed(folder, change, file="channels.json"):
    """Change what stands in a file."""
    record = json.loads((folder / file).read_text())
    change(record)
    private(folder / file, json.dumps(record))
    return folder


def loaded(folder):
    """What is configured in a folder."""
    found = load_configuration(folder)
    assert found is not None
    return found
