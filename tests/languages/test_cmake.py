"""CMake: directories, modules, sources, and what a list file defines."""

from __future__ import annotations

import time

import pytest

from .reading import Tree, definitions, facts

LIST = """\
cmake_minimum_required(VERSION 3.20) # see docs/build.md
project(Shop VERSION 1.2 LANGUAGES C)
#[[ add_subdirectory(no) ]]
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_SOURCE_DIR}/tools/modules")
include(Extras)
include(CheckCSourceCompiles)
include(${PROJECT_SOURCE_DIR}/more.cmake)
find_package(Wheel REQUIRED)
foreach(part lib app)
  add_subdirectory(${part})
endforeach()

# Quick ones.
option(FAST "be \\"fast\\" (see no.c)" ON)
"""
LIB = """\
set(SRC_DIR ${CMAKE_CURRENT_SOURCE_DIR}/src)
set(NAMES a b)
add_library(shop STATIC ${SRC_DIR}/a.c
  src/deep/b.c ../more.c)
add_library(Shop::shop ALIAS shop)
foreach(each ${NAMES})
  add_executable(try_${each} try_${each}.c)
endforeach()
target_sources(shop PRIVATE ${Shop_SOURCE_DIR}/own.c $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/top.h>)
configure_file(config.h.in ${CMAKE_CURRENT_BINARY_DIR}/config.h)
file(GLOB_RECURSE ALL ${SRC_DIR}/*.h)
shop_test(one)
"""
TREE = {
    "shop/CMakeLists.txt": LIST,
    "shop/more.cmake": "include(${CMAKE_CURRENT_LIST_DIR}/sub/least.cmake)\nmacro(SHOP_test name)\n  add_test(${name} try.c)\nendmacro()\n",
    "shop/sub/least.cmake": "",
    "shop/tools/modules/Extras.cmake": "",
    "shop/tools/modules/FindWheel.cmake": "",
    "shop/lib/CMakeLists.txt": LIB,
    "shop/app/CMakeLists.txt": "add_executable(app app.c)\ntarget_link_libraries(app PRIVATE Shop::shop m)\n",
} | dict.fromkeys(
    (
        "shop/no/CMakeLists.txt shop/lib/src/a.c shop/lib/src/deep/b.c shop/more.c shop/lib/try_a.c shop/lib/try_b.c "
        "shop/own.c shop/top.h shop/lib/config.h.in shop/lib/src/x.h shop/lib/src/deep/y.h shop/app/app.c no.c"
    ).split(),
    "",
)


def test_what_a_list_file_takes_in() -> None:
    tree = Tree(TREE)
    assert tree.follow("shop/CMakeLists.txt") == {
        "Extras.cmake module": ["shop/tools/modules/Extras.cmake"], "CheckCSourceCompiles.cmake module": "external",
        "${PROJECT_SOURCE_DIR}/more.cmake": ["shop/more.cmake"], "FindWheel.cmake module": ["shop/tools/modules/FindWheel.cmake"],
        "lib/CMakeLists.txt": ["shop/lib/CMakeLists.txt"], "app/CMakeLists.txt": ["shop/app/CMakeLists.txt"],
    }  # fmt: skip
    assert tree.follow("shop/more.cmake") == {"${CMAKE_CURRENT_LIST_DIR}/sub/least.cmake": ["shop/sub/least.cmake"]}


def test_sources_and_functions_and_targets(edges) -> None:
    found = edges(TREE)
    assert {target for relation, source, target in found if source == "shop/lib/CMakeLists.txt"} == {
        "shop/lib/src/a.c", "shop/lib/src/deep/b.c", "shop/more.c", "shop/lib/try_a.c", "shop/lib/try_b.c", "shop/own.c",
        "shop/top.h", "shop/lib/config.h.in", "shop/lib/src/x.h", "shop/lib/src/deep/y.h", "shop/more.cmake",
    }  # fmt: skip
    assert ("depends_on", "shop/app/CMakeLists.txt", "shop/lib/CMakeLists.txt") in found
    assert not any(target in ("no.c", "shop/no/CMakeLists.txt") for _, _, target in found)


