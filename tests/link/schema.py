"""Holding frames against the JSON Schema of the documents."""

from functools import cache

from jsonschema import Draft202012Validator

from docs.make_schema import schema


@cache
def validator(name=None):
    """For messages, or for one definition of the schema."""
    whole = schema()
    return Draft202012Validator(whole if name is None else {"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]})


def assert_valid(value, name=None):
    assert [error.message for error in validator(name).iter_errors(value)] == []
