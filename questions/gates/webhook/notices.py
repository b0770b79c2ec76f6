"""What a notice says: that something waits for a decision, with all that is shown of it; or how it ended."""

from __future__ import annotations

import hashlib
from typing import Any

from questions.gates.adapter import Ended, ended_words
from questions.gates.digests import hashed
from questions.gates.document import document
from questions.gates.instants import iso
from questions.gates.view import ChannelView
from questions.visible import visible

__all__ = ["content_digest", "ended_notice", "notice_id", "open_notice"]


def notice_id(view: ChannelView, profile: str, recipient: str, purpose: str) -> str:
    """The same for every try of the same notice, so that a receiver can leave out what it has."""
    ids = {"decisionId": view.decision_id, "requestDigest": view.request_digest}
    return "notice-" + hashed({**ids, "profile": profile, "recipient": recipient, "purpose": purpose})


def open_notice(view: ChannelView, recipient: str, link: str) -> dict[str, Any]:
    """`decision.open`: everything that any channel shows, and the link."""
    shown = document(view)
    data = {
        **_named(view, recipient),
        "summary": shown.summary,
        "document": shown.text,
        "choices": list(shown.choices),
        "expires_at": None if view.expires_at is None else iso(view.expires_at),
        "link": link,
    }
    text = f"{shown.title}\n{shown.summary}\n\nDecide: {link}\nFingerprint {shown.fingerprint}"
    return {"type": "decision.open", "text": text, "data": data}


def ended_notice(view: ChannelView, recipient: str, ended: Ended) -> dict[str, Any]:
    """`decision.settled`: how it ended, and not by whom."""
    words = ended_words(view, ended)
    data = {**_named(view, recipient), "outcome": ended.outcome, "ended": words}
    return {"type": "decision.settled", "text": f"{visible(view.title)}\n{words}", "data": data}


def content_digest(view: ChannelView) -> str:
    """By which a notice is recognised as showing this very document."""
    return "sha256:" + hashlib.sha256(document(view).text.encode()).hexdigest()


def _named(view: ChannelView, recipient: str) -> dict[str, Any]:
    return {
        "decision_id": view.decision_id,
        "request_digest": view.request_digest,
        "fingerprint": view.fingerprint,
        "to": recipient,
        "title": visible(view.title),
    }
