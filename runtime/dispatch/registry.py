"""The records of a generated package's ops: what tests, `verify`, docs and benchmarks need to know of them.

`generated/registry.jsonl` has a line for each op: it is read when the first op is asked for, a line when its op is.
Also the classes whose attributes are looked up natively: the function behind attributes stands in a slot of each class,
and CPython puts its own back when somebody gives the class another `__getattr__` or `__getattribute__`."""

import ctypes
import json
import pkgutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from ..spec_lines import entry_location, spec_path

DATA = "registry.jsonl"
_LEAD = len('{"name": ')  # of a line, before the name of its op


@dataclass(frozen=True)
class Op:
    """One entry of a spec. `arguments` are (name, type, required, keyword only)."""

    name: str
    function: Callable[..., Any]
    kind: str
    schema: str
    arguments: tuple[tuple[str, str, bool, bool], ...]
    inputs: tuple[str, ...] = ()  # the arguments that have a gradient
    outputs: tuple[bool, ...] = (True,)  # whether each is differentiable
    result_dtype: tuple[str, ...] = ("same",)
    samples: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()
    domain: dict[str, tuple[float, float]] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ("bool", "int", "float", "complex")
    dtype: str = "promote"
    kink: tuple[str, ...] = ("average",)
    complex: bool = True
    formulas: dict[str, str] = field(default_factory=dict)
    node: Any = None
    masks: tuple[int, ...] = ()
    inplace: Callable[..., Any] | None = None
    commutative: bool = False
    replaces: bool = False  # in place every element keeps its value or gets one that does not depend on it
    gives: dict[str, str] = field(default_factory=dict)  # the dtypes of outputs, for some of tensors
    expression: str = ""  # of an element-wise op
    unvaried: tuple[str, ...] = ()  # arguments of which `verify` tries no other values
    unverified: str = ""  # why `verify` does not check the op
    derived_from: str = ""  # the op whose derivatives, which it computes, `verify` checks in its place
    takes_number: bool = False  # there is a kernel for `x <operator> number`
    reference: str = ""  # what the op gives, in terms of NumPy
    onnx: str = ""  # what the op gives, in ONNX operators
    check: str = ""
    shape: str = ""  # the rule of the shapes of a kernel's results
    refuses: tuple[tuple[str, str], ...] = ()  # calls that must raise, and the class of the error
    autocast: dict[str, str] = field(default_factory=dict)  # type of device -> what its tensors are cast to
    sparse: str = ""  # the function of extensions/sparse/rules*.py that computes for sparse tensors
    conj_rule: str = ""  # the function of extensions/lazy_conj/rules.py that computes for such views
    example: str = ""
    qualified_names: tuple[str, ...] = ()  # "nn.functional.silu": in the namespace that the entry names

    @property
    def where(self) -> str:
        """The entry's place, `derivatives.yaml:92`; the file alone where it is not found there."""
        return entry_location(self.function.__module__, self.name)

    @property
    def spec(self) -> str:
        return spec_path(self.function.__module__)


class Registry(Mapping[str, Op]):
    """The ops of a generated package by name, in the order of its spec."""

    def __init__(self, module: str, ops: Any, functions: Any) -> None:
        """`module` lies beside the data; `ops` and `functions` have what its names stand for."""
        self._package = module.rpartition(".")[0]
        self._ops, self._functions = ops, functions
        self._parsed: dict[str, Op] = {}

    @cached_property
    def _lines(self) -> dict[str, str]:
        data = pkgutil.get_data(self._package, DATA)
        if data is None:
            raise FileNotFoundError(f"{self._package}: expected {DATA}, but the package's loader gives no data")
        return {_name(line): line for line in data.decode("ascii").splitlines()}

    def __getitem__(self, name: str) -> Op:
        if name not in self._parsed:
            self._parsed.setdefault(name, self._parse(self._lines[name]))
        return self._parsed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def placed(self, namespace: str, name: str) -> Callable[..., Any] | None:
        """The function that an entry puts into a namespace under a name."""
        return getattr(self._ops, name) if f"{namespace}.{name}" in self._qualified_names else None

    @cached_property
    def _qualified_names(self) -> set[str]:
        lines = (line for line in self._lines.values() if '"qualified_names": ' in line)
        return {name for line in lines for name in json.loads(line)["qualified_names"]}

    def _parse(self, line: str) -> Op:
        messages = {field: _plain(value) for field, value in json.loads(line).items()}
        results = {"function": self._ops, "inplace": self._ops, "node": self._functions}
        return Op(**{key: getattr(results[key], value) if key in results else value for key, value in messages.items()})


class Ops(Sequence[Op]):
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._registry)

    @overload
    def __getitem__(self, index: int) -> Op: ...

    @overload
    def __getitem__(self, index: slice) -> list[Op]: ...

    def __getitem__(self, index: int | slice) -> Op | list[Op]:
        if isinstance(index, slice):
            return [self._registry[name] for name in self._names[index]]
        return self._registry[self._names[index]]

    def __len__(self) -> int:
        return len(self._names)


def _name(line: str) -> str:
    return str(json.loads(line[_LEAD : line.index('"', _LEAD + 1) + 1]))


def _plain(value: Any) -> Any:
    """Sequences are tuples in records."""
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, dict) else value


class _Slot:
    """Where the slot is, CPython's function for classes with a `__getattr__`, and ours; 0 while there is none."""

    distance = default_slot = native = 0


_waiting: weakref.WeakSet[type] = weakref.WeakSet()


def look_into_tables(cls: type) -> None:
    """For a class whose `__getattr__` does no more than look into the tables of members."""
    if not _Slot.native:
        _waiting.add(cls)
        return
    slot = ctypes.c_int64.from_address(id(cls) + _Slot.distance)
    if slot.value == _Slot.default_slot:
        slot.value = _Slot.native


def begin(distance: int, default_slot: int, native: int) -> None:
    """`default_slot`: CPython's function for attributes; `native`: ours."""
    _Slot.distance, _Slot.default_slot, _Slot.native = distance, default_slot, native
    while _waiting:
        look_into_tables(_waiting.pop())


Functions = Mapping[str, Callable[..., Any]]


class Registration:
    """The names that a package of a user's ops gives, on request, to `Tensor` and namespaces, by `locations`.

    `functions`: for each location the functions by name."""

    def __init__(self, package: str, locations: Mapping[str, Any], functions: Mapping[str, Functions]) -> None:
        self.package = package
        self.locations = locations
        self.functions = functions

    def register(self) -> None:
        """ValueError: something else has a name already; then nothing was registered."""
        for label, location, name, function in self._each():
            there = getattr(location, name, None)
            if there is not None and there is not function:
                message = f"{label}.{name} is {_named(there)} and would be {_named(function)}"
                raise ValueError(f"{self.package}.register(): {message}: nothing was registered")
        for _, location, name, function in self._each():
            setattr(location, name, function)

    def unregister(self) -> None:
        for _, location, name, function in self._each():
            if vars(location).get(name) is function:
                delattr(location, name)

    def _each(self) -> Iterator[tuple[str, Any, str, Callable[..., Any]]]:
        for label, functions in self.functions.items():
            for name, function in functions.items():
                yield label, self.locations[label], name, function


def _named(value: Any) -> str:
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return f"{module}.{name}" if module and name else repr(value)
