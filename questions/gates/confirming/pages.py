"""The pages as HTML: the document that every channel shows, a form to choose with, and how it ended.

They work without a script, with a keyboard, and read aloud. Every text goes through `_safe`, and nothing of it is ever
put into an attribute that could act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import attrs

from questions.gates.choices import ChoiceTerms
from questions.gates.document import document
from questions.gates.presentation import Preformatted, Section
from questions.gates.view import ChannelView
from questions.visible import visible

__all__ = ["Filled", "asking_page", "code_page", "ended_page", "refused_page"]

_NO_CODE = (
    "The link that leads here ends with a code. If the page does not go on by itself, copy what comes after the # in "
    "the link, and paste it."
)


@attrs.frozen
class Filled:
    """A form as somebody has sent it: what they chose, their texts by choice, and what is wrong with it."""

    choice: str | None = None
    texts: Mapping[str, str] = attrs.field(factory=dict)
    faults: Sequence[str] = ()


def code_page(prefix: str) -> str:
    """What the link itself leads to: it says nothing of any request, and asks for the code."""
    return _page(
        prefix,
        "Decision",
        f"""<h1>Decision</h1>
<p>{_safe(_NO_CODE)}</p>
<form method="post" action="{prefix}" data-code autocomplete="off">
<p><label for="code">Code</label> <input type="text" id="code" name="code" required spellcheck="false"></p>
<p><button>Show the request</button></p>
</form>
<script src="{prefix}/confirm.js"></script>""",
    )


def asking_page(prefix: str, view: ChannelView, code: str, act: str, filled: Filled | None = None) -> str:
    """The document, and the form that decides. `act`: names the sending of this very form."""
    filled = filled or Filled()
    choices = "\n".join(_choice(id, terms, filled) for id, terms in view.choices.items())
    return _page(
        prefix,
        view.title,
        f"""{_faults(filled.faults)}{_document(view)}
<form method="post" action="{prefix}/answer" autocomplete="off">
<input type="hidden" name="code" value="{_safe(code)}">
<input type="hidden" name="act" value="{_safe(act)}">
<fieldset>
<legend>Choices</legend>
{choices}
</fieldset>
<p><button>Confirm</button></p>
</form>""",
    )


def ended_page(prefix: str, view: ChannelView, words: str, *, mine: bool | None = None) -> str:
    """How it ended, and below it what it was about. `mine`: whether an answer that was just sent has been counted."""
    told = {True: "Your answer was counted. ", False: "Your answer was not counted. ", None: ""}[mine]
    return _page(prefix, view.title, f'<p role="status">{_safe(told + words)}</p>\n{_document(view)}')


def refused_page(prefix: str, words: str) -> str:
    """Nothing was decided, and why; it says nothing of any request."""
    return _page(prefix, "Nothing was decided", f'<h1>Nothing was decided</h1>\n<p role="alert">{_safe(words)}</p>')


def _document(view: ChannelView) -> str:
    shown = document(view)
    blocks = [_block(block, text) for block, text in zip(view.presentation.blocks, shown.blocks, strict=True)]
    deadline = [] if shown.deadline is None else [f'<p class="block">{_safe(shown.deadline)}</p>']
    return "\n".join(
        [
            f"<h1>{_safe(shown.title)}</h1>",
            f'<p>Fingerprint <span class="fingerprint">{shown.fingerprint}</span></p>',
            f'<p class="block">{_safe(shown.summary)}</p>',
            *blocks,
            *deadline,
        ]
    )


def _block(block: object, text: str) -> str:
    if isinstance(block, Section):
        return f"<h2>{_safe(text)}</h2>"
    kind = " preformatted" if isinstance(block, Preformatted) else ""
    return f'<p class="block{kind}">{_safe(text)}</p>'


def _choice(id: str, terms: ChoiceTerms, filled: Filled) -> str:
    checked = " checked" if filled.choice == id else ""
    radio = f'<input type="radio" id="choice-{id}" name="choice" value="{id}" required{checked}>'
    label = f'<label for="choice-{id}">{_safe(visible(terms.label))}</label>'
    text = ""
    if terms.input is not None:
        given, asked = _safe(filled.texts.get(id, "")), terms.input
        size = f"With this choice: {asked.min_length:,} to {asked.max_length:,} characters"
        text = f"""
<div class="text"><label for="text-{id}">{_safe(visible(asked.prompt))}</label>
<textarea id="text-{id}" name="text-{id}" rows="4" aria-describedby="size-{id}">
{given}</textarea>
<span id="size-{id}">{size}</span></div>"""
    return f'<div class="choice">{radio}{label}{text}</div>'


def _faults(faults: Sequence[str]) -> str:
    if not faults:
        return ""
    listed = "".join(f"<li>{_safe(fault)}</li>" for fault in faults)
    return f'<div class="wrong" role="alert"><p>Nothing was decided yet.</p><ul>{listed}</ul></div>\n'


def _page(prefix: str, title: str, main: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>{_safe(visible(title))}</title>
<link rel="stylesheet" href="{prefix}/confirm.css">
</head>
<body>
<main>
{main}
</main>
</body>
</html>
"""


def _safe(text: str) -> str:
    return escape(text, quote=True)
