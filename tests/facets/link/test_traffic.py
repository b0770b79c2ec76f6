"""What is refused is counted by codes of which there are only so many."""

from facets import Forbidden, GoingAway, RemoteError
from facets.link import LinkLimits
from facets.link.session import ServingSession
from facets.link.traffic import Traffic


def test_refusals_are_counted_by_the_code_of_their_class():
    traffic = Traffic()
    for error in (Forbidden("a"), Forbidden("b"), GoingAway(), KeyError("secret")):
        traffic.refuse(error)
    assert traffic.refused == {"forbidden": 2, "going_away": 1, "internal_error": 1}


def test_what_another_process_calls_its_errors_makes_no_codes():
    traffic = Traffic()
    for number in range(1_000):
        traffic.refuse(RemoteError(f"code_{number}", "words", None))
    assert traffic.refused == {"remote_error": 1_000}


def test_a_session_counts_each_refusal_and_one_goodbye():
    traffic = Traffic()
    session = ServingSession(LinkLimits(), 0.0, traffic=traffic)
    session.open_as_dialled()
    session.receive("{", 0.0)
    session.receive('{"type": "release", "object": 3}', 0.0)
    session.leave(GoingAway())
    session.leave(GoingAway())
    assert traffic.refused == {"invalid_message": 1, "unknown_object": 1, "going_away": 1}
    assert len(session.take_out()) == 3
