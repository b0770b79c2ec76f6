"""Frames as a peer writes and reads them: plain JSON, with nothing of the code that is tested."""

import json


def frame(type, **fields):
    """A message as it is sent."""
    return json.dumps({"type": type, **fields})


def read(frames):
    """Messages as they come."""
    return [json.loads(one) for one in frames]


def said(session):
    """What a session has to say now."""
    return read(session.take_out())