def test_variables_of_the_directories_above() -> None:
    tree = Tree({
        "CMakeLists.txt": "set(CORE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/core)\nset(IN_DIR ${CORE_DIR}/in)\n",
        "a/b/CMakeLists.txt": "include(${CORE_DIR}/x.cmake)\ninclude(${IN_DIR}/y.cmake)\ninclude(${GONE}/z/z.cmake)\n",
        "core/x.cmake": "", "core/in/y.cmake": "", "q/z/z.cmake": "",
    })  # fmt: skip
    assert tree.follow("a/b/CMakeLists.txt") == {
        "${CORE_DIR}/x.cmake": ["core/x.cmake"], "${IN_DIR}/y.cmake": ["core/in/y.cmake"],
        "${GONE}/z/z.cmake": ["q/z/z.cmake"],
    }  # fmt: skip


def test_definitions() -> None:
    assert definitions("CMakeLists.txt", LIST) == [("FAST", "constant", 14, 14)]
    assert facts("CMakeLists.txt", LIST).definitions[0].documented
    assert definitions("CMakeLists.txt", LIB) == [
        ("shop", "module", 3, 4), ("Shop::shop", "module", 5, 5), ("try_a", "module", 7, 7), ("try_b", "module", 7, 7),
    ]  # fmt: skip
    assert definitions("x.cmake", "function(a)\n  foreach(x)\n  endforeach()\nendfunction()\nmacro(_B c)\nendmacro()\n") == [
        ("a", "function", 1, 4), ("_B", "function", 5, 6),
    ]  # fmt: skip


@pytest.mark.parametrize("piece", [
    b"set(A ${A} ${A})\n", b"set(A \"${A}${A}\")\n", b"list(APPEND X ${X} a)\nf(${X})\n", b"foreach(a 1 2 3)\n", b"f(",
    b"[[", b"#[[", b"#[=[\n", b"\"", b"\\\"", b"f(${a}/b.c)\n", b"function(f)\n", b"endfunction()\n", b")", b"a ",
    b"set(L " + b"a " * 3_000 + b")\n" + b"foreach(x IN LISTS " + b"L " * 2_000 + b")\n",
    b"set(A " + b"a/" * 240 + b")\nf(${A}/${B}.c)\nset(C ${A}${D})\n",
    b"foreach(a b c d e f)\nf(${a}/${a}/${a}/x.c)\n", b"set(A_DIR ${A_DIR}/b)\nf(${A_DIR}/x.c)\n",
])  # fmt: skip
def test_hostile_lists_cost_as_much_as_they_are_long(piece: bytes) -> None:
    text = (piece * (400_000 // len(piece) + 1))[:400_000]
    text = b"\n".join(text[i : i + 50_000] for i in range(0, len(text), 50_000))  # longer lines are not read at all
    before = time.process_time()
    found = facts("CMakeLists.txt", text)
    assert (found.error, found.skip) == ("", "")
    assert time.process_time() - before < 3


def test_variables_that_choose_among_variables_multiply_no_further_than_a_few() -> None:
    """Seven values each, eight deep, are five million directories; the first ones are looked in."""
    lines = [f"set(V{deep} ${{V{deep + 1}}}/{each})\n" for deep in range(8) for each in range(7)]
    files = {
        "CMakeLists.txt": "".join(lines) + "set(V8 ${CMAKE_CURRENT_SOURCE_DIR}/top)\n",
        "part/CMakeLists.txt": "add_library(part ${V0}/part.c ${V6}/other.c)\n",
        "top/0/0/other.c": "",
    }
    before = time.process_time()
    assert Tree(files).follow("part/CMakeLists.txt", "use")["${V6}/other.c"] == ["top/0/0/other.c"]
    assert time.process_time() - before < 3
