"""What rules have made of calls, by the kinds of their arguments: most of them only hand whole batches to an op.

A rule runs once for each kind of arguments. Where its result is that of one call of an op, whose arguments are those of
the call, whole batches of them, or what `Call.derived` has made of a batch, later calls go straight to that op.
"""

import inspect
from collections.abc import Callable
from itertools import takewhile
from typing import Any, NamedTuple

from ...device.device import CPU
from ...dispatch.overloads import overloads_of
from ...tensor.observers import OpCall
from ...tensor.tensor import TensorBase
from .batched_tensor import BatchedMethods
from .op_call import Call, defaults

Key = tuple[Any, ...]
PLAIN = (int, str, type(None))  # arguments that are known by their values
_MAX_CACHED = 10_000


class ArgumentValue(NamedTuple):
    """An argument of the call as it is: its place among them."""

    arg_index: int

    def value(self, arguments: list[Any]) -> Any:
        return arguments[self.arg_index]


class BatchedValue(NamedTuple):
    arg_index: int

    def value(self, arguments: list[Any]) -> Any:
        return arguments[self.arg_index].value


class Derived(NamedTuple):
    arg_index: int
    function: Callable[..., Any]
    rest: tuple[Any, ...]

    def value(self, arguments: list[Any]) -> Any:
        return self.function(arguments[self.arg_index].value, *self.rest)


class Constant(NamedTuple):
    """Dimensions and shapes counted in the whole batch, and defaults."""

    constant: Any

    def value(self, arguments: list[Any]) -> Any:
        return self.constant


class Translation(NamedTuple):
    """A function to call, and where its arguments come from: those that have a place, and those that have a name."""

    function: Callable[..., Any]
    placed: tuple[Any, ...]
    named: dict[str, Any]

    def run(self, call: OpCall) -> Any:
        args = [*call.args, *call.kwargs.values()]
        placed = [source.value(args) for source in self.placed]
        if not self.named:
            return self.function(*placed)
        return self.function(*placed, **{name: source.value(args) for name, source in self.named.items()})


_translations: dict[Key, Translation] = {}


def key_of(call: OpCall, level: int) -> Key | None:
    """What a rule can see of a call, but for numbers in tensors and floats; None where that is more than a key says."""
    key: list[Any] = [call.function, *call.kwargs]
    for value in (*call.args, *call.kwargs.values()):
        if isinstance(value, BatchedMethods):
            batch_first = value.value
            key.append(
                (
                    batch_first._shape,
                    batch_first._dtype,
                    value.level == level,
                    None if batch_first._device is CPU else batch_first._device,
                )
            )
        elif isinstance(value, TensorBase):
            if value._tangent is not None:
                return None
            key.append((value._shape, value._dtype, None if value._device is CPU else value._device))
        elif type(value) in PLAIN:
            key.append(value)
        elif isinstance(value, (list, tuple)):
            if not all(type(v) is int for v in value):
                return None
            key.append(tuple(value))
        else:
            key.append((type(value), value if type(value) is bool else None))
    return tuple(key)


def translation(key: Key | None) -> Translation | None:
    return None if key is None else _translations.get(key)


def remember(key: Key, arg: OpCall, call: Call, result: Any) -> None:
    """Keep what a rule has done, if that was to translate the call."""
    if call.ran is None or call.ran[2] is not result or call.writes or not isinstance(arg.rule, str):
        return  # a rule of a user's package may do more than it returns
    known = defaults(arg.function)
    values = (*arg.args, *arg.kwargs.values())
    tensors = [id(value) for value in values if isinstance(value, TensorBase)]
    tensors += [id(value.value) for value in values if isinstance(value, BatchedMethods)]
    if known is None or len(set(tensors)) < len(tensors):  # twice the same: which of the two is where, nobody can tell
        return
    positions = {name: i for i, name in enumerate([*list(known)[: len(arg.args)], *arg.kwargs])}
    sources = {name: _source(call, positions, name, value) for name, value in call.ran[1].items()}
    if None in sources.values():
        return
    if len(_translations) >= _MAX_CACHED:
        _translations.clear()
    function, overloads = call.ran[0], overloads_of(call.ran[0])
    if overloads is not None:
        function = overloads.choose((), call.ran[1])
    _translations[key] = translated(function, sources)


def translated(function: Callable[..., Any], sources: dict[str, Any]) -> Translation:
    """A function with the sources of its arguments, by place as far as may be: a call by names takes twice as long."""
    parameters = inspect.signature(function).parameters
    first = list(takewhile(lambda name: name in sources and is_positional(parameters[name]), parameters))
    rest = {name: source for name, source in sources.items() if name not in first}
    named = {name: source for name, source in rest.items() if not is_default(source, parameters.get(name))}
    return Translation(function, tuple([sources[name] for name in first]), named)


def is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.POSITIONAL_OR_KEYWORD


def is_default(source: Any, parameter: inspect.Parameter | None) -> bool:
    return isinstance(source, Constant) and parameter is not None and source.constant is parameter.default


def _source(call: Call, positions: dict[str, int], name: str, value: Any) -> Any:
    if isinstance(value, TensorBase):
        return _tensor(call, positions, value)
    if type(value) in PLAIN or type(value) is bool:  # it is part of the key
        return Constant(value)
    if name in positions and value is call.arguments.get(name):
        return ArgumentValue(positions[name])
    items = value if isinstance(value, (list, tuple)) else (value,)
    return Constant(value) if all(isinstance(item, (*PLAIN, bool)) for item in items) else None


def _tensor(call: Call, positions: dict[str, int], value: TensorBase) -> Any:
    for name, arg_index in positions.items():
        own = call.arguments.get(name)
        if value is own:
            return ArgumentValue(arg_index)
        if isinstance(own, BatchedMethods) and own.level == call.level and value is own.value:
            return BatchedValue(arg_index)
    for result, name, function, rest in call.derivations:
        if result is value and name in positions:
            return Derived(positions[name], function, rest)
    return None
