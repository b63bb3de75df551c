"""One op's call on examples of a batch, as a batching rule sees it."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dispatch import argument_checks
from ...namespace import op
from ...shapes import Shape
from ...tensor.grad_mode import no_grad
from ...tensor.memory import placed
from ...tensor.observers import without_interception
from ...tensor.tensor import TensorBase, alias, from_flat
from .batched_tensor import BatchedMethods, batch_first, level_of, wrap

_DIMENSION = re.compile(r"dims?\d?$")  # arguments so named count dimensions
_SHAPE = re.compile(r"sizes?$|shape$|input_(sizes|shape)$")  # and these are whole shapes
_NOT_THE_OPS = ("axis", "keepdims", "out")  # parameters that public functions have besides the op's own
SIZES = "*"  # positional arguments of any number, among arguments by name


class Call:
    """A call whose arguments have been bound to the names of the function's parameters.

    `level` is the innermost vmap that some argument belongs to, `size` the number of its examples. `writes` says that
    the op is an in-place one: it writes to its first argument and returns it. `whole` means a tensor of all examples,
    which are its first dimension.
    """

    __slots__ = ("arguments", "derivations", "function", "level", "name", "ran", "size", "writes")

    def __init__(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any, level: int, size: int) -> None:
        self.name = name
        self.function = function
        self.arguments = bind(function, args, kwargs)
        self.level = level
        self.size = size
        self.writes = function.__name__[-1] == "_"
        self.ran: tuple[Any, dict[str, Any], Any] | None = None  # the last function run, its arguments and result
        self.derivations: list[tuple[Any, str, Any, tuple[Any, ...]]] = []  # what was made, of which argument and how

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    @property
    def op(self) -> str:
        return self.name.partition(".")[0].removesuffix("_")

    @property
    def first(self) -> Any:
        value = next(iter(self.arguments.values()))
        return value[0] if isinstance(value, (list, tuple)) else value

    def sibling(self, name: str) -> Any:
        return getattr(self.function.__globals__.get("op", op), name)

    def is_batched(self, *names: str) -> bool:
        return any(belongs(self.arguments[name], self.level) for name in names)

    def tensors(self) -> dict[str, Any]:
        return {name: value for name, value in self.arguments.items() if isinstance(value, TensorBase)}

    def batch_first(self, value: Any) -> Any:
        """A tensor, or each of a list, with all examples in front; other values as they are."""
        if isinstance(value, TensorBase):
            return batch_first(value, self.level, self.size)
        if isinstance(value, (list, tuple)) and any(isinstance(v, TensorBase) for v in value):
            return [self.batch_first(v) for v in value]
        return value

    def derived(self, name: str, function: Callable[..., Any], *rest: Any) -> Any:
        """function(batch, *rest) of the whole batch of an argument: calls of the same kind need no rule to make it."""
        own, batch = self.arguments[name], self.batch_first(self.arguments[name])
        result = function(batch, *rest)
        if result is not batch and level_of(own) == self.level:
            self.derivations.append((result, name, function, rest))
        return result

    def batch_first_if_batched(self, value: Any) -> Any:
        return self.batch_first(value) if belongs(value, self.level) else value

    def all_batch_first(self) -> dict[str, Any]:
        return {name: self.batch_first(value) for name, value in self.arguments.items()}

    def run(self, arguments: dict[str, Any], function: Callable[..., Any] | None = None) -> Any:
        """The op itself (or another function of the same parameters) on whole batches."""
        function = function or self.function
        if SIZES not in arguments:
            result = function(**arguments)
            self.ran = function, arguments, result
            return result
        rest = {name: value for name, value in arguments.items() if name != SIZES}
        return function(*arguments[SIZES], **rest)

    def examples(self) -> Iterator[dict[str, Any]]:
        return map(self.example, range(self.size))

    def example(self, index: int) -> dict[str, Any]:
        return {name: self._example(value, index) for name, value in self.arguments.items()}

    def _example(self, value: Any, index: int) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._example(v, index) for v in value]
        if not belongs(value, self.level):
            return value
        batch = self.batch_first(value)
        if self.size:
            return batch.select(0, index)
        none = batch.sum(0).to(batch._dtype)  # zeros, of the levels around this one
        return none + stand_in(none._shape, none) if none._dtype.kind in "fc" else none

    def wrapped(self, result: Any) -> Any:
        return wrapped(result, self.level)

    def dimension(self, dim: int, rank: int) -> int:
        return 1 + argument_checks.wrap_dim(self.op, dim, rank)

    def dimensions(self, dims: Any, rank: int) -> Any:
        if isinstance(dims, (list, tuple)):
            return [self.dimension(d, rank) for d in dims]
        return self.dimension(dims, rank)

    def dimension_names(self) -> list[str]:
        return [name for name in self.arguments if _DIMENSION.fullmatch(name)]

    def shape_names(self) -> list[str]:
        return [name for name in self.arguments if _SHAPE.fullmatch(name)]


def wrapped(result: Any, level: int) -> Any:
    if isinstance(result, TensorBase):
        return wrap(result, level)
    if not isinstance(result, (list, tuple)):
        return result
    items = [wrapped(item, level) for item in result]
    return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)


def belongs(value: Any, level: int) -> bool:
    """Whether a tensor, its tangents, or one of a list are of this vmap level or of one further in."""
    if isinstance(value, (list, tuple)):
        return any(belongs(v, level) for v in value)
    if not isinstance(value, TensorBase):
        return False
    return level_of(value) >= level or any(level_of(t) >= level for t in (value._tangent or {}).values())


@functools.lru_cache(maxsize=2048)
def defaults(function: Callable[..., Any]) -> dict[str, Any] | None:
    known = inspect.signature(function).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in known.values()):
        return None
    return {name: None if p.default is p.empty else p.default for name, p in known.items() if name not in _NOT_THE_OPS}


def bind(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, those left out with their defaults; positional ones of any number as `*`."""
    known = defaults(function)
    if known is None:
        return {SIZES: args, **kwargs}
    return {**known, **dict(zip(known, args, strict=False)), **kwargs}


