"""Files that were damaged or forged: `load` gives what was saved, or a SerializationError, and nothing else."""

from __future__ import annotations

import functools
import io
import pickletools
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.errors import SerializationError
from tests.attack.amount import SEED, amount

from .saved_files import described, kinds, saved, saved_to_pipe

CHUNKS = amount(1, 8)


@functools.cache
def _files() -> list[tuple[bytes, str]]:
    """Bytes, and what loading them gives."""
    values = list(kinds().values())
    return [(write(value), described(value)) for value in values for write in (saved, saved_to_pipe)]


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        data[_index(data, rng)] ^= 1 << rng.randrange(8)


def _set(data: bytearray, rng: random.Random) -> None:
    location = _index(data, rng)
    data[location : location + 4] = rng.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", rng.randbytes(4)))[
        : len(data) - location
    ]


def _cut_end(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _cut_out(data: bytearray, rng: random.Random) -> None:
    location = _index(data, rng)
    del data[location : location + rng.randint(1, 100)]


def _put_in(data: bytearray, rng: random.Random) -> None:
    location = _index(data, rng)
    data[location:location] = rng.randbytes(rng.randint(1, 40))


def _repeat(data: bytearray, rng: random.Random) -> None:
    location, length = _index(data, rng), rng.randint(1, 400)
    data[location:location] = data[location : location + length]


def _splice(data: bytearray, rng: random.Random) -> None:
    other, _ = rng.choice(_files())
    data[_index(data, rng) :] = other[rng.randrange(len(other)) :]


DAMAGES: list[Callable[[bytearray, random.Random], None]] = [
    _flip,
    _flip,
    _set,
    _cut_end,
    _cut_out,
    _put_in,
    _repeat,
    _splice,
]


def _index(data: bytearray, rng: random.Random) -> int:
    """Any byte, or one of what describes the members: headers and the directory."""
    if not data:
        return 0
    signatures = [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"]
    found = data.find(rng.choice(signatures), rng.randrange(len(data))) if rng.random() < 0.6 else -1
    return rng.randrange(len(data)) if found < 0 else min(found + rng.randrange(60), len(data) - 1)


def _loaded(data: bytes) -> str | None:
    """What the bytes hold, or None if they are refused."""
    try:
        return described(sg.load(io.BytesIO(data)))
    except SerializationError:
        return None


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_damaged_files(chunk: int, figures: Callable[..., None]) -> None:
    """Bits flipped, bytes lost, put in, repeated or taken from other files: what was saved comes back, or an error."""
    refused, rounds, full = 0, amount(1500, 2000), {text for _, text in _files()}
    for number in range(rounds):
        seed = f"{SEED} damage {chunk} {number}"
        rng = random.Random(seed)
        original, text = rng.choice(_files())
        data, damage = bytearray(original), rng.choice(DAMAGES)
        damage(data, rng)
        found = _loaded(bytes(data))
        refused += found is None
        assert found in (None, text) or (damage is _splice and found in full), f"seed {seed!r}: {damage.__name__}"
    figures("damaged files", files=rounds, refused=refused)
    assert refused > rounds / 2


def test_every_length_and_every_bit(figures: Callable[..., None]) -> None:
    """One file cut at every length, and with every bit flipped: what was saved, or an error; cut ones never load."""
    value = {"x": sg.arange(3.0), "n": [1, "two"]}
    data, step = saved(value), amount(5, 1)
    for length in range(0, len(data), step):
        assert _loaded(data[:length]) is None, f"length {length}"
    bits = range(SEED % step, 8 * len(data), step)
    refused = 0
    for bit in bits:
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        found = _loaded(bytes(damaged))
        refused += found is None
        assert found in (None, described(value)), f"bit {bit}"
    figures("damaged files", files=len(bits) + len(range(0, len(data), step)), refused=refused)


HOSTILE: list[bytes] = [
    *(
        b"N",
        b"\x88",
        b"K\x00",
        b"J\xff\xff\xff\xff",
        b"J\xff\xff\xff\x7f",
        b"\x8a\x08" + b"\xff" * 7 + b"\x7f",
        b"\x8a\x09" + b"\0" * 8 + b"\1",
    ),
    *(
        b"G\x7f\xf0" + bytes(6),
        b"X\0\0\0\0",
        b"X\x06\0\0\0cuda:0",
        b"X\x09\0\0\0cpu:99999",
        b"X\x05\0\0\0../..",
        b")",
        b"]",
        b"}",
    ),
    *(
        b"(",
        b"0",
        b"1",
        b"2",
        b"t",
        b"\x85",
        b"\x86",
        b"\x87",
        b"s",
        b"u",
        b"a",
        b"e",
        b"Q",
        b"R",
        b"b",
        b"\x81",
        b"h\0",
        b"h\1",
        b"q\0",
    ),
    *(
        f"c{name}\n".encode()
        for name in ("os\nsystem", "builtins\nlist", "torch\nfloat64", "torch\nLongStorage", "torch\nTensor")
    ),
    *(
        f"c{name}\n".encode()
        for name in ("numpy\ndtype", "collections\nOrderedDict", "torch._tensor\n_rebuild_from_type_v2")
    ),
]


def _opcodes(description: bytes) -> list[bytes]:
    """The pickle in pieces, one for each opcode with its argument."""
    positions = [location for _, _, location in pickletools.genops(description) if location is not None]
    return [description[begin:end] for begin, end in zip(positions, [*positions[1:], len(description)], strict=True)]


def _forged(pieces: list[bytes], rng: random.Random) -> None:
    """A piece is taken away, replaced by another piece or by something hostile, or gets another byte."""
    location = rng.randrange(len(pieces))
    if len(pieces) < 2:
        return
    action = rng.randrange(4)
    if action == 0:
        del pieces[location]
    elif action == 1:
        pieces[location] = rng.choice(pieces)
    elif action == 2:
        pieces.insert(location, rng.choice(HOSTILE)) if rng.random() < 0.3 else pieces.__setitem__(
            location, rng.choice(HOSTILE)
        )
    else:
        piece = bytearray(pieces[location])
        piece[rng.randrange(len(piece))] = rng.choice((0, 1, 2, 127, 128, 255))
        pieces[location] = bytes(piece)


def _with_pickle(data: bytes, description: bytes) -> bytes:
    """The file with another pickle, and with checksums that fit it."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, description if info.filename.endswith("data.pkl") else old.read(info))
    return file.getvalue()


def _use(value: Any, seen: set[int]) -> None:
    """Read what was loaded, as far as it has no more elements than a program would print."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, sg.Tensor):
        assert value.numel() < 1e5 and (value.clone().tolist() is not None) or 0 in value.stride()
    elif isinstance(value, dict):
        for key, part in value.items():
            _use(key, seen)
            _use(part, seen)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            _use(part, seen)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_forged_descriptions(chunk: int, figures: Callable[..., None]) -> None:
    """Files whose checksums fit, but that say wrong things, give tensors inside their memory or an error."""
    refused, rounds = 0, amount(800, 1000)
    for number in range(rounds):
        seed = f"{SEED} forged {chunk} {number}"
        rng = random.Random(seed)
        data, _ = rng.choice(_files())
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            pieces = _opcodes(archive.read("archive/data.pkl"))
        for _ in range(rng.choice((1, 1, 3))):
            _forged(pieces, rng)
        forged = _with_pickle(data, b"".join(pieces))
        try:
            _use(sg.load(io.BytesIO(forged)), set())
        except SerializationError:
            refused += 1
        except sg.runtime.errors.DeviceError as error:
            assert "map_location" in str(error), f"seed {seed!r}"
        except Exception as error:
            raise AssertionError(f"seed {seed!r}: {type(error).__name__}") from error
    figures("forged files", files=rounds, refused=refused)
    assert refused > rounds / 4
