"""Reading pickles that hold data: a machine for the opcodes that `save` writes, which calls what it is told of only.

Python's own reader imports what a pickle names and calls it. This one asks `find` for every name, keeps what each name
may be called with beside it, and knows no other way to call anything.
"""

import struct
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from pickle import decode_long
from typing import Any, NamedTuple

from .zip_archive import Damage

_MAX_KEY_PARTS = 10_000  # parts of a tuple that is a key: tuples that hold each other twice have no end for `hash`
_MAPPINGS = (dict, OrderedDict, Counter, defaultdict)
_MARK = object()


class Named(NamedTuple):
    """What a name in a pickle stands for: the value, and how it is called and made, where it may be."""

    value: Any
    call: Callable[..., Any] | None = None
    new: Callable[..., Any] | None = None
    build: Callable[[Any, Any], None] | None = None  # of its instances, with their state
    fill: bool = False  # instances take items


Find = Callable[[str, str], Named]


def checked_key(value: Any) -> Any:
    """The value, if it can be a key and its hash takes no longer than its parts."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, tuple):
            waiting.extend(part)
        if count + len(waiting) > _MAX_KEY_PARTS:
            raise Damage("a key has too many parts")
    hash(value)
    return value


class Reader:
    """Reads one pickle after the other from bytes.

    Args:
        data: the bytes.
        find: what a module and a name in it stand for; raises for what may not be named.
        persistent: the object of a persistent id.
    """

    def __init__(self, data: bytes, find: Find, persistent: Callable[[Any], Any]) -> None:
        self._data = data
        self._find = find
        self._persistent = persistent
        self.position = 0

    def load(self) -> Any:
        """The object of the pickle that begins at `position`, which is its end afterwards."""
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._named: dict[int, Named] = {}  # by the number of the value, which the entry keeps alive
        data, operations = self._data, _OPERATIONS
        while self.position < len(data):
            code = data[self.position]
            self.position += 1
            if code == _STOP:
                return self._stack.pop()
            operation = operations.get(code)
            if operation is None:
                raise Damage(f"a pickle of tensors has no opcode {code:#04x}")
            operation(self)
        raise Damage("the pickle ends early")

    def take(self, count: int) -> bytes:
        begin, self.position = self.position, self.position + count
        if self.position > len(self._data):
            raise Damage("the pickle ends early")
        return self._data[begin : self.position]

    def number(self, format: struct.Struct) -> Any:
        begin, self.position = self.position, self.position + format.size
        if self.position > len(self._data):
            raise Damage("the pickle ends early")
        return format.unpack_from(self._data, begin)[0]

    def byte(self) -> int:
        begin, self.position = self.position, self.position + 1
        if begin >= len(self._data):
            raise Damage("the pickle ends early")
        return self._data[begin]

    def line(self) -> str:
        end = self._data.find(b"\n", self.position)
        if end < 0:
            raise Damage("the pickle ends early")
        text = self.take(end - self.position).decode()
        self.position += 1
        return text

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def pop(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise Damage("the pickle takes what it has not put there")
        return self._stack.pop()

    def top(self) -> Any:
        self.push(self.pop())
        return self._stack[-1]

    def since_mark(self) -> list[Any]:
        for mark_position in range(len(self._stack) - 1, -1, -1):
            if self._stack[mark_position] is _MARK:
                entry = self._stack[mark_position + 1 :]
                del self._stack[mark_position:]
                return entry
        raise Damage("the pickle goes back to a mark that it has not set")

    def name(self, module: str, name: str) -> None:
        result = self._find(module, name)
        self._named[id(result.value)] = result
        self.push(result.value)

    def get(self, number: int) -> None:
        if number not in self._memo:
            raise Damage("the pickle names an object that it has not kept")
        self.push(self._memo[number])

    def put(self, number: int) -> None:
        stack = self._stack
        if not stack or stack[-1] is _MARK:
            raise Damage("the pickle keeps what it has not put there")
        self._memo[number] = stack[-1]

    def keep(self) -> None:
        self.put(len(self._memo))

    def persistent(self) -> None:
        self.push(self._persistent(self.pop()))

    def call(self) -> None:
        arguments, function = self.pop(), self.pop()
        cached = self._named.get(id(function))
        if cached is None or cached.call is None or type(arguments) is not tuple:
            raise Damage(f"the pickle calls {type(function).__name__} {getattr(function, '__name__', '')}")
        self.push(cached.call(*arguments))

    def new(self, keywords: bool = False) -> None:
        more = self.pop() if keywords else {}
        arguments, cls = self.pop(), self.pop()
        cached = self._named.get(id(cls))
        if cached is None or cached.new is None or type(arguments) is not tuple or type(more) is not dict:
            raise Damage(f"the pickle makes an object of {getattr(cls, '__name__', type(cls).__name__)}")
        self.push(cached.new(*arguments, **more))

    def build(self) -> None:
        state, value = self.pop(), self.top()
        result = self._of_class(value)
        if result is None or result.build is None:
            raise Damage(f"the pickle gives a {type(value).__name__} a state")
        result.build(value, state)

    def _of_class(self, value: Any) -> Named | None:
        return next((self._named[id(cls)] for cls in type(value).__mro__ if id(cls) in self._named), None)

    def _filled(self, value: Any, kinds: tuple[type, ...]) -> Any:
        result = self._of_class(value)
        if type(value) not in kinds and (result is None or not result.fill):
            raise Damage(f"the pickle puts items into a {type(value).__name__}")
        return value

    def set_items(self, items: list[Any]) -> None:
        target = self._filled(self.top(), _MAPPINGS)
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[checked_key(key)] = value

    def append(self, items: list[Any]) -> None:
        self._filled(self.top(), (list,)).extend(items)

    def add(self, items: list[Any]) -> None:
        self._filled(self.top(), (set,)).update(map(checked_key, items))


_STOP = ord(".")
_BYTE, _SHORT, _INT, _UINT, _LONG = (struct.Struct(f) for f in ("<B", "<H", "<i", "<I", "<Q"))
_FLOAT = struct.Struct(">d")


def _named_by_stack(reader: Reader) -> None:
    name, module = reader.pop(), reader.pop()
    if type(name) is not str or type(module) is not str:
        raise Damage("the pickle names something that is no text")
    reader.name(module, name)


def _pairs(reader: Reader) -> dict[Any, Any]:
    items = reader.since_mark()
    return {checked_key(key): value for key, value in zip(items[::2], items[1::2], strict=True)}


def _last(reader: Reader, count: int) -> tuple[Any, ...]:
    return tuple(reversed([reader.pop() for _ in range(count)]))


def _read_string(reader: Reader, size: struct.Struct) -> str:
    return reader.take(reader.number(size)).decode("utf-8", "surrogatepass")


def _signed_size(reader: Reader) -> int:
    count = int(reader.number(_INT))
    if count < 0:
        raise Damage("the pickle has a size below zero")
    return count


# By the opcode's letter in Python's documentation of the format (the module pickletools lists them with their names).
_OPERATIONS: dict[int, Callable[[Reader], Any]] = {
    0x80: lambda r: r.take(1),  # the protocol
    0x95: lambda r: r.take(8),  # a frame
    ord("("): lambda r: r.push(_MARK),
    ord("0"): lambda r: r.pop(),
    ord("1"): lambda r: r.since_mark(),
    ord("2"): lambda r: r.push(r.top()),
    ord("N"): lambda r: r.push(None),
    0x88: lambda r: r.push(True),
    0x89: lambda r: r.push(False),
    ord("K"): lambda r: r.push(r.byte()),
    ord("M"): lambda r: r.push(r.number(_SHORT)),
    ord("J"): lambda r: r.push(r.number(_INT)),
    0x8A: lambda r: r.push(decode_long(r.take(r.byte()))),
    0x8B: lambda r: r.push(decode_long(r.take(_signed_size(r)))),
    ord("G"): lambda r: r.push(r.number(_FLOAT)),
    0x8C: lambda r: r.push(_read_string(r, _BYTE)),
    ord("X"): lambda r: r.push(_read_string(r, _UINT)),
    0x8D: lambda r: r.push(_read_string(r, _LONG)),
    ord("U"): lambda r: r.push(r.take(r.byte()).decode("latin-1")),
    ord("T"): lambda r: r.push(r.take(_signed_size(r)).decode("latin-1")),
    ord("C"): lambda r: r.push(r.take(r.byte())),
    ord("B"): lambda r: r.push(r.take(r.number(_UINT))),
    0x8E: lambda r: r.push(r.take(r.number(_LONG))),
    0x96: lambda r: r.push(bytearray(r.take(r.number(_LONG)))),
    ord(")"): lambda r: r.push(()),
    ord("t"): lambda r: r.push(tuple(r.since_mark())),
    0x85: lambda r: r.push(_last(r, 1)),
    0x86: lambda r: r.push(_last(r, 2)),
    0x87: lambda r: r.push(_last(r, 3)),
    ord("]"): lambda r: r.push([]),
    ord("l"): lambda r: r.push(r.since_mark()),
    ord("a"): lambda r: r.append([r.pop()]),
    ord("e"): lambda r: r.append(r.since_mark()),
    ord("}"): lambda r: r.push({}),
    ord("d"): lambda r: r.push(_pairs(r)),
    ord("s"): lambda r: r.set_items(list(_last(r, 2))),
    ord("u"): lambda r: r.set_items(r.since_mark()),
    0x8F: lambda r: r.push(set()),
    0x90: lambda r: r.add(r.since_mark()),
    0x91: lambda r: r.push(frozenset(map(checked_key, r.since_mark()))),
    ord("h"): lambda r: r.get(r.byte()),
    ord("j"): lambda r: r.get(r.number(_UINT)),
    ord("q"): lambda r: r.put(r.byte()),
    ord("r"): lambda r: r.put(r.number(_UINT)),
    0x94: lambda r: r.keep(),
    ord("c"): lambda r: r.name(r.line(), r.line()),
    0x93: _named_by_stack,
    ord("Q"): lambda r: r.persistent(),
    ord("R"): lambda r: r.call(),
    0x81: lambda r: r.new(),
    0x92: lambda r: r.new(keywords=True),
    ord("b"): lambda r: r.build(),
}
