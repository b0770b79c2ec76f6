"""A room as tests drive it: people by their names, one act a line, time in seconds."""

import attrs

from questions.rooms.acts import Abstaining, Choosing, Closing, Issuing, Proposing, StartingToChoose, act
from questions.rooms.admission import Joining, join
from questions.rooms.discussion import Discussing
from questions.rooms.founding import Founding, found
from questions.rooms.invites import Inviting
from questions.rooms.opening import Asking
from questions.rooms.room_log import LogEntry
from questions.rooms.room_value import GroupRoom, catch_up

URL = "https://broker.example/r/quietfern7"
NOW = 1_790_000_000_000
MINUTE = 60_000
AT_ONCE = {"early_close": True, "settle_window": 0}


@attrs.define
class Life:
    """A room, what was logged of it, and its clock."""

    room: GroupRoom
    log: list[LogEntry]
    now: int = NOW

    def take(self, change):
        self.room = change.room
        self.log += change.log
        return change

    def do(self, by, doing):
        return self.take(act(self.room, by, doing, self.now))

    def pass_(self, seconds):
        self.now += int(seconds * 1000)
        return self.take(catch_up(self.room, self.now))

    def join(self, *names, **how):
        for who in names:
            change, _ = join(self.room, joining(who, **how), self.now)
            self.take(change)
        return self

    def ask(self, *options, by="ana", **how):
        how = {"decision_id": f"decision-{len(self.room.decisions) + 1}", "question": "Ship it?", **how}
        self.do(by, Asking(options=options, **how))
        return self.room.decisions[-1]

    def choose(self, by, choice, **how):
        self.do(by, Choosing(choice=choice, **how))
        return self

    def abstain(self, by, reason="no view", **how):
        self.do(by, Abstaining(reason=reason, **how))
        return self

    def propose(self, by, option, **how):
        self.do(by, Proposing(option=option, **how))
        return self

    def start(self, by="ana", **how):
        return self.do(by, StartingToChoose(**how))

    def say(self, by, body="hello", **how):
        return self.do(by, Discussing(message_id=f"m{len(self.log)}", body=body, **how))

    def invite(self, label, by="ana", **how):
        self.do(by, Issuing(id=f"i-{label}", token_digest=f"it-{label}", inviting=Inviting(label=label, **how)))
        return self

    def close(self, by="ana", **how):
        return self.do(by, Closing(**how))

    @property
    def decision(self):
        return self.room.decisions[-1]

    @property
    def sealed(self):
        return self.decision.sealed

    @property
    def logged(self):
        return [entry.event_type for entry in self.log]


def joining(who, **how):
    return Joining(**{"participant_id": who, "token_digest": f"t-{who}", "name": who, **how})


def founding(**how):
    usual = {"room_id": "room-1", "slug": "quietfern7", "url": URL, "participant_id": "ana", "token_digest": "t-ana"}
    return Founding(**{**usual, "display_name": "ana", **how})


def life(*others, password=None, about=None, **config):
    """A room that ana has made, which others have joined."""
    change = found(founding(config=config, password=password, about=about), NOW)
    return Life(change.room, [*change.log]).join(*others)


def voted(*choices, options=("ship", "wait"), config=None, **asking):
    """A room of as many people as there are choices, where each was made in turn; None is silence."""
    names = [f"p{number}" for number in range(len(choices))]
    room = life(*names, creator_votes=False, **(config or {}))
    room.ask(*options, **asking)
    for name, choice in zip(names, choices, strict=True):
        if choice is not None and room.decision.is_open:
            room.choose(name, choice)
    return room
