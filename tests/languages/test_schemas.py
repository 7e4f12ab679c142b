"""Protocol Buffers, Thrift and GraphQL: imports, and the types they declare."""

from __future__ import annotations

import time

import pytest

from .reading import Tree, definitions, facts

PROTO = """\
syntax = "proto3";
package shop.v1; // message No {
import "shop/v1/item.proto";
import public "google/protobuf/any.proto";
import weak 'other.proto';
/* import "no.proto"; */
option (x) = "message No {";

// An order.
message Order {
  message Line { string message = 1; }
  enum State {
    NEW = 0;
  }
  oneof what { Line line = 2; }
}
service Orders {
  // Takes one.
  rpc Take(Order) returns (stream Order);
  rpc Drop(Order) returns (Order) {
    option (http) = { get: "/v1" };
  }
}
extend Order { int32 more = 9; }
"""


def test_protocol_buffers() -> None:
    assert definitions("a.proto", PROTO) == [
        ("Order", "class", 10, 16), ("Order.Line", "class", 11, 11), ("Order.State", "class", 12, 14),
        ("Orders", "interface", 17, 23), ("Orders.Take", "method", 19, 19), ("Orders.Drop", "method", 20, 22),
    ]  # fmt: skip
    assert [d.name for d in facts("a.proto", PROTO).definitions if d.documented] == ["Order", "Orders.Take"]
    tree = Tree({
        "api/proto/shop/v1/order.proto": PROTO, "api/proto/shop/v1/item.proto": "", "vendor/google/protobuf/any.proto": "",
        "x/other.proto": "", "y/other.proto": "", "no.proto": "",
    })  # fmt: skip
    assert tree.follow("api/proto/shop/v1/order.proto") == {
        "shop/v1/item.proto": ["api/proto/shop/v1/item.proto"],
        "google/protobuf/any.proto": ["vendor/google/protobuf/any.proto"],
        "other.proto": ["x/other.proto", "y/other.proto"],
    }


def test_an_import_may_begin_with_the_name_of_the_repository() -> None:
    tree = Tree({
        "api/a.proto": 'import "shop/api/b.proto";\nimport "x.org/shop/types/c.proto";\nimport "gone/b.proto";\n',
        "api/b.proto": "", "types/c.proto": "",
    })  # fmt: skip
    assert tree.follow("api/a.proto") == {
        "shop/api/b.proto": ["api/b.proto"], "x.org/shop/types/c.proto": ["types/c.proto"], "gone/b.proto": "external",
    }  # fmt: skip


def test_thrift() -> None:
    text = 'include "base.thrift"\n# include "no.thrift"\nstruct A {\n  1: i32 x\n}\nservice S extends base.T {\n  A go(1: A a)\n}\n'
    assert definitions("a.thrift", text) == [("A", "class", 3, 5), ("S", "interface", 6, 8)]
    assert Tree({"i/a.thrift": text, "i/base.thrift": ""}).follow("i/a.thrift") == {"base.thrift": ["i/base.thrift"]}


GRAPHQL = '''\
#import "./user.graphql"
# import Item, Other from '../item.graphql'
"""
An order { of things.
"""
type Order implements Node @key(fields: "id") {
  id: ID!
  by(first: Int = 3, filter: Filter = {a: 1}): User
}
scalar Date

union Thing =
  | Order
  | User

extend type Query { orders: [Order] }
query Mine($a: ID) { me { ...userParts ... on Order { id } } }
directive @key(fields: String) on OBJECT
'''


def test_graphql() -> None:
    assert definitions("a.graphql", GRAPHQL) == [
        ("Order", "class", 3, 9), ("Date", "type", 10, 10), ("Thing", "type", 12, 14), ("Mine", "function", 17, 17),
        ("key", "function", 18, 18),
    ]  # fmt: skip
    tree = Tree({
        "s/q/order.graphql": GRAPHQL, "s/q/user.graphql": "type User { name: String }\nfragment userParts on User { name }\n",
        "s/item.graphql": "type Item { a: Date }", "s/node.graphql": "interface Node { id: ID }",
        "s/filter.gql": "input Filter { a: Int }",
    })  # fmt: skip
    assert tree.follow("s/q/order.graphql") == {
        "./user.graphql": ["s/q/user.graphql"], "../item.graphql": ["s/item.graphql"],
    }  # fmt: skip
    uses = tree.follow("s/q/order.graphql", "use")
    assert {name: paths for name, paths in uses.items() if paths != "external"} == {
        "Node": ["s/node.graphql"], "User": ["s/q/user.graphql"], "Filter": ["s/filter.gql"],
        "...userParts": ["s/q/user.graphql"],
    }  # fmt: skip
    assert tree.follow("s/item.graphql", "use") == {"Date": ["s/q/order.graphql"]}


