"""The frames that the documents show, and holding frames against the documents' JSON Schema."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from docs.make_schema import schema
from tests.house.source import ROOT, text_of

EXAMPLES = json.loads(text_of(ROOT / "tests" / "data" / "frames.json"))
CONVERSATION = json.loads(text_of(ROOT / "tests" / "data" / "conversation.json"))


@cache
def validator(name=None):
    """For messages, or for one definition of the schema."""
    whole = schema()
    return Draft202012Validator(whole if name is None else {"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def assert_valid(value, name=None):
    assert [error.message for error in validator(name).iter_errors(value)] == []
