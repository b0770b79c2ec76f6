"""What is private is in no repr, and so in no log and in no traceback with locals."""

from questions.gates import Accepted, Attempt, Response, Source, Standing, Submission, step
from questions.gates.adapter import Launch, MessageRef, Pressed, Report, Update
from questions.gates.channel_settings import Channel, Saved
from questions.gates.outbox import Effect
from questions.gates.steps import Answer
from tests.questions.gates.cases import CONTINUE, CREATED, request

PRIVATE = ("s3cret", "424242", "-777", "m-99", "update-5")
REF = MessageRef("-777", "m-99", 0, 0, "sha256:" + "0" * 64)
MADE = request()
IDS = MADE.decision_id, MADE.request_digest
SENT = Submission(*IDS, CONTINUE, Source("line:approval", "424242", "update-5"), "line:approval:-777:update-5")
PRESSED = Pressed(*IDS, Response("continue"), "424242", "-777", "update-5", "line:approval:-777:update-5")


def test_nobody_is_named_and_no_secret_is_told():
    accepted = step(Standing(MADE), Answer(SENT), CREATED)
    assert isinstance(accepted.verdict, Accepted)
    values = [
        REF,
        Report("confirmed", (REF,)),
        Update("update-5", PRESSED),
        Effect(
            channel="line:approval",
            decision_id=IDS[0],
            request_digest=IDS[1],
            purpose="present",
            created_at=0,
            messages=(REF,),
        ),
        Launch("approval", "epoch-1", "s3cret", ("424242",), ("-777",), "update-5", b"s3cret"),
        Channel(
            id="line:approval",
            profile="approval",
            command=("true",),
            token="s3cret",
            allowed_user_ids=("424242",),
            allowed_chat_ids=("-777",),
        ),
        Saved(epoch="epoch-1", cursor="update-5", key="s3cret"),
        SENT,
        Attempt(SENT, CREATED, "accepted"),
        accepted,
    ]
    for value in values:
        assert [text for text in PRIVATE if text in repr(value)] == [], type(value).__name__
