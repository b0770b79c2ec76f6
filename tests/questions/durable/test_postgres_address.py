"""Addresses of stores on PostgreSQL."""

import re

import pytest
from psycopg.conninfo import conninfo_to_dict

from questions.durable.errors import BadArgument
from questions.durable.postgres import open_postgres
from questions.durable.postgres_address import Address


@pytest.mark.parametrize(
    ("text", "conninfo", "schema"),
    [
        ("postgresql://", "postgresql://", "questions"),
        ("postgresql:///app?host=%2Frun%2Fpg", "postgresql:///app?host=%2Frun%2Fpg", "questions"),
        ("POSTGRESQL://[::1]:5433/app", "postgresql://[::1]:5433/app", "questions"),
        ("postgresql://db.example/app", "postgresql://db.example/app", "questions"),
        ("postgresql://db/app?schema=asks", "postgresql://db/app", "asks"),
        ("postgres://a,b:5433/app?sslmode=require&schema=x", "postgres://a,b:5433/app?sslmode=require", "x"),
        ("postgresql://me@/app?host=%2Frun%2Fpg", "postgresql://me@/app?host=%2Frun%2Fpg", "questions"),
    ],
)
def test_the_schema_is_taken_out_and_the_rest_is_libpqs(text, conninfo, schema):
    assert Address.parse(text) == Address(conninfo, schema)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:S3cret@db/app",
        "postgresql://me:S3cret@x@db/app",
        "postgresql://me@db/app?password=S3cret",
        "postgresql://me@db/app?%70assword=S3cret",
        "postgresql://me@db/app?sslpassword=S3cret",
        "postgresql://me@db/app?scram_client_key=S3cret",
        "postgresql://me@db/app?oauth_client_secret=S3cret",
    ],
)
def test_a_password_is_refused_and_not_shown(text):
    with pytest.raises(BadArgument, match=r"must not hold a password; put it into ~/\.pgpass") as refusal:
        Address.parse(text)
    assert "S3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:S3/cret@db/app",
        "postgresql://me:S3#cret@db/app",
        "postgresql://me:S3?cret@db/app",
        "postgresql://me:S3cret",
        "postgresql://[S3cret/app",
        "postgresql:S3cret",
        "postgresql://db/S3\ncret",
        "postgresql://db/S3\udcffcret",
    ],
)
def test_a_secret_in_a_wrong_place_is_neither_used_nor_shown(text):
    with pytest.raises(BadArgument) as refusal:
        Address.parse(text)
    assert not {"S3", "cret"} & set(re.findall("S3|cret", str(refusal.value)))


@pytest.mark.parametrize("text", ["postgresql://", "postgresql:///app?host=%2Frun%2Fpg", "postgresql://h,[::1]:5/app"])
def test_libpq_takes_what_comes_out(text):
    conninfo_to_dict(Address.parse(text).conninfo)


@pytest.mark.parametrize("schema", ["", "Upper", "pg_temp", "a b", 'x"; drop', "a" * 64, "x&schema=y"])
def test_a_schema_is_one_lower_case_word(schema):
    with pytest.raises(BadArgument, match="the schema must be"):
        Address.parse(f"postgresql://db/app?schema={schema}")


def test_every_fault_is_told():
    with pytest.raises(BadArgument) as refusal:
        Address.parse("mysql://me:pw@db/app?schema=A")
    assert len(refusal.value.faults) == 3


async def test_what_libpq_does_not_take_is_not_quoted():
    with pytest.raises(BadArgument) as refusal:
        async with open_postgres("postgresql://db/app?pasword=S3cret", []):
            pass
    assert "S3cret" not in str(refusal.value)
