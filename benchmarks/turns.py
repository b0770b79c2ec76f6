"""Askers that are let go together and watchers that are waited for, the same for every side."""

import trio


class Turns:
    """Askers park here between two questions and are let go all in one step."""

    def __init__(self) -> None:
        self.waiting = 0
        self._go = trio.Event()

    async def wait(self) -> None:
        """Park until the next turn."""
        self.waiting += 1
        await self._go.wait()

    async def go(self, askers: int) -> None:
        """Let them all go, once `askers` of them are parked."""
        while self.waiting < askers:
            await trio.lowlevel.checkpoint()
        self.waiting = 0
        go, self._go = self._go, trio.Event()
        go.set()


class Crowd:
    """Counts the watchers whose picture has not reached the expected number of questions yet."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._expected = 0
        self._behind = 0
        self._caught_up = trio.Event()

    def expect(self, open_questions: int) -> None:
        """Begin to wait until every watcher sees this many open questions."""
        self._expected = open_questions
        self._behind = self.size
        self._caught_up = trio.Event()

    def sees(self, open_questions: int) -> None:
        """A watcher reports what its picture holds after it has taken something in."""
        if open_questions == self._expected:
            self._behind -= 1
            if not self._behind:
                self._caught_up.set()

    async def caught_up(self) -> None:
        """Wait for the last watcher."""
        await self._caught_up.wait()
