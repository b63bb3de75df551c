"""The table itself: names with bytes, counters and queues, and threads that wait for names.

All stores do the same to a table, by the same names: that of this process (HashStore), that of a server (TCPStore), or
the one that the lines of a file add up to (FileStore). A call is a name and fields of bytes, and so is its answer.
In a file or a stream fields stand one behind the other: how many, and each with its length before it.
"""

import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

CHANGING = frozenset(("set", "add", "append", "compare_set", "delete", "push", "pop"))  # what FileStore writes down
_EMPTY = b"\0"
_DEFINED_FLAG = b"\1"


class Table:
    """Names with bytes. Every call is one step that no other thread comes between."""

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}
        self._queues: dict[bytes, deque[bytes]] = {}
        self._changed = threading.Condition()

    def call(self, name: str, *fields: bytes) -> list[bytes]:
        if name not in _CALLS:
            raise ValueError(f"a store has no call {name!r}")
        with self._changed:
            answer = _CALLS[name](self, *fields)
            if name in CHANGING:
                self._changed.notify_all()
        return answer

    def wait(self, keys: tuple[bytes, ...], seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: all(map(self._has, keys)), seconds)

    def _has(self, key: bytes) -> bool:
        return key in self._values or bool(self._queues.get(key))

    def _set(self, key: bytes, value: bytes) -> list[bytes]:
        self._values[key] = value
        return []

    def _get(self, key: bytes) -> list[bytes]:
        return [self._values[key]] if key in self._values else []

    def _add(self, key: bytes, amount: bytes) -> list[bytes]:
        before = self._values.get(key, b"0")
        try:
            total = int(before) + int(amount)
        except ValueError:
            raise ValueError(f"add(): {before[:40]!r}, which {key!r} has, is no integer") from None
        self._values[key] = str(total).encode()
        return [self._values[key]]

    def _append(self, key: bytes, value: bytes) -> list[bytes]:
        return self._set(key, self._values.get(key, b"") + value)

    def _compare_set(self, key: bytes, expected: bytes, desired: bytes) -> list[bytes]:
        if self._values.get(key, b"") == expected:
            self._values[key] = desired
        return [self._values.get(key, expected)]

    def _delete(self, key: bytes) -> list[bytes]:
        return [_EMPTY if self._values.pop(key, None) is None else _DEFINED_FLAG]

    def _check(self, *keys: bytes) -> list[bytes]:
        return [_DEFINED_FLAG if all(map(self._has, keys)) else _EMPTY]

    def _keys(self) -> list[bytes]:
        return [*self._values, *(key for key, items in self._queues.items() if items)]

    def _push(self, key: bytes, value: bytes) -> list[bytes]:
        self._queues.setdefault(key, deque()).append(value)
        return []

    def _pop(self, key: bytes) -> list[bytes]:
        return [self._queues[key].popleft()] if self._queues.get(key) else []

    def _length(self, key: bytes) -> list[bytes]:
        return [str(len(self._queues.get(key, ()))).encode()]


def has_fields(answer: list[bytes]) -> bool:
    return answer == [_DEFINED_FLAG]


_NAMES = (*CHANGING, "get", "check", "keys", "length")
_CALLS: dict[str, Callable[..., list[bytes]]] = {name: getattr(Table, f"_{name}") for name in _NAMES}


def left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


_COUNT = struct.Struct("!I")
_LENGTH = struct.Struct("!Q")
MAX_FIELDS = 1 << 20
MAX_FIELD_BYTES = 1 << 31  # of one field: more is not a store's, and a length that is damaged asks for any number


class Ended(Exception):
    """The bytes end within fields, or before them."""


class Malformed(Exception):
    """The bytes are no fields."""


def packed(fields: Sequence[bytes]) -> bytes:
    parts = [_COUNT.pack(len(fields))]
    for field in fields:
        parts += [_LENGTH.pack(len(field)), field]
    return b"".join(parts)


def unpacked(read: Callable[[int], bytes]) -> list[bytes]:
    """The fields that come next; `read` gives as many bytes as it is asked for, or fewer at the end."""
    (count,) = _COUNT.unpack(_exactly(read, _COUNT.size))
    if count > MAX_FIELDS:
        raise Malformed(f"{count} fields are announced")
    fields = []
    for _ in range(count):
        (length,) = _LENGTH.unpack(_exactly(read, _LENGTH.size))
        if length > MAX_FIELD_BYTES:
            raise Malformed(f"a field of {length} bytes is announced")
        fields.append(_exactly(read, length))
    return fields


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size)
    if len(data) != size:
        raise Ended(f"{len(data)} of {size} bytes")
    return data
