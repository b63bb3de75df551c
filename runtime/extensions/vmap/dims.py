"""The dimensions that vmap maps over, spread over the leaves of arguments and outputs; the vmaps that are running, per
thread, and what they make of random numbers.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import type_name
from ...pytree import broadcast_prefix, flatten, shown
from ...tensor.captured import VMAP
from ...tensor.observers import Watcher, watch
from ...tensor.tensor import TensorBase
from ...thread_state import PerThread, mode

NO_KWARGS = flatten({})[1]


def name_of(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return getattr(func, "__name__", type_name(func))


def parsed_in_dims(func: Any, in_dims: Any, args: Any, kwargs: Any) -> tuple[list[Any], list[Any], Any, int]:
    if in_dims.__class__ is int and in_dims == 0 and not kwargs and are_tensors_of_one_size(args):
        count = len(args)
        return list(args), [0] * count, (tuple, None, [(tuple, None, [None] * count), NO_KWARGS]), args[0]._shape[0]
    name = name_of(func)
    where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    own, shared = broadcast_prefix(in_dims, args), [None] * len(flatten(kwargs)[0] if kwargs else ())
    if own is None:
        raise ValueError(
            f"{where}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{shown(flatten(in_dims)[1])} but inputs has structure {shown(flatten(args)[1])}."
        )
    leaves, spec = flatten((args, kwargs))
    dims = [_counted(where, leaf, dim) for leaf, dim in zip(leaves, [*own, *shared], strict=True)]
    return leaves, dims, spec, _size(leaves, dims)


def are_tensors_of_one_size(args: Sequence[Any]) -> bool:
    size = -1
    for arg in args:  # no generator: this is called for every vmap
        shape = arg._shape if isinstance(arg, TensorBase) else None
        if not shape or (size >= 0 and shape[0] != size):
            return False
        size = shape[0]
    return size >= 0


def _counted(where: str, leaf: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{where}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(leaf, TensorBase):
        raise ValueError(
            f"{where}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    rank = len(leaf._shape)
    if not -rank <= dim < rank:
        raise ValueError(
            f"{where}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so "
            f"expected in_dim to satisfy -{rank} <= in_dim < {rank}."
        )
    return dim % rank


def _size(leaves: Sequence[Any], dims: Sequence[Any]) -> int:
    sizes = [leaf._shape[dim] for leaf, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return sizes[0]


def output_dims(func: Any, out_dims: Any, returned: Any, spec: Any) -> list[Any]:
    if spec is None and out_dims.__class__ is int:
        return [out_dims]
    description = f"vmap({name_of(func)}, ..., out_dims={out_dims})"
    if not isinstance(out_dims, int) and not all(dim is None or isinstance(dim, int) for dim in flatten(out_dims)[0]):
        raise ValueError(
            f"{description}: `out_dims` must be an int, None or a python collection of ints representing where in the "
            "outputs the vmapped dimension should appear."
        )
    single = isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(returned, TensorBase)
    result = broadcast_prefix(out_dims[0] if single else out_dims, returned)
    if result is None:
        raise ValueError(
            f"{description}(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has "
            "structure "
            f"{shown(flatten(out_dims)[1])} but outputs has structure {shown(spec)}."
        )
    return result


RANDOMNESS = ("error", "same", "different")
_numbers = itertools.count(1)


class VmapLevel(NamedTuple):
    """One running vmap: its number, larger than those around it, how many examples it has, and its `randomness`."""

    number: int
    size: int
    randomness: str


class _Running(PerThread):
    def __init__(self) -> None:
        self.levels: tuple[VmapLevel, ...] = ()
        self.numbers: tuple[int, ...] = ()  # also of those that a rule is `outside` of


_running = _Running()
_watcher = Watcher()


def let_watch(watcher: Watcher) -> None:
    """Register the functions that intercept ops and custom Functions while a vmap runs: this module knows no rules."""
    global _watcher
    _watcher = watcher


def running_levels() -> tuple[VmapLevel, ...]:
    return _running.levels


def is_running(number: int) -> bool:
    """Whether this thread is inside the vmap of a number, be it in a rule that computes on its batches."""
    return number in _running.numbers


class vmap_level:
    """Inside, ops on tensors of the level that `with` gives compute whole batches."""

    __slots__ = ("before", "level", "numbers", "transform")

    def __init__(self, size: int, randomness: str) -> None:
        self.level = VmapLevel(next(_numbers), size, randomness)

    def __enter__(self) -> int:
        self.before, self.numbers = _running.levels, _running.numbers
        number = self.level.number
        _running.levels, _running.numbers = (*self.before, self.level), (*self.numbers, number)
        self.transform = mode.transform
        mode.transform = self.transform or VMAP
        watch.enter("vmap", _watcher)
        return number

    def __exit__(self, *_: object) -> None:
        watch.leave("vmap")
        mode.transform = self.transform
        _running.levels, _running.numbers = self.before, self.numbers


class outside:
    """Inside, the vmap of a number and those further in are not running: rules compute on whole batches."""

    __slots__ = ("before", "number")

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        self.before = levels = _running.levels
        while levels and levels[-1].number >= self.number:
            levels = levels[:-1]
        _running.levels = levels

    def __exit__(self, *_: Any) -> None:
        _running.levels = self.before
