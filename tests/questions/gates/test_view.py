"""What channels see: all but the subject, and the same document everywhere."""

import json

import pytest

from questions.gates import (
    Bullets,
    Choices,
    ChoiceTerms,
    Field,
    Fields,
    GivenText,
    IncompatibleState,
    InvalidRecord,
    Paragraph,
    Presentation,
    PresentationAltered,
    Response,
    Section,
    TextInput,
    TimeoutPolicy,
    document,
    read_view,
    view_of,
)
from questions.gates.instants import iso
from tests.questions.gates.cases import AUTOMATIC, DEADLINE, faults_of, request

BLOCKS = [Section("What"), Bullets(["Show readable text."]), Fields([Field("Host", "web-1")]), Paragraph("a\nb")]


def shown(**changes):
    return view_of(request(presentation=Presentation("Review.", BLOCKS), **changes))


def sent(**fields):
    return {**shown(timeout=AUTOMATIC).as_json(), **fields}


def test_a_view_has_no_subject():  # case 34
    view = shown().as_json()
    assert not {"subject", "subjectDigest", "body"} & view.keys()
    assert '"plan"' not in json.dumps(view)
    assert "Show readable text." in document(shown()).text


def test_a_view_is_everything_else():
    asked, view = request(timeout=AUTOMATIC), view_of(request(timeout=AUTOMATIC))
    kept = {name: value for name, value in asked.as_json().items() if name not in ("subject", "subjectDigest")}
    ours = {"schema": "questions.human-decision-channel-request.v1", "sourceSchema": asked.as_json()["schema"]}
    assert view.as_json() == kept | ours
    assert read_view(json.loads(json.dumps(view.as_json()))) == view
    assert view.fingerprint == asked.fingerprint == asked.presentation_digest[7:19]


@pytest.mark.parametrize("name", ["subject", "subjectDigest", "body"])
def test_a_view_that_carries_a_subject_is_refused(name):  # case 118
    with pytest.raises(InvalidRecord) as error:
        read_view(sent(**{name: {"plan": "a"}}))
    assert faults_of(error) == [f"$.{name}: not known"]


def test_a_view_is_checked_where_it_arrives():
    with pytest.raises(IncompatibleState):
        read_view(sent(schema="questions.human-decision-request.v1"))
    with pytest.raises(InvalidRecord, match=r"\$\.sourceSchema: must be .*\$\.requestDigest"):
        read_view(sent(sourceSchema="x", requestDigest="y"))
    with pytest.raises(PresentationAltered):
        read_view(sent(presentation=Presentation("Harmless.").as_json()))


def test_the_document_has_one_order():
    assert document(shown(timeout=AUTOMATIC)).parts == (
        "Approve plan",
        "Review.",
        "What",
        "• Show readable text.",
        "Host: web-1",
        "a\nb",
        "Automatic at 2026-08-19T00:10:00.000Z, unless somebody chooses before: Continue",
        "Choices\n• Continue\n• Replan: What should change?",
    )


def test_the_text_begins_with_the_fingerprint():
    drawn = document(shown())
    assert drawn.text == "\n\n".join((f"Fingerprint {shown().fingerprint}", *drawn.parts))


def test_only_a_deadline_with_a_default_is_automatic():
    assert document(shown()).deadline is None
    expiring = document(shown(expires_at=iso(DEADLINE))).deadline
    assert expiring == "Open until 2026-08-19T00:10:00.000Z. If nobody chooses before, nothing is chosen."


def test_a_text_that_is_chosen_automatically_is_shown():
    response = Response("replan", GivenText("instructions", "smaller\u202e\nsteps"))
    assert document(shown(timeout=TimeoutPolicy(600_000, response))).deadline == (
        "Automatic at 2026-08-19T00:10:00.000Z, unless somebody chooses before: "
        "Replan with this text:\nsmaller\\u202e\nsteps"
    )


def test_what_is_not_seen_is_shown_as_an_escape_and_digested_raw():  # R59
    hidden = "a\u200bb\U000e0100"
    choices = Choices({"go": ChoiceTerms(hidden, TextInput("why", hidden))})
    blocks = [Paragraph(hidden), Section(hidden), Bullets([hidden]), Fields([Field(hidden, hidden)])]
    view = view_of(request(title=hidden, presentation=Presentation(hidden, blocks), choices=choices))
    assert document(view).text.count("a\\u200bb\\U000e0100") == 9
    assert "\u200b" not in document(view).text
    assert view.fingerprint != view_of(request(presentation=Presentation("ab"))).fingerprint


def test_nothing_of_the_subject_is_shown():  # case 87
    subject = {"privateMachineField": "not-for-display"}
    text = document(view_of(request(subject=subject, presentation=Presentation("Apply the safe change.")))).text
    assert "Apply the safe change." in text
    assert "What should change?" in text
    assert not [word for word in ("privateMachineField", "not-for-display", '{"') if word in text]
