"""The records of a generated package's ops: what tests, `verify`, docs and benchmarks need to know of them.

`generated/registry.jsonl` has a line for each op. Hardly any program asks for all of them, and most for none: the file
is read when the first op is asked for, and a line is parsed when its op is.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from .spec_lines import entry_location, spec_path

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
    takes_number: bool = False  # there is a kernel for `x <operator> number`
    reference: str = ""  # what the op gives, in terms of NumPy
    onnx: str = ""  # what the op gives, in ONNX operators
    check: str = ""
    shape: str = ""  # the rule of the shapes of a kernel's results
    refuses: tuple[tuple[str, str], ...] = ()  # calls that must raise, and the class of the error
    autocast: dict[str, str] = field(default_factory=dict)  # type of device -> what its tensors are cast to
    sparse: str = ""  # the function of representations/sparse/rules/ that computes for sparse tensors
    conj_rule: str = ""  # the function of representations/marked/rules.py that computes for such views
    example: str = ""

    @property
    def where(self) -> str:
        """The entry's place, `derivatives.yaml:92`; the file alone where it is not found there."""
        return entry_location(self.function.__module__, self.name)

    @property
    def spec(self) -> str:
        """The path of the spec."""
        return spec_path(self.function.__module__)


class Registry(Mapping[str, Op]):
    """The ops of a generated package by name, in the order of its spec."""

    def __init__(self, module: str, ops: Any, functions: Any) -> None:
        """`module` lies beside the data; the others have the functions and the classes of nodes that these name."""
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

    def _parse(self, line: str) -> Op:
        messages = {field: _plain(value) for field, value in json.loads(line).items()}
        results = {"function": self._ops, "inplace": self._ops, "node": self._functions}
        return Op(**{key: getattr(results[key], value) if key in results else value for key, value in messages.items()})


class Ops(Sequence[Op]):
    """The ops of a registry in order."""

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
    """The name that a line begins with."""
    return str(json.loads(line[_LEAD : line.index('"', _LEAD + 1) + 1]))


def _plain(value: Any) -> Any:
    """A value of the data as a record has it: sequences are tuples."""
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, dict) else value
