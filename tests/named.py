"""Names of test cases that are the same in every process, as tests that run in several processes must have."""

import re


def named(value):
    """`repr(value)`, without the addresses of objects, in at most 60 characters: for `ids=`."""
    return re.sub(r" object at 0x[0-9a-f]+", "", repr(value))[:60]
