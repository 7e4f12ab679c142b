"""Files that are broken, locked, lying or endless: refused with the reason, and the reader lives on."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from pytest import mark, raises

from oracl_git.ontology.parsers import FORMATS, LIMITS, SUFFIXES, Limits, Refused, parse, parse_bytes
from oracl_git.ontology.parsers import child as children
from oracl_git.ontology.parsers.model import REASONS, About
from tests.ontology.parsers.making import MADE, png
from tools.corpus import hwp, packages
from tools.corpus.cfb import compound_file

OFFICE = (".docx", ".xlsx", ".pptx", ".hwpx")
BINARY = (*OFFICE, ".hwp", ".pdf")
MOST_MEMORY, MOST_SECONDS = 100_000, 5.0  # KiB, and CPU seconds, of the child


def refusal(data: bytes, suffix: str, limits: Limits = LIMITS) -> Refused:
    with raises(Refused) as caught:
        parse_bytes(data, suffix=suffix, limits=limits)
    assert caught.value.reason_code in REASONS
    assert not caught.value.message.endswith(".")
    return caught.value


def still_reads() -> None:
    assert parse_bytes(MADE[".docx"](), suffix=".docx").text == "Retention 해지"


# What a file is made of


@mark.parametrize("suffix", BINARY)
def test_a_file_that_is_cut_off_is_refused(suffix: str) -> None:
    data = MADE[suffix]()
    for part in (0.02, 0.3, 0.6):
        assert refusal(data[: int(len(data) * part)], suffix).reason_code in ("malformed", "wrong_suffix")
    still_reads()


@mark.parametrize("suffix", BINARY)
def test_bytes_that_were_changed_never_do_more_than_a_refusal(suffix: str) -> None:
    choose = random.Random(suffix)
    for _ in range(40):
        data = bytearray(MADE[suffix]())
        for _ in range(choose.randint(1, 12)):
            data[choose.randrange(len(data))] = choose.randrange(256)
        try:
            parse_bytes(bytes(data), suffix=suffix)
        except Refused as refused:
            assert refused.reason_code != "crashed"
    still_reads()


@mark.parametrize(
    ("suffix", "data"),
    [
        (".json", b'{"a": [1, 2'),
        (".json", b"[" * 100_000),
        (".json", b"[1e5000, " + b"9" * 10_000 + b"]"),
        (".jsonl", b'{"a": 1}\n{"a":\n'),
        (".docx", packages.archive({"word/document.xml": "<w:document><w:p></w:document>"})),
        (".docx", packages.archive({"readme": "x"})),
        (".xlsx", packages.archive({"xl/workbook.xml": b"\xff\xfe\x00"})),
        (".pptx", packages.archive({"ppt/presentation.xml": ""})),
        (".hwpx", packages.archive({"mimetype": "application/hwp+zip"}, stored=["mimetype"])),
        (".hwp", compound_file({"FileHeader": b"HWP Document File".ljust(40, b"\0")})),
        (".hwp", compound_file({"FileHeader": b"HWP"})),
        (".hwp", compound_file({"WordDocument2": b"x" * 5000})),
        (".hwp", hwp.document([], extra={"BodyText/Section0": b"\xff" * 9000})),
        (".pdf", b"%PDF-1.7\n" + b"garbage " * 2000),
    ],
)
def test_what_makes_no_sense_is_malformed(suffix: str, data: bytes) -> None:
    assert refusal(data, suffix).reason_code == "malformed"


@mark.parametrize("suffix", [".txt", ".md", ".rst", ".csv", ".json", ".html"])
def test_binary_data_under_a_name_for_text_is_refused(suffix: str) -> None:
    assert refusal(random.Random(1).randbytes(5000), suffix).reason_code == "malformed"


def test_an_empty_file_is_an_empty_text_and_no_document() -> None:
    assert parse_bytes(b"", suffix=".txt").sections == ()
    assert refusal(b"", ".docx").message == "the file is empty"


@mark.parametrize("suffix", list(MADE))
@mark.parametrize("really", [name for name in MADE if name in BINARY or name == ".png"])
def test_a_wrong_suffix_is_named_with_what_the_file_really_is(suffix: str, really: str) -> None:
    if SUFFIXES[suffix].unavailable():
        pytest.skip("its tool is not here")
    if SUFFIXES[suffix].family == SUFFIXES[really].family:
        return
    refused = refusal(MADE[really](), suffix)
    assert (refused.reason_code, refused.hint) == ("wrong_suffix", f"rename it to end in {really}")


def test_text_under_the_name_of_a_document_is_named() -> None:
    assert refusal(b"plain words\n" * 50, ".pdf").message == "it is named .pdf, but it is plain text"


@mark.parametrize(("name", "suffix"), [("WordDocument", ".doc"), ("Workbook", ".xls"), ("PowerPoint Document", ".ppt")])
def test_old_office_files_are_recognised(name: str, suffix: str) -> None:
    data = compound_file({name: b"x" * 5000})
    assert refusal(data, ".docx").hint == f"rename it to end in {suffix}"
    assert refusal(data, suffix).reason_code == "unsupported"


@mark.parametrize("suffix", [".xls", ".hml", ".doc", ".odt", ".xyz", ""])
def test_formats_without_adapter_are_pending(suffix: str) -> None:
    refused = refusal(b"x", suffix)
    assert (refused.reason_code, refused.status) == ("unsupported", "unsupported_pending_adapter")


def test_a_missing_library_or_tool_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    refused = refusal(png(), ".png")
    assert (refused.reason_code, refused.status) == ("missing", "unsupported_pending_adapter")
    assert "tesseract" in refused.message


# Locks


def locked_pdf() -> bytes:
    """A PDF whose standard encryption no password opens."""
    lock = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'41' * 32}> /U <{'42' * 32}> /P -4 >> /ID [<01><01>] "
    return MADE[".pdf"]().replace(b"trailer\n<< ", b"trailer\n<< " + lock.encode())


def locked_zip() -> bytes:
    """A ZIP file whose members say that they are encrypted."""
    data = bytearray(MADE[".docx"]())
    for mark_, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark_)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(mark_, at + 4)
    return bytes(data)


def locked_hwpx() -> bytes:
    manifest = (
        '<odf:manifest xmlns:odf="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        "<odf:file-entry><odf:encryption-data/></odf:file-entry></odf:manifest>"
    )
    with zipfile.ZipFile(buffer := BytesIO(MADE[".hwpx"]()), "a") as archive:
        archive.writestr("META-INF/manifest.xml", manifest)
    return buffer.getvalue()


@mark.parametrize(
    ("suffix", "data", "reason"),
    [
        (".docx", compound_file({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"x"}), "password"),
        (".xlsx", compound_file({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"x"}), "password"),
        (".pptx", compound_file({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"x"}), "password"),
        (".docx", locked_zip(), "password"),
        (".hwpx", locked_hwpx(), "password"),
        (".pdf", locked_pdf(), "password"),
        (".hwp", hwp.document([hwp.paragraph("x")], flags=hwp.COMPRESSED | hwp.PASSWORD), "password"),
        (".hwp", hwp.document([hwp.paragraph("x")], flags=hwp.COMPRESSED | hwp.DISTRIBUTION), "distribution"),
    ],
)
def test_protected_documents_say_how(suffix: str, data: bytes, reason: str) -> None:
    refused = refusal(data, suffix)
    assert (refused.reason_code, refused.status) == (reason, "unsupported_pending_adapter")


# Bombs


def big_member(name: str, start: str, repeated: str, end: str, size: int) -> dict[str, bytes]:
    """A member that is one thing over and over."""
    return {name: start.encode() + repeated.encode() * (size // len(repeated.encode())) + end.encode()}


W = packages._W
DOCX_START, DOCX_END = f"<w:document {W}><w:body>", "</w:body></w:document>"
HP = packages._HP
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "' + "ha" * 50 + '">'
    + "".join(f"<!ENTITY {chr(98 + n)} '" + f"&{chr(97 + n)};" * 10 + "'>" for n in range(9))
    + f"]><w:document {W}><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>"
)  # fmt: skip
NUL_MIB = bytes(1 << 20)


def deflate_bomb(mebibytes: int, unit: bytes = NUL_MIB) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(engine.compress(unit) for _ in range(mebibytes)) + engine.flush()


def liar() -> bytes:
    """A ZIP file that says its member is hardly compressed at all."""
    data = bytearray(packages.archive(big_member("word/document.xml", DOCX_START, "<w:p/>", DOCX_END, 60 << 20)))
    for mark_, offset in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):
        struct.pack_into("<I", data, data.find(mark_) + offset, 50 << 20)
    return bytes(data)


def cfb_cycle() -> bytes:
    """A compound file in which every sector is followed by the first one."""
    data = bytearray(hwp.document([hwp.paragraph("가" * 9000)], flags=0))
    fat = struct.unpack_from("<I", data, 76)[0]
    data[(fat + 1) * 512 : (fat + 2) * 512] = struct.pack("<128I", *([0] * 128))
    return bytes(data)


def cfb_directory_cycle() -> bytes:
    """A compound file in whose directory every entry is its own sibling."""
    data = bytearray(MADE[".hwp"]())
    directory = (struct.unpack_from("<I", data, 48)[0] + 1) * 512
    for number in range(4):
        struct.pack_into("<III", data, directory + number * 128 + 68, number, number, number)
    return bytes(data)


def cfb_claims() -> bytes:
    """A compound file whose streams claim to have four gigabytes."""
    data = bytearray(MADE[".hwp"]())
    directory = (struct.unpack_from("<I", data, 48)[0] + 1) * 512
    for number in range(1, 4):
        struct.pack_into("<I", data, directory + number * 128 + 120, 0xFFFFFFF0)
    return bytes(data)


def hwp_nested() -> bytes:
    """Records whose levels go down as far as they can, over and over."""
    down = [(0x47, level, b"lbt " + bytes(8)) for level in range(1, 1023)]
    return hwp.document([[(0x42, 0, bytes(22)), *down] * 200])


LONG_TEXT = ("<w:p><w:r><w:t>", "a", "</w:t></w:r></w:p>")
CELLS = ("<w:tbl><w:tr>", "<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>", "")


def word(start: str, repeated: str, end: str, size: int) -> bytes:
    """A Word document whose body is one thing over and over."""
    return packages.archive(big_member("word/document.xml", DOCX_START + start, repeated, end + DOCX_END, size))


def many_attributes() -> bytes:
    attributes = " ".join(f"a{number}=''" for number in range(200_000))
    return packages.archive({"word/document.xml": f"<w:document {W} {attributes}/>"})


def workbook(part: str, kind: str, content: str) -> bytes:
    sheets = "<sheets>" + "<sheet name='s' r:id='r1'/>" * (kind == "worksheet") + "</sheets>"
    parts = {"xl/workbook.xml": f"<workbook {packages._X}>{sheets}</workbook>", f"xl/{part}": content}
    main = {"r1": (kind, part)}
    return packages.package(parts, {"": packages._root("xl/workbook.xml"), "xl/workbook.xml": main}, "x")


def section(data: bytes) -> bytes:
    """A Hangul document whose section is this, compressed already."""
    return hwp.document([], extra={"BodyText/Section0": data})


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "one long text": (".docx", lambda: word(*LONG_TEXT, 100 << 20)),
    "many elements": (".docx", lambda: word("", "<w:p/>", "", 30 << 20)),
    "lie about a size": (".docx", liar),
    "many cells in a row": (".docx", lambda: word(*CELLS, 20 << 20)),
    "many attributes": (".docx", many_attributes),
    "entities": (".docx", lambda: packages.archive({"word/document.xml": LAUGHS})),
    "entities in a package": (".hwpx", lambda: packages.archive({"Contents/section0.xml": LAUGHS})),
    "depth": (".pptx", lambda: packages.archive(big_member("ppt/presentation.xml", "<p>", "<p>", "", 2 << 20))),
    "shared strings": (
        ".xlsx",
        lambda: workbook(
            "sharedStrings.xml",
            "sharedStrings",
            f"<sst {packages._X}>" + "<si><t>0123456789abcdef</t></si>" * 800_000 + "</sst>",
        ),
    ),
    "cells": (
        ".xlsx",
        lambda: workbook(
            "worksheets/s.xml",
            "worksheet",
            f"<worksheet {packages._X}><row>" + "<c><v>1</v></c>" * 1_000_000 + "</row></worksheet>",
        ),
    ),
    "section of zeros": (".hwp", lambda: section(deflate_bomb(200))),
    "many paragraphs": (".hwp", lambda: section(deflate_bomb(30, struct.pack("<I", 0x42) * (1 << 18)))),
    "record of 4 GiB": (
        ".hwp",
        lambda: section(hwp.deflated(struct.pack("<II", 0x43 | 0xFFF << 20, 0xFFFFFFFF))),
    ),
    "sectors in a circle": (".hwp", cfb_cycle),
    "directory in a circle": (".hwp", cfb_directory_cycle),
    "streams of 4 GiB": (".hwp", cfb_claims),
    "levels": (".hwp", hwp_nested),
    "nested JSON": (".json", lambda: b'{"a":' * 500_000),
    "open tags": (".html", lambda: b"<tr><td><pre><h1>" * 70_000),
}


MEASURE = """
import json, resource, sys
from oracl_git.ontology.parsers import Refused, parse
from oracl_git.ontology.parsers import child
try:
    found = f"{len(parse(sys.argv[1], suffix=sys.argv[2]).sections)} sections"