def test_arguments_of_graphql_that_are_called_like_its_words() -> None:
    text = "directive @field(\n  type: String\n  input: Int\n) on OBJECT\n\ntype A {\n  type: Int\n}\n"
    assert definitions("a.graphql", text) == [("field", "function", 1, 4), ("A", "class", 6, 8)]


def test_names_of_graphql_that_other_files_define() -> None:
    tree = Tree({
        "shop/root.graphql": "type Query { a: Int }\ndirective @auth(role: role_name) on FIELD\nenum role_name { ADMIN }\n"
        "type ADMIN { a: Int }\ntype one { a: Int }\ntype users { a: Int }\ninterface Node { id: ID }\ninterface Named { a: Int }\n",
        "shop/more.graphql": 'extend type Query { mine(as: role_name = ADMIN): [users!]! @auth(role: ADMIN) }\n'
        '"a: nothing here"\ntype Two implements Named & Node { two: Int }\nunion Both = | one | Two\n',
        "shop/ask.graphql": "query Ask($as: role_name!) {\n  one: mine(as: $as) { ...Two @include(if: true) ... on users { a } }\n}\n",
        "shop/part.graphql": "fragment Two on Two { users: two }\n",
        **{f"examples/{name}/root.graphql": "type Query { a: Item }\n" for name in "abcdef"},
        **{f"examples/{name}/item.graphql": "type Item { a: Int }\nextend type Query { b: Int }\n" for name in "abcdef"},
    })  # fmt: skip
    root = ["shop/root.graphql"]
    assert tree.follow("shop/more.graphql", "use") == dict.fromkeys(
        ("Query", "role_name", "users", "@auth", "Named", "Node", "one"), root
    )
    assert tree.follow("shop/ask.graphql", "use") == {
        "role_name": root, "...Two": ["shop/part.graphql"], "users": root,
    }  # fmt: skip
    assert tree.follow("shop/part.graphql", "use") == {"Two": ["shop/more.graphql"]}
    assert tree.follow("examples/c/root.graphql", "use") == {"Item": ["examples/c/item.graphql"]}
    assert tree.follow("examples/c/item.graphql", "use") == {"Query": ["examples/c/root.graphql"]}


def test_roots_of_schemas_lie_near_the_trunk() -> None:
    schema = "struct A {\n  1: i32 x\n}\n"
    tree = Tree({
        "lib/go/test/a.thrift": 'include "shared.thrift"\n',
        "lib/php/test/resources/shared.thrift": schema,
        "test/shared.thrift": schema,
        "test/old/shared.thrift": schema,
    })  # fmt: skip
    assert tree.follow("lib/go/test/a.thrift") == {"shared.thrift": ["test/shared.thrift"]}


@pytest.mark.parametrize("language", ["proto", "thrift", "graphql"])
@pytest.mark.parametrize("piece", [
    "message a {", "}", "{", "rpc a(", "message ", "/*", "//", '"', '"""', "\\", "import 'a';\n", "# import 'a'\n", "type A\n",
    "struct A {\n", "...a ", "message a {}\n", "rpc a(b);", "\n", '"a"\ntype A {\n}\n', "enum a { b = 1; }\n", "| ", "&",
    ": [", "$a:", "union A =", "extend a ", "on ", "...",
])  # fmt: skip
def test_hostile_schemas_cost_as_much_as_they_are_long(language: str, piece: str) -> None:
    text = (piece * (400_000 // len(piece) + 1))[:400_000]
    text = "\n".join(text[i : i + 50_000] for i in range(0, len(text), 50_000))  # longer lines are not read at all
    before = time.process_time()
    found = facts(f"a.{language}", text)
    assert (found.error, found.skip) == ("", "")
    assert time.process_time() - before < 3
