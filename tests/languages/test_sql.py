"""SQL: what statements create, and the scripts that are read in."""

from __future__ import annotations

import time

import pytest

from .reading import definitions, facts

SCRIPT = """\
-- The users; see docs/users.md
CREATE TABLE IF NOT EXISTS "app"."users" (
  id int, -- ; no end
  name text DEFAULT 'a; create table no (x int);'
);
create or replace view app.active as
select 1;
CREATE MATERIALIZED VIEW mv AS SELECT 1;
CREATE FUNCTION app.f(a int) RETURNS int AS $body$
BEGIN
  CREATE TABLE no (x int);
END $body$ LANGUAGE plpgsql;
CREATE TEMP TABLE `t` (a int)
go
CREATE PROCEDURE [dbo].[p] AS SELECT 1
/* CREATE TABLE no (a int); */
CREATE TYPE mood AS ENUM ('a');
CREATE INDEX i ON users (id);
\\i other.sql
\\ir sub/more.sql
source third.sql;
.read 'fourth.sql'
@fifth.sql
@@sixth
@&dir/seven/th -- and so on
@&script
select * from x where path = 'data/x.csv';
"""


def test_definitions() -> None:
    assert definitions("a.sql", SCRIPT) == [
        ("app.users", "class", 2, 5), ("app.active", "class", 6, 7), ("mv", "class", 8, 8), ("app.f", "function", 9, 12),
        ("t", "class", 13, 14), ("dbo.p", "function", 15, 16), ("mood", "type", 17, 17),
    ]  # fmt: skip
    assert [d.name for d in facts("a.sql", SCRIPT).definitions if d.documented] == ["app.users", "mood"]


def test_names_with_spaces_keep_them() -> None:
    found = definitions("a.sql", 'create table "my app" . [two words] (a int);\ncreate view b as select 1;\n')
    assert [name for name, *_ in found] == ["my app.two words", "b"]


def test_signs_in_quoted_names_and_escaped_strings_end_nothing() -> None:
    script = '''\
create domain "*/*" as bytea;
create table "it's -- one" (id int); create index on x (a);
create table `a/*b` (id int default E'it\\'s');
create function do$one$it() returns int as $f1$ create table no (a int); $f1$ language sql;
create table "say ""no""".[a]]b] (id int);
create foreign table موارد (id int) server s;
create schema if not exists authorization joe;
create table last (id int); -- "*/*"
'''
    assert [each[0] for each in definitions("a.sql", script)] == [
        "*/*", "it's -- one", "a/*b", "do$one$it", 'say "no".a]b', "موارد", "last",
    ]  # fmt: skip


def test_scripts_that_are_read_in() -> None:
    found = facts("a.sql", SCRIPT).references
    assert [r.target for r in found if r.kind == "path"] == [
        "other.sql", "sub/more.sql", "third.sql", "fourth.sql", "fifth.sql", "sixth.sql", "seven/th.sql",
    ]  # fmt: skip
    assert {(r.kind, r.target) for r in found if r.kind != "path"} == {
        ("comment", "docs/users.md"),
        ("mention", "data/x.csv"),
    }


def test_scripts_that_variables_name() -> None:
    text = """\
        \\ir :LATER
        \\set BASE memory
        \\set LATER 'include/equal.sql'
        SELECT format('include/%s_load.sql', :'BASE') as "LOAD",
               format('%s/x_%s.out', :'DIR', :'BASE') AS "OUT" \\gset
        \\ir :LATER
        \\i :"LOAD"
        \\ir :OUT
        SELECT format('include/%s_query.sql', :'BASE') AS "LOAD" \\gset
        \\ir :LOAD
        """
    found = facts("a.sql", text).references
    assert [r.target for r in found if r.kind == "path"] == [
        "include/equal.sql", "include/memory_load.sql", "include/memory_query.sql",
    ]  # fmt: skip


def test_a_script_hands_scripts_on() -> None:
    found = facts("a.sql", "@@one.sql 'core/types/user.tps' x\nprompt core/types/role.tps\n").references
    assert [(r.kind, r.target) for r in found if r.target.endswith(("one.sql", "tps"))] == [
        ("path", "core/types/user.tps"), ("path", "one.sql"), ("mention", "core/types/role.tps"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "piece", ["create table a\n", "$$", "$a$\n", "'", "/*", "create ", "\\i ", '"', "create table [", "--\n", "\\set a b\n", "format('"]
)
def test_hostile_scripts_cost_as_much_as_they_are_long(piece: str) -> None:
    before = time.process_time()
    text = (piece * (400_000 // len(piece) + 1))[:400_000]
    text = "\n".join(text[i : i + 50_000] for i in range(0, len(text), 50_000))  # longer lines are not read at all
    found = facts("a.sql", text)
    assert (found.error, found.skip) == ("", "")
    assert time.process_time() - before < 3