def stand_in(shape: Shape, like: Any) -> Any:
    """Zeros of a tensor's dtype and device, but for matrices of floats: numbers in [0, 1] that have an inverse.

    No op refuses them.
    """
    kind = like._dtype
    array = np.zeros(shape, kind.np)
    if len(shape) > 1 and kind.kind in "fc":
        array += (0.005 + 0.005 * np.sin(np.arange(array.size)).reshape(shape)).astype(kind.np)
        array += (0.99 * np.eye(shape[-2], shape[-1])).astype(kind.np)
    return from_flat(placed(array.reshape(-1), like._device), shape, kind)


_accepted: set[Any] = set()
_MAX_CACHED = 10_000  # kinds that are remembered


def accept(call: Call) -> None:
    kind = call.function, *[kind_of(value) for value in call.arguments.values()]
    if kind in _accepted:
        return
    with without_interception(), no_grad():
        call.run({name: first_example(value, call.writes) for name, value in call.arguments.items()})
    if len(_accepted) >= _MAX_CACHED:
        _accepted.clear()
    _accepted.add(kind)


def kind_of(value: Any) -> Any:
    """A hashable key of an argument: shape, dtype and device of tensors, the value of integers, the type of floats."""
    if isinstance(value, TensorBase):
        return value._shape, value._dtype, value._device
    if isinstance(value, (list, tuple)):
        return tuple([kind_of(v) for v in value])
    return value if type(value) in (int, bool, str) else type(value)


def first_example(value: Any, copy: bool) -> Any:
    """The argument of the first example, or a copy for an op that writes; something like one where there are none."""
    if isinstance(value, (list, tuple)):
        return [first_example(v, copy) for v in value]
    if not isinstance(value, TensorBase):
        return value
    levels = 0
    while isinstance(value, BatchedMethods):
        value, levels = value.value, levels + 1
    shape = value._shape[levels:]
    if 0 in value._shape[:levels]:
        return stand_in(shape, value)
    example = alias(value, shape, value.stride()[levels:], value._offset)
    return example.clone() if copy else example
