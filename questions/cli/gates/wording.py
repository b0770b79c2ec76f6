"""How requests of gates are told to people: a line each, and below it the document that every channel shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from questions.cli.lines import line_of
from questions.gates.document import document
from questions.gates.endings import ending
from questions.gates.instants import iso
from questions.gates.receipt import receipt_of
from questions.gates.resolution import AcceptedDecision
from questions.gates.steps import Standing
from questions.gates.view import view_of

__all__ = ["described", "flat", "summary"]


def summary(standing: Standing) -> str:
    """Id, state, audience, fingerprint, deadline, automatic action, title, summary and choices, or the end, in a line.

    There are two spaces in between. What others have written cannot break out of the line, nor hide in it.
    """
    return line_of("  ".join(_fields(standing)))


def described(standing: Standing) -> Iterator[str]:
    """The line, and more of them, set in: where it was asked, the whole document, and how it has ended."""
    yield summary(standing)
    request = standing.request
    place = f"run {request.run_id}, workflow {request.workflow_name}, node {request.node_id}"
    yield f"  {line_of(f'asked at {iso(request.created_at)} by {place}, attempt {request.attempt_id}')}"
    for part in document(view_of(request)).parts:
        yield ""
        yield from (f"  {line_of(line)}" for line in part.split("\n"))
    if standing.resolution is not None:
        yield from ("", f"  {line_of(ending(request, standing.resolution))}")


def flat(standing: Standing) -> dict[str, Any]:
    """For JSON: what channels get of a request, and how it has ended. Neither the subject nor who has answered."""
    request, resolution = standing.request, standing.resolution
    told = {**view_of(request).as_json(), "fingerprint": request.fingerprint, "state": standing.state.value}
    if isinstance(resolution, AcceptedDecision):
        return told | {"receipt": receipt_of(request, resolution).as_json()}
    return told if resolution is None else told | {"cancellation": resolution.as_json()}


def _fields(standing: Standing) -> Iterator[str]:
    request = standing.request
    yield from (request.decision_id, standing.state.value)
    yield from (f"audience={request.audience}", f"fingerprint={request.fingerprint}")
    if request.expires_at is not None:
        yield f"deadline={iso(request.expires_at)}"
    if request.default_response is not None:
        yield f"automatic={request.choices[request.default_response.choice].label}"
    yield from (request.title, request.presentation.summary)
    if standing.resolution is None:
        yield f"[{', '.join(f'{id}={terms.label}' for id, terms in request.choices.items())}]"
    else:
        yield ending(request, standing.resolution)
