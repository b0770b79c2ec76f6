"""What a PostgreSQL server does for a store by itself: commits, and looks up keys, each in one statement.

A function keeps its plans for as long as a session of the server lasts, whoever uses that; to plan a commit takes
longer than to do it. One function is made for all tables that a program knows, and called by what is in it: programs of
several versions can share a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import chain

from .backend import Index
from .postgres_tables import Relation

__all__ = ["committing", "getting"]

_PLANS = "set enable_seqscan = off set plan_cache_mode = force_generic_plan"
"""Plans that are kept must suit a table that has grown since."""

_BOUNDS = (
    "perform set_config('statement_timeout', '6000', true),"
    " set_config('idle_in_transaction_session_timeout', '2000', true), set_config('lock_timeout', '6000', true),"
    " set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'"
    " else current_setting('synchronous_commit') end, true)"
)
"""What is acknowledged is on disk, and a client that stands still blocks others for two seconds."""
_WAITING = "perform set_config('transaction_timeout', '8000', true)"
_HOLDING = "perform set_config('transaction_timeout', '0', true), set_config('transaction_timeout', '2500', true)"
"""From PostgreSQL 17 on: also if it stands still while it sends. Those who wait have longer than those who hold."""


def committing(schema: str, relations: Sequence[Relation]) -> tuple[str, str]:
    """The name of the function that commits, and the statement that makes it.

    It takes JSON. `locks`: numbers of advisory locks, and whether to have them alone. `expected`: by table, keys to
    lock and their versions. `tokens`, `before`, `below`: what else is to be known. `rows`, by table, and `lines`: what
    to write if all of that is as expected, no token is in the feed, and it is earlier than `before`. It gives JSON:
    `fits`, `now`, `happened`, `rows`, `counts`, `edge`, all as of one instant after the locks.
    """

    def make(name: str) -> str:
        return _COMMIT.format(
            name=name,
            schema=f'"{schema}"',
            plans=_PLANS,
            bounds=_BOUNDS,
            waiting=_WAITING,
            holding=_HOLDING,
            locking="".join(map(_locking, relations)),
            writing="".join(map(_writing, relations)),
        )

    return _named(schema, "_commit", make)


def getting(relation: Relation) -> tuple[str, str]:
    """The name of the function that looks up keys of a table, and the statement that makes it.

    Its rows have the clock, which has to be told also where there are no rows.
    """

    def make(name: str) -> str:
        return (
            f"create or replace function {name}(keys text[]) returns table (now bigint, key text, version bigint,"
            f" value text) language plpgsql volatile {_PLANS} as $$\n#variable_conflict use_column\nbegin return query"
            f" select clock.now, stored.key, stored.version, stored.value from (select {relation.clock} as now)"
            f" as clock left join lateral (select key, version, value from {relation.name}"
            f" where key = any(keys) and value is not null) as stored on true; end $$"
        )

    return _named(relation.schema, f"_get_{relation.table.name}", make)


def _named(schema: str, prefix: str, make: Callable[[str], str]) -> tuple[str, str]:
    digest = blake2b(make("").encode(), digest_size=8).hexdigest()
    name = f'"{schema}"."{prefix}_{digest}"'
    return name, make(name)


_COMMIT = """
create or replace function {name}(given json) returns text language plpgsql volatile {plans} as $$
#variable_conflict use_column
declare
    is_new constant boolean := current_setting('server_version_num')::integer >= 170000;
    lock json;
    fits boolean := true;
    suits boolean;
    part json;
    standing json[] := '{{}}';
    moves json[] := '{{}}';
    instant bigint;
    happened json;
    counts json := '[]';
    edge json;