except Refused as refused:
    found = refused.reason_code
child.close()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([found, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def measured(path: Path, suffix: str) -> tuple[str, float, int]:
    """(what came of it, CPU seconds, KiB of memory at most) of reading a file in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path), suffix], capture_output=True, check=True, text=True
    )
    found, seconds, memory = json.loads(done.stdout)
    return found, seconds, memory


@mark.parametrize("name", BOMBS)
def test_bombs_cost_little(name: str, tmp_path: Path) -> None:
    suffix, make = BOMBS[name]
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(make())
    found, seconds, memory = measured(path, suffix)
    print(name, path.stat().st_size, found, seconds, memory)
    assert found in ("bomb", "too_large", "malformed", "timeout", "0 sections") or found.endswith(" sections")
    assert memory < MOST_MEMORY
    assert seconds < MOST_SECONDS


def test_an_archive_of_ten_thousand_members_is_refused_and_one_of_a_thousand_is_read() -> None:
    many = {f"word/media/image{number}.png": b"" for number in range(10_000)}
    refused = refusal(packages.archive({"word/document.xml": f"<w:document {W}/>", **many}), ".docx")
    assert (refused.reason_code, "members" in refused.message) == ("too_large", True)
    with zipfile.ZipFile(buffer := BytesIO(MADE[".docx"]()), "a") as archive:
        for number in range(1000):
            archive.writestr(f"word/media/image{number}.png", b"")
    assert parse_bytes(buffer.getvalue(), suffix=".docx").text == "Retention 해지"


def test_limits_are_kept() -> None:
    text = "\n\n".join(["word"] * 100).encode()
    assert refusal(text, ".txt", Limits(file_bytes=100)).reason_code == "too_large"
    assert refusal(text, ".txt", Limits(text_chars=100)).reason_code == "too_large"
    assert refusal(text, ".txt", Limits(sections=10)).reason_code == "too_large"
    assert refusal(MADE[".pdf"](), ".pdf", Limits(pages=0)).reason_code == "too_large"
    assert refusal(MADE[".docx"](), ".docx", Limits(expanded_bytes=100)).reason_code == "bomb"
    assert refusal(MADE[".docx"](), ".docx", Limits(xml_depth=2)).reason_code == "bomb"
    assert refusal(MADE[".docx"](), ".docx", Limits(members=1)).reason_code == "too_large"
    still_reads()


@mark.skipif(bool(FORMATS["image"].unavailable()), reason="needs tesseract")
def test_pictures_that_claim_too_much_are_not_unpacked() -> None:
    assert refusal(png(30_000, 30_000, b""), ".png").reason_code == "bomb"
    assert refusal(png()[:60], ".png").reason_code == "malformed"


# What is no file, or does not stay as it is


def test_symlinks_fifos_devices_sockets_and_directories_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("secret")
    (tmp_path / "link.txt").symlink_to(tmp_path / "file.txt")
    os.mkfifo(tmp_path / "fifo.txt")
    (tmp_path / "folder.txt").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.txt"))
        for path in (*(tmp_path / f"{name}.txt" for name in ("link", "fifo", "folder", "socket")), Path("/dev/zero")):
            start = time.monotonic()
            with raises(Refused) as caught:
                parse(str(path), suffix=".txt")
            assert caught.value.reason_code == "not_a_file", path
            assert time.monotonic() - start < 1


def test_files_that_are_gone_or_closed_are_unreadable(tmp_path: Path) -> None:
    for path in (str(tmp_path / "none.txt"), b"/none/at\xff/all.txt", "nul\0.txt", 987_654):
        with raises(Refused) as caught:
            parse(path, suffix=".txt")
        assert caught.value.reason_code == "unreadable"


def test_paths_are_bytes_and_descriptors_are_left_open(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/odd\xff\nname.docx"
    with open(path, "wb") as file:
        file.write(MADE[".docx"]())
    assert parse(path, suffix=".DOCX").text == "Retention 해지"
    with open(path, "rb") as file:
        file.read(10)
        assert parse(file.fileno(), suffix=".docx") == parse(file.fileno(), suffix=".docx")


@mark.parametrize("suffix", [".txt", ".docx"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oracl_git.ontology.parsers import read

    path = tmp_path / f"file{suffix}"
    path.write_bytes(MADE[suffix]())
    collect = read._collect

    def write_meanwhile(*args: object) -> Iterator[object]:
        for section in collect(*args):  # type: ignore[arg-type]
            with path.open("ab") as file:
                file.write(b"more")
            yield section

    monkeypatch.setattr(read, "_collect", write_meanwhile)
    with raises(Refused) as caught:
        parse(str(path), suffix=suffix)
    assert caught.value.reason_code == "changed"


# The process that reads


def reader() -> children.Child:
    """The process kept for documents."""
    still_reads()
    return children._children[False]


def test_one_process_reads_many_files_and_a_dead_one_is_replaced() -> None:
    first = reader().pid
    assert reader().pid == first
    os.kill(first, signal.SIGKILL)
    children._children[False]._process.wait()
    assert reader().pid != first


def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    pid = reader().pid
    monkeypatch.setattr(children, "_START", 0.3)
    monkeypatch.setattr(children, "_PATIENCE", 0.0)
    os.kill(pid, signal.SIGSTOP)
    assert refusal(MADE[".docx"](), ".docx").reason_code == "timeout"
    monkeypatch.undo()
    assert reader().pid != pid


def test_a_process_that_dies_in_the_middle_is_no_end_of_the_caller() -> None:
    pid = reader().pid
    os.kill(pid, signal.SIGSTOP)
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    assert refusal(MADE[".docx"](), ".docx").reason_code == "crashed"
    timer.join()
    still_reads()


@mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'["section", "nonsense", "", 0, ""]', b'["section", "row"]', b'["refused", "unheard", "", ""]',
     b'["done", 1]', b"[" * 100_000, b"\xff", b'["section", "row", "x", {}, ""]'],
)  # fmt: skip
def test_no_answer_of_the_process_is_trusted(answer: bytes) -> None:
    with raises(Refused) as caught:
        children._understand(answer, About(".docx"))
    assert caught.value.reason_code == "crashed"


def test_threads_take_turns() -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(parse_bytes(MADE[".docx"](), suffix=".docx").text))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["Retention 해지"] * 8


def test_a_forked_process_starts_its_own_reader() -> None:
    pid = reader().pid
    forked = os.fork()
    if not forked:
        os._exit(0 if reader().pid != pid else 1)
    assert os.waitpid(forked, 0)[1] == 0
    assert reader().pid == pid


ENCLOSED = """
import os, socket, sys
from oracl_git.ontology.parsers import sandbox
sandbox.enclose(programs=False)
sandbox.limit(50 << 20, 5)
tries = [
    lambda: socket.socket(), lambda: socket.create_connection(("127.0.0.1", 9)), lambda: open("made", "w"),
    lambda: os.open("there", os.O_RDWR), lambda: os.open("there", os.O_WRONLY | os.O_APPEND), lambda: os.mkdir("made"),
    lambda: os.unlink("there"), lambda: os.rename("there", "made"), lambda: os.symlink("there", "made"),
    lambda: os.chmod("there", 0), lambda: os.execv("/bin/true", ["true"]), lambda: os.truncate("there", 0),
]
for number, attempt in enumerate(tries):
    try:
        attempt()
    except OSError:
        continue
    print("allowed:", number)
try:
    print("allowed:", len(bytearray(100 << 20)))
except MemoryError:
    print(open("there").read())
"""


@mark.skipif(not sys.platform.startswith("linux"), reason="the system call filter is Linux's")
def test_the_process_can_neither_write_nor_connect_nor_start_anything(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("still there")
    done = subprocess.run([sys.executable, "-c", ENCLOSED], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert done.stdout == "still there\n"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_modules_in_the_working_directory_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "zipfile", "oracl_git"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hostile')")
    monkeypatch.chdir(tmp_path)
    children.close()
    still_reads()


def test_the_process_holds_nobodys_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    children.close()
    for name in ("ORACALL_HMAC_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "Db_Password"):
        monkeypatch.setenv(name, "open sesame")
    held = Path(f"/proc/{reader().pid}/environ").read_bytes()
    children.close()
    assert b"PATH=" in held and b"open sesame" not in held
