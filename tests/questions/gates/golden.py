"""Computes tests/data/gates.json by a way of its own: a few lines of canonical JSON and hashlib, and nothing of ours.

    python -m tests.questions.gates.golden

A test compares the file with what this computes, and with what the code makes of the same requests.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "gates.json"

# How ECMAScript writes these doubles; RFC 8785 does the same.
NUMBERS = {0.1: "0.1", 1e-7: "1e-7", 1e21: "1e+21", 4.5: "4.5", 333333333.33333329: "333333333.3333333", 2.0: "2"}

CH2 = {
    "continue": {"label": "Continue"},
    "replan": {
        "label": "Replan",
        "input": {
            "kind": "text",
            "name": "instructions",
            "prompt": "What should change?",
            "minLength": 1,
            "maxLength": 4000,
        },
    },
}
PRESENTATION = "questions.decision-presentation.v1"
HUMAN = {"channel": "terminal", "actorId": "session-a", "eventId": "event-1"}
PHONE = {"channel": "telegram:approval", "actorId": "100", "eventId": "cb-1"}


def asked(run: str, subject: Any, presentation: Any, choices: Any, **more: Any) -> dict[str, Any]:
    names = {"runId": run, "workflowName": "workflow-a", "nodeId": "approve", "attemptId": "attempt-a"}
    fixed = {"schema": "questions.human-decision-request.v1", "audience": "operator", "revision": 1}
    what = {"title": "Approve plan", "subject": subject, "presentation": presentation, "choices": choices}
    return {**fixed, **names, **what, **more}


PLAIN = asked(
    "run-a",
    {"plan": "a"},
    {"schema": PRESENTATION, "summary": "Review the plan.", "blocks": []},
    CH2,
)
# Names in the order of UTF-16 (U+1F600 before U+E000), numbers as ECMAScript writes them, what needs escapes.
AUTOMATIC = asked(
    "run-b",
    {
        "\ue000": 1,
        "\U0001f600": [0.1, 1e-7, 1e21, 4.5, 333333333.33333329, 2.0],
        "10": None,
        "9": True,
        "": False,
        "größe": 9007199254740991,
        "text": 'tab\t line\n quote" back\\ bell\x07 del\x7f é e\u0301 \u2028 😀',
    },
    {
        "schema": PRESENTATION,
        "summary": "Größe ändern 😀",
        "blocks": [{"kind": "bullets", "items": ["eins", "zwei"]}],
    },
    CH2,
    title="Änderung freigeben",
    revision=3,
    expiresAt="2026-08-19T00:10:00.000Z",
    defaultResponse={"choice": "replan", "input": {"instructions": "  smaller\nsteps  "}},
)
EXPIRING = asked(
    "run-c",
    [],
    {
        "schema": PRESENTATION,
        "summary": "All kinds of blocks.",
        "blocks": [
            {"kind": "section", "title": "Café"},
            {"kind": "paragraph", "text": "one\ntwo"},
            {"kind": "fields", "items": [{"label": "Host", "value": "web-1"}, {"label": "Port", "value": "443"}]},
            {"kind": "preformatted", "text": "npm run check\n\tnpm run test:e2e"},
        ],
    },
    {"stop": {"label": "Stop"}, "continue": {"label": "Continue"}, "_x-1": {"label": "Weiter"}},
    expiresAt="2026-08-20T00:00:00.001Z",
)

ANSWERS: dict[str, list[tuple[Any, Any]]] = {
    "plain": [({"choice": "replan", "input": {"instructions": "  use B\nkeep this  "}}, PHONE)],
    "automatic": [({"choice": "continue"}, HUMAN), (AUTOMATIC["defaultResponse"], None)],
    "expiring": [({"choice": "_x-1"}, HUMAN)],
}


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return NUMBERS[value] if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def hexadecimal(text):
    return hashlib.sha256(text.encode()).hexdigest()


def digest(value):
    return "sha256:" + hexadecimal(canonical(value) + "\n")


def answered(request_digest, response, source):
    told = {"provenance": "timeout"} if source is None else {"source": source}
    sealed = {"requestDigest": request_digest, "response": response, **told}
    return {"response": response, "source": source, "answerDigest": digest(sealed)}


def vector(name, content):
    request_digest = digest(content)
    place = {key: content[key] for key in ("runId", "nodeId", "attemptId")}
    id = "decision-" + hexadecimal(canonical({**place, "requestDigest": request_digest}))[:40]
    created = {"createdAt": "2026-08-19T00:00:00.000Z"}
    digests = {"requestDigest": request_digest, "subjectDigest": digest(content["subject"])}
    digests["presentationDigest"] = digest(content["presentation"])
    return {
        "name": name,
        "record": {**content, **created, "decisionId": id, **digests},
        "digested": canonical(content),
        "subject": canonical(content["subject"]),
        "presentation": canonical(content["presentation"]),
        "attemptId": hexadecimal(canonical({"decisionId": id, "idempotencyKey": "event-a"}))[:40],
        "answers": [answered(request_digest, *answer) for answer in ANSWERS[name]],
    }


def vectors():
    named = {"plain": PLAIN, "automatic": AUTOMATIC, "expiring": EXPIRING}
    return [vector(name, content) for name, content in named.items()]


if __name__ == "__main__":
    DATA.write_text(json.dumps(vectors(), indent=1) + "\n", encoding="utf-8")