begin
    {bounds};
    if is_new then {waiting}; end if;
    for lock in select json_array_elements(given->'locks') loop
        if (lock->>1)::boolean then
            perform pg_advisory_xact_lock((lock->>0)::bigint);
        else
            perform pg_advisory_xact_lock_shared((lock->>0)::bigint);
        end if;
    end loop;
    perform pg_current_xact_id();  -- before any row is locked
    {locking}
    if is_new then {holding}; end if;
    instant := {schema}.questions_now();
    select coalesce(json_agg(distinct token), '[]') into happened from {schema}._feed
        where token = any(array(select json_array_elements_text(given->'tokens')));
    select json_build_array(transaction, line) into edge from {schema}._edge;
    if json_array_length(given->'below') > 0 then
        select coalesce(json_agg(json_build_array(of, index, place, rows)), '[]') into counts from (
            select of, index, place, sum(rows)::bigint as rows from {schema}._counters where (of, index, place) in
            (select one->>0, one->>1, one->>2 from json_array_elements(given->'below') as one) group by of, index, place
        ) as summed;
    end if;
    fits := fits and json_array_length(happened) = 0 and instant < coalesce((given->>'before')::bigint, instant + 1);
    if fits then
        {writing}
        insert into {schema}._feed select pg_current_xact_id()::text::bigint, place, line->>0, (line->>1)::integer,
            line->>2, line->>3, (line->>4)::bigint, line->>5, line->>6
            from json_array_elements(given->'lines') with ordinality as told(line, place);
        insert into {schema}._counters as counter select move->>0, move->>1, move->>2, (given->>'shard')::smallint,
            (move->>3)::bigint from unnest(moves) as moved, json_array_elements(moved) as move order by 1, 2, 3
            on conflict (of, index, place, shard) do update set rows = counter.rows + excluded.rows;
    end if;
    return json_build_object('fits', fits, 'now', instant, 'happened', happened, 'rows', array_to_json(standing),
        'counts', counts, 'edge', edge)::text;
end $$
"""

# In the order of the keys, everywhere, so that two who lock never wait for each other in a circle.
_LOCKING = """
    if given->'expected'->'{table}' is not null then
        with wanted as materialized (
            select one->>0 as key, (one->>1)::bigint as version from json_array_elements(given->'expected'->'{table}')
            as one
        ), locked as materialized (
            select key, version, value is null as gone{columns} from {name}
            where key = any(array(select key from wanted)) order by key for update
        )
        select json_agg(json_build_array(locked.key, locked.version, gone{columns})),
            count(*) = (select count(*) from wanted where version > 0)
            and coalesce(bool_and(locked.version = wanted.version and not gone), true)
            into part, suits from locked join wanted on wanted.key = locked.key;
        standing := standing || json_build_array('{table}', coalesce(part, '[]'));
        fits := fits and suits;
    end if;
"""

_WRITING = """
        if given->'rows'->'{table}' is not null then
            {counting}
            insert into {name} ({names}, _gone) select {names}, {gone} from {rows} where _expected = 0;
            update {name} as had set {changes}, _gone = {gone} from {rows}
                where _expected > 0 and had.key = given.key;
        end if;
"""

_COUNTING = """
            with given as materialized (select * from {rows}), had as materialized (
                select {columns} from {name} where key = any(array(select key from given where _expected > 0))
            )
            select json_agg(json_build_array('{table}', index, place, moved)) into part from (
                select index, place, sum(one) as moved from ({places}) as each group by index, place
                having sum(one) <> 0
            ) as sums;
            moves := moves || coalesce(part, '[]');
"""


def _locking(relation: Relation) -> str:
    columns = "".join(f', "{name}"' for name in relation.looked_by)
    return _LOCKING.format(table=relation.table.name, name=relation.name, columns=columns)


def _writing(relation: Relation) -> str:
    names = ["key", "version", "value", *relation.columns]
    types = ", ".join(f'"{name}" {kind}' for name, kind in relation.columns.items())
    listed = f"key text, _expected bigint, version bigint, value text{types and ', '}{types}"
    rows = f"json_to_recordset(given->'rows'->'{relation.table.name}') as given({listed})"
    return _WRITING.format(
        table=relation.table.name,
        name=relation.name,
        names=", ".join(f'"{name}"' for name in names),
        changes=", ".join(f'"{name}" = given."{name}"' for name in names[1:]),
        gone="case when given.value is null then pg_current_xact_id()::text::bigint end",
        counting=_counting(relation, rows),
        rows=rows,
    )


def _counting(relation: Relation, rows: str) -> str:
    if not relation.counted:
        return ""
    places = chain.from_iterable((_place(index, "had", -1), _place(index, "given", 1)) for index in relation.counted)
    return _COUNTING.format(
        table=relation.table.name,
        name=relation.name,
        rows=rows,
        columns=", ".join(f'"{name}"' for name in relation.looked_by),
        places=" union all ".join(places),
    )


def _place(index: Index, rows: str, by: int) -> str:
    equal = ", ".join(f'"{name}"' for name in index.equal)
    whole = " and ".join(f'"{name}" is not null' for name in (*index.equal, index.order))
    place = f"json_build_array({equal})::text as place"
    return f"select '{index.name}' as index, {place}, {by} as one from {rows} where {whole}"
