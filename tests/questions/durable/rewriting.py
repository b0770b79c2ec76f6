"""Records as others may have written them: by an older version, a newer one, or by hand."""

import json

from questions.durable.backend import Commit, Notice, Write
from questions.durable.table import DECISIONS, columns
from questions.durable.tokens import new_token

__all__ = ["rewrite"]


async def rewrite(store, id, change):
    """Change the stored record behind the store's back; it is found by the same columns as before."""
    decision = await store.records.current(id)
    [row] = (await store.backend.get(DECISIONS, [id])).rows
    record = json.loads(row.value)
    change(record)
    value = record if isinstance(record, str) else json.dumps(record, separators=(",", ":"))
    write = Write(DECISIONS, id, row.version, value, columns(decision))
    await store.backend.commit(Commit(new_token(), [write], [Notice("decisions", id, row.version + 1, "rewritten")]))
