"""What a Telegram channel is launched with: every fault, and no secret."""

import pytest

from questions.gates.telegram.errors import InvalidTelegram
from questions.gates.telegram.profile import check_launch
from tests.questions.gates.bot_api import TOKEN
from tests.questions.gates.telegram.stage import launch

URL = "https://api.telegram.org"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"profile": "bad/name"}, "$.profile"),
        ({"token": ""}, "$.token"),
        ({"token": f"{TOKEN}/../x"}, "$.token"),
        ({"key": b"short"}, "$.key"),
        ({"allowed_user_ids": ()}, "$.allowedUserIds"),
        ({"allowed_chat_ids": ("-200", "bad")}, "$.allowedChatIds[1]"),
        ({"allowed_chat_ids": ("-0",)}, "$.allowedChatIds[0]"),
        ({"options": {"base_uri": URL}}, "$.options.base_uri"),
        ({"options": {"base_url": "http://example.org"}}, "$.options.base_url"),
        ({"options": {"base_url": "https://me:secret@example.org"}}, "$.options.base_url"),
        ({"options": {"base_url": "https://[x"}}, "$.options.base_url"),
    ],
)
def test_what_cannot_be_is_refused_with_its_path(changes, path):  # case 86
    with pytest.raises(InvalidTelegram) as error:
        check_launch(launch(URL, **changes))
    assert [fault.split(":")[0] for fault in error.value.faults] == [path]
    assert not [secret for secret in (TOKEN, "secret") if secret in str(error.value)]


def test_all_faults_are_told_at_once():
    with pytest.raises(InvalidTelegram) as error:
        check_launch(launch(URL, profile="bad/name", token="", allowed_user_ids=(), allowed_chat_ids=("bad",)))
    assert len(error.value.faults) == 4


@pytest.mark.parametrize("url", [URL, "http://127.0.0.1:8081", "http://localhost", "https://example.org/bots"])
def test_the_token_goes_over_tls_or_to_this_machine(url):
    check_launch(launch(url))
