"""How far a bot's updates were dealt with, and which prompts may be replied to: one text for the server to keep."""

from __future__ import annotations

import re

import attrs

__all__ = ["MOST_PROMPTS", "Cursor", "Prompt"]

MOST_PROMPTS = 50  # so that the text stays within the 4,000 code points of a cursor
_FORM = re.compile(r"[0-9]{1,18}(;-?[0-9]+/[0-9]+/[\w:-]+)*", re.ASCII)


@attrs.frozen
class Prompt:
    """A message that asks for a text: exactly that one has to be replied to. `code`: that of the button pressed."""

    chat_id: str
    message_id: str
    code: str


@attrs.frozen
class Cursor:
    """Where a bot's updates go on. Immutable; `text` is what is stored, such as `6` or `6;-200/17/qg:...`.

    The prompts stand in it, since both are to change in one step: a press that was dealt with has its prompt.
    """

    offset: int = 0
    """The first update that was not dealt with. 0: wherever Telegram begins."""
    prompts: tuple[Prompt, ...] = ()

    @classmethod
    def read(cls, text: str) -> Cursor:
        """The cursor that was stored. What is none begins again, which is safe: an answer counts once."""
        if not _FORM.fullmatch(text):
            return cls()
        offset, *prompts = text.split(";")
        return cls(int(offset), tuple(Prompt(*prompt.split("/")) for prompt in prompts))

    @property
    def text(self) -> str:
        """As it is stored."""
        return ";".join((str(self.offset), *(f"{one.chat_id}/{one.message_id}/{one.code}" for one in self.prompts)))

    def after(self, update_id: int, prompt: Prompt | None = None) -> Cursor:
        """When an update was dealt with, and has led to a prompt or not. It never goes back; old prompts go first."""
        prompts = self.prompts if prompt is None else (*self.prompts, prompt)[-MOST_PROMPTS:]
        return Cursor(max(self.offset, update_id + 1), prompts)

    def without(self, gone: frozenset[Prompt]) -> Cursor:
        """Without these prompts."""
        return attrs.evolve(self, prompts=tuple(one for one in self.prompts if one not in gone))

    def prompt(self, chat_id: str, message_id: str) -> Prompt | None:
        """The prompt that this message is."""
        return next((one for one in self.prompts if (one.chat_id, one.message_id) == (chat_id, message_id)), None)
