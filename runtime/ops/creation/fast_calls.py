"""What creation functions ask first: native code, once there is any."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ...compiler.passes.loading import is_loaded
from ...fast_path import fast_path
from ...tensor.overrides import public_functions
from .options import require_strided


class Creation:
    """The fast function of a creation function: `launch(*arguments, dtype, device, requires_grad, ...)` gives the new
    tensor, or None where the general path is to make it.

    `letters` say what the arguments before dtype are: S a tuple of sizes, s the size as one argument, L a tensor that
    the new one is like, v a number or data, n a number of a range, g a generator; after T, a tensor
    that is filled itself, nothing stands behind these. What stands behind requires_grad is
    None or False in usual calls. `fill` says what is written (native/creation/plans.py), `value` the number where all
    elements are one, `inferred` that numbers decide the dtype where none is given.

    The compiler is not loaded for a new tensor: before an op has asked for it, the general path makes them all.
    """

    __slots__ = ("fill", "inferred", "launch", "arg_kinds", "name", "value")

    def __init__(self, name: str, fill: str, arg_kinds: str, value: int = 0, inferred: bool = False) -> None:
        self.name = name
        self.fill = fill
        self.arg_kinds = arg_kinds
        self.value = value
        self.inferred = inferred
        self.launch: Any = self._first

    def _first(self, *arguments: Any) -> Any:
        if not is_loaded():
            return None
        self.launch = fast_path().creation(self)
        return self.launch(*arguments)


def like_first(creation: Creation) -> Callable[[Any], Any]:
    """Ask native code before all who watch, of whom it knows: for functions such as `zeros_like`."""

    def decorate(general: Any) -> Any:
        def like(
            input: Any,
            *,
            dtype: Any = None,
            layout: Any = None,
            device: Any = None,
            requires_grad: Any = False,
            memory_format: Any = None,
        ) -> Any:
            if layout is not None:
                require_strided(creation.name, layout)
            made = creation.launch(input, dtype, device, requires_grad, memory_format)
            if made is not None:
                return made
            return general(input, dtype=dtype, device=device, requires_grad=requires_grad, memory_format=memory_format)

        return _public(like, general)

    return decorate


def sampled_first(creation: Creation) -> Callable[[Any], Any]:
    def decorate(general: Any) -> Any:
        def sampling_call(
            *sizes: Any,
            size: Any = None,
            generator: Any = None,
            out: Any = None,
            dtype: Any = None,
            layout: Any = None,
            device: Any = None,
            requires_grad: Any = False,
            pin_memory: Any = False,
        ) -> Any:
            if out is None and layout is None:
                made = creation.launch(generator, sizes, size, dtype, device, requires_grad, pin_memory)
                if made is not None:
                    return made
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "pin_memory": pin_memory}
            if out is not None or layout is not None:
                options.update(out=out, layout=layout)
            return general(*sizes, size=size, generator=generator, **options)

        return _public(sampling_call, general)

    return decorate


def sampled_like_first(creation: Creation) -> Callable[[Any], Any]:
    def decorate(general: Any) -> Any:
        def sampling_call(
            input: Any,
            *,
            generator: Any = None,
            dtype: Any = None,
            layout: Any = None,
            device: Any = None,
            requires_grad: Any = False,
            memory_format: Any = None,
        ) -> Any:
            if layout is not None:
                require_strided(creation.name, layout)
            made = creation.launch(generator, input, dtype, device, requires_grad, memory_format)
            if made is not None:
                return made
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return general(input, generator=generator, memory_format=memory_format, **options)

        return _public(sampling_call, general)

    return decorate


def _public(function: Any, general: Any) -> Any:
    """The function that tries native code first, under the name of the general one, which it stands for."""
    public_functions[general] = function
    return update_wrapper(function, general)
