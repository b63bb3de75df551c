"""Helpers of PyTorch's names: repeat a number for each dimension, and take a prefix off the names of a state_dict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

__all__ = ["consume_prefix_in_state_dict_if_present"]


def ntuple(count: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple: of what can be iterated over, or of one value `count` times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, count))

    parse.__name__ = name
    return parse


def reverse_repeated(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    return tuple(x for x in reversed(t) for _ in range(n))


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix away from the names in a state_dict, in place.

    Args:
        state_dict: what `Module.state_dict` gave.
        prefix: what names may begin with, such as "module.".

    Example:
        >>> state = {"module.weight": 1, "bias": 2}
        >>> consume_prefix_in_state_dict_if_present(state, "module.")
        >>> state
        {'bias': 2, 'weight': 1}
    """
    _consume(state_dict, prefix)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        _consume(metadata, prefix)
        if prefix.removesuffix(".") in metadata:
            metadata[""] = metadata.pop(prefix.removesuffix("."))


def _consume(names: dict[str, Any], prefix: str) -> None:
    for name in [*names]:
        if name.startswith(prefix):
            names[name[len(prefix) :]] = names.pop(name)


def list_with_default(out_size: Any, defaults: Any) -> Any:
    """Sizes, with the last of `defaults` in place of None; a ValueError where there are not enough of these."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    pairs = zip(out_size, defaults[-len(out_size) :], strict=True)
    return [default if size is None else size for size, default in pairs]


_list_with_default = list_with_default
_ntuple, _reverse_repeat_tuple = ntuple, reverse_repeated
_single, _pair = ntuple(1, "_single"), ntuple(2, "_pair")
_triple, _quadruple = ntuple(3, "_triple"), ntuple(4, "_quadruple")
