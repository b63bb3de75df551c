"""Archives that promise what they do not hold: each is refused, before it takes memory or time."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.patience import PATIENCE

TREE = b'{"format": "specgrad", "version": 1, "byteorder": "%s", "object": %%s}' % sys.byteorder.encode()
ARRAY = b'{"type": "array", "storage": %d, "dtype": "uint8", "shape": [4], "scalar": false}'
LIST = b'{"type": "list", "items": [%s]}'
TENSOR = (
    b'{"type": "tensor", "class": "tensor", "storage": 0, "dtype": "float32", "shape": %s, "strides": %s, '
    b'"offset": %s, "requires_grad": false, "device": "cpu"}'
)
ONE = ARRAY % 0


class Part(NamedTuple):
    """A member, and what its two headers say of it where that is not true; `at` is the part where it says it lies."""

    name: bytes
    data: bytes
    method: int = 0
    flags: int = 0
    size: int | None = None
    packed: int | None = None
    checksum: int | None = None
    extra: bytes = b""
    local_name: bytes | None = None
    local_flags: int | None = None
    at: int | None = None


def tree(description: bytes, **lies: int) -> Part:
    return Part(b"tree.json", TREE % description, **lies)  # type: ignore[arg-type]


def deflated(part: Part) -> Part:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(part.data) + packer.flush()
    return part._replace(data=data, method=8, size=len(part.data), packed=len(data), checksum=zlib.crc32(part.data))


def archive(*parts: Part, comment: bytes = b"", start: int = 0, length: int = 0, count: int = 0) -> bytes:
    """A ZIP archive, its last record wrong by `start`, `length` and `count`."""
    members, directory, positions = b"", b"", []
    for part in parts:
        sizes = (
            len(part.data) if part.packed is None else part.packed,
            len(part.data) if part.size is None else part.size,
        )
        checksum = zlib.crc32(part.data) if part.checksum is None else part.checksum
        positions.append(len(members))
        local = part.name if part.local_name is None else part.local_name
        flags = part.flags if part.local_flags is None else part.local_flags
        center = struct.pack("<4H3L", part.method, 0, 33, 0, 0, 0, 0)[:6] + struct.pack("<3L", checksum, *sizes)
        if part.at is None:
            members += b"PK\3\4" + struct.pack("<2H", 20, flags) + center + struct.pack("<2H", len(local), 0) + local
            members += part.data
        lengths = struct.pack("<5H2L", len(part.name), len(part.extra), 0, 0, 0, 0, positions[part.at or -1])
        directory += b"PK\1\2" + struct.pack("<3H", 20, 20, part.flags) + center + lengths + part.name + part.extra
    numbers = len(parts) + count, len(parts) + count, len(directory) + length, len(members) + start
    return members + directory + b"PK\5\6" + struct.pack("<4H2LH", 0, 0, *numbers, len(comment)) + comment


STORAGE = Part(b"storages/0", b"\1\2\3\4")
FULL = 0xFFFFFFFF
HUGE = struct.pack("<2H2Q", 1, 16, 2**40, 2**40)

TRICKS: dict[str, Callable[[], bytes]] = {
    "description that inflates": lambda: archive(deflated(tree(b" " * 300_000_000 + b"1"))),
    "storage that inflates": lambda: archive(tree(ONE), deflated(STORAGE._replace(data=bytes(300_000_000)))),
    "packed in another way": lambda: archive(tree(ONE), STORAGE._replace(method=12)),
    "unknown packing": lambda: archive(tree(ONE), STORAGE._replace(method=99)),
    "encrypted": lambda: archive(tree(ONE), STORAGE._replace(flags=1)),
    "encrypted description": lambda: archive(tree(ONE, flags=1), STORAGE),
    "encrypted where it lies": lambda: archive(tree(ONE), STORAGE._replace(local_flags=1)),
    "encrypted strongly": lambda: archive(tree(ONE), STORAGE._replace(flags=0x41)),
    "a patch": lambda: archive(tree(ONE), STORAGE._replace(flags=0x20)),
    "longer than the file": lambda: archive(tree(ONE), STORAGE._replace(size=2**31, packed=2**31)),
    "longer by 64 bits": lambda: archive(tree(ONE), STORAGE._replace(size=FULL, packed=FULL, extra=HUGE)),
    "64 bits left out": lambda: archive(tree(ONE), STORAGE._replace(size=FULL, packed=FULL, extra=b"\1\0\0\0")),
    "64 bits cut off": lambda: archive(tree(ONE), STORAGE._replace(size=FULL, packed=FULL, extra=b"\1\0\x10\0\0\0")),
    "two sizes": lambda: archive(tree(ONE), STORAGE._replace(size=8)),
    "description twice": lambda: archive(tree(b"1"), tree(b"2")),
    "storage twice": lambda: archive(tree(ONE), STORAGE, STORAGE),
    "one place for two": lambda: archive(
        tree(LIST % b", ".join([ONE, ARRAY % 1])),
        STORAGE,
        STORAGE._replace(name=b"storages/1", at=1),
    ),
    "one place for many": lambda: archive(
        tree(LIST % b", ".join(ARRAY % n for n in range(3000))),
        STORAGE._replace(data=bytes(1_000_000)),
        *(Part(b"storages/%d" % n, bytes(1_000_000), at=1, checksum=0) for n in range(1, 40)),
    ),
    "one inside another": lambda: archive(tree(ONE), STORAGE._replace(size=200, packed=200), Part(b"storages/1", b"1")),
    "another name where it lies": lambda: archive(tree(ONE), STORAGE._replace(local_name=b"storages/1")),
    "absolute name": lambda: archive(tree(ONE), STORAGE, Part(b"/etc/passwd", b"root")),
    "a name that leads out": lambda: archive(tree(ONE), STORAGE, Part(b"../../x", b"")),
    "a name that is no text": lambda: archive(tree(ONE), STORAGE, Part(b"\xff\xfe", b"", flags=0x800)),
    "a folder": lambda: archive(tree(ONE), Part(b"storages/", b""), STORAGE),
    "storage 00": lambda: archive(tree(ONE), Part(b"storages/00", b"1234")),
    "wrong checksum": lambda: archive(tree(ONE), STORAGE._replace(checksum=1)),
    "no description": lambda: archive(STORAGE),
    "no storage": lambda: archive(tree(ONE)),
    "nothing": lambda: archive(),
    "a comment": lambda: archive(tree(ONE), STORAGE, comment=b"PK\5\6"),
    "directory too long": lambda: archive(tree(ONE), STORAGE, length=10_000),
    "directory too short": lambda: archive(tree(ONE), STORAGE, length=-5),
    "directory too late": lambda: archive(tree(ONE), STORAGE, start=3),
    "brackets": lambda: archive(tree(b"[" * 2_000_000)),
    "brackets that close": lambda: archive(tree(b"[" * 100_000 + b"]" * 100_000)),
    "lists in lists": lambda: archive(tree(b'{"type": "list", "items": [' * 50_000 + b"1" + b"]}" * 50_000)),
    "many lists": lambda: archive(tree(b"[" + b"[]," * 2_000_000 + b"[]]")),
    "an endless number": lambda: archive(tree(b"9" * 3_000_000)),
    "no text": lambda: archive(tree(b'"\xff\xfe"')),
    "half a pair": lambda: archive(tree(b'{"type": "device", "value": "\\ud800"}')),
    "huge array": lambda: archive(tree(ONE.replace(b"[4]", b"[4000000000, 4000000000]")), STORAGE),
    "array of unknown length": lambda: archive(tree(ONE.replace(b"[4]", b"[-1]")), STORAGE),
    "huge tensor": lambda: archive(tree(TENSOR % (b"[1099511627776]", b"[1]", b"0")), STORAGE),
    "tensor of too many": lambda: archive(tree(TENSOR % (b"[4294967296, 4294967296]", b"[0, 0]", b"0")), STORAGE),
    "far tensor": lambda: archive(tree(TENSOR % (b"[1]", b"[1]", b"9223372036854775807")), STORAGE),
    "far step": lambda: archive(tree(TENSOR % (b"[2]", b"[18446744073709551615]", b"1")), STORAGE),
    "step back": lambda: archive(tree(TENSOR % (b"[2]", b"[-1]", b"1")), STORAGE),
    "device that is none": lambda: archive(
        tree((TENSOR % (b"[1]", b"[1]", b"0")).replace(b'"cpu"', b'"gpu"')), STORAGE
    ),
    "gradient of integers": lambda: archive(
        tree((TENSOR % (b"[1]", b"[1]", b"0")).replace(b"float32", b"int32").replace(b"false", b"true")), STORAGE
    ),
}

GOOD: dict[str, Callable[[], bytes]] = {
    "65 dimensions": lambda: archive(
        tree(TENSOR % (b"[1%s]" % (b", 1" * 64), b"[0%s]" % (b", 0" * 64), b"0")), STORAGE
    ),
    "as it is saved": lambda: archive(tree(ONE), STORAGE),
    "numbers of 64 bits": lambda: archive(
        tree(ONE), STORAGE._replace(size=FULL, packed=FULL, extra=struct.pack("<2H2Q", 1, 16, 4, 4))
    ),
    "after something else": lambda: b"something" + archive(tree(ONE), STORAGE),
    "one element many times": lambda: archive(tree(TENSOR % (b"[1099511627776]", b"[0]", b"0")), STORAGE),
}

LOADER = """
import sys
import specgrad as sg
from specgrad.runtime.errors import SerializationError
for path in sys.argv[1:]:
    if sys.platform == "linux":  # no more than 100 MB and four times the file
        import os, resource
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (now + 100_000_000 + 4 * os.path.getsize(path), before[1]))
    try:
        sg.load(path)
        print("loaded")
    except SerializationError as error:
        print(str(error)[-200:].encode())
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, before)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What one process with little memory answers to each file."""
    folder, paths = tmp_path_factory.mktemp("tricks"), []
    for number, make in enumerate((TRICKS | GOOD).values()):
        paths.append(folder / f"{number}.pt")
        paths[-1].write_bytes(make())
    done = _run(paths)
    return dict(zip(TRICKS | GOOD, done, strict=True))


def _run(paths: list[Path]) -> list[str]:
    reserves_nothing = os.environ | {"MALLOC_TOP_PAD_": "131072"}  # glibc's own number: a heap without room is counted
    command = [sys.executable, "-c", LOADER, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=reserves_nothing)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_are_refused(answers: dict[str, str], name: str, figures: Callable[..., None]) -> None:
    """The archive is refused with a SerializationError, in little memory."""
    figures("archives that lie", files=1)
    assert answers[name] != "loaded"
    assert "not enough memory" not in answers[name] or name == "many lists"


@pytest.mark.parametrize("name", GOOD)
def test_what_is_unusual_but_true_is_loaded(answers: dict[str, str], name: str) -> None:
    """Archives that are unlike those that save writes, but say nothing wrong."""
    assert answers[name] == "loaded"
