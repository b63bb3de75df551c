"""Messages from rank to rank: each comes with a line that says what it is, which who receives it compares.

Of a collective all ranks say number, name, dtype, shape and ways before its contents are believed: a line of text in a
field of fixed length. All ranks get all fields while the contents are under way; lines that differ are the error, and
say themselves what each rank has called.
"""

import os
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .algorithms import Then, nothing, once
from .links import ANY
from .observers import rank_names
from .work import Steps, raw

LENGTH = 120
checking = os.environ.get("SPECGRAD_DISTRIBUTED_CHECK", "1") != "0"


def field(text: str) -> np.ndarray:
    """Of a line that is longer, the end is replaced by its checksum."""
    data = text.encode()
    if len(data) > LENGTH:
        mark = f"...{zlib.crc32(data):08x}".encode()
        data = data[: LENGTH - len(mark)] + mark
    return np.frombuffer(data.ljust(LENGTH, b"\0"), np.uint8)


def field_text(data: np.ndarray) -> str:
    return data.tobytes().rstrip(b"\0").decode(errors="replace")


def disagreement(every: np.ndarray, ranks: Sequence[int]) -> str | None:
    """What ranks have called where they differ, or None: those who agree stand together."""
    size = len(ranks)
    fields = every.reshape(size, LENGTH)
    if (fields == fields[0]).all():
        return None
    by_header: dict[str, list[int]] = {}
    for rank, data in zip(ranks, fields, strict=True):
        by_header.setdefault(field_text(data), []).append(rank)
    return "; ".join(f"{rank_names(who)} called {text}" for text, who in by_header.items())


def called(name: str, kind: str = "", shape: Sequence[int] | None = None, *ways: str) -> str:
    """The line of a call, but for its number; `ways` is what else all ranks have to say, such as "SUM" or "src=0"."""
    parts = [name, *([kind] if kind else []), *([f"{list(shape)}"] if shape is not None else []), *ways]
    return " ".join(parts)


def _line(kind: str, flat: np.ndarray) -> str:
    """What sender and receiver say alike of a message."""
    return called("message", kind, [flat.size])


def send(group: Any, kind: str, shape: Sequence[int], flat: np.ndarray, to: int, tag: int, outputs: Any = ()) -> Any:
    header = (group.control.send(field(_line(kind, flat)), to, tag), lambda: None) if checking else None
    call_description = called("send", kind, shape, f"to rank {group.ranks[to]}")
    return group.begin_message(call_description, once(nothing, group.link.send, raw(flat), to, tag), header, outputs)


def receive(
    group: Any, kind: str, shape: Sequence[int], flat: np.ndarray, source: int, tag: int, then: Then, outputs: Any = ()
) -> Any:
    whom = "any rank" if source == ANY else f"rank {group.ranks[source]}"
    steps = _received(group, flat, _line(kind, flat), source, tag, then)
    return group.begin_message(called("recv", kind, shape, f"from {whom}"), steps, None, outputs)


def _received(group: Any, flat: np.ndarray, expected: str, source: int, tag: int, then: Then) -> Steps:
    """What the sender says of the message, and the message; of whoever is first, what it says tells who that is.

    Both begin at once where the sender is known, so that messages are received in the order of the calls.
    """
    data = None if source == ANY and checking else group.link.receive(raw(flat), source, tag)
    if checking:
        field = np.empty(LENGTH, np.uint8)
        header = group.control.receive(field, source, tag)
        yield header
        source, result = header.source, field_text(field)
        if result != expected:
            raise ValueError(f"rank {group.ranks[source]} has sent a {result}, but this rank expects a {expected}")
    yield data or group.link.receive(raw(flat), source, tag)
    then()
