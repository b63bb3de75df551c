"""The calls that generated tests make: every sample of every op, in any dtype and memory layout."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import specgrad as sg
from specgrad.codegen.verify.calls.samples import Drawing, SampledArgument, sample_calls
from specgrad.generated.registry import OPS
from specgrad.runtime.dispatch.registry import Op
from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.observers import Watcher, watch

BY_NAME = {op.name: op for op in OPS}
NAMES = list(BY_NAME)


def call_sources(op: Op, kind: str = "f") -> list[str]:
    """All calls of an op, the hard ones included; for integers and bools those whose plain numbers are whole."""
    found = [*sample_calls(op), *op.hard]
    return found if kind in "fc" else [text for text in found if not has_fraction(op, text)]


def has_fraction(op: Op, text: str) -> bool:
    """Whether a plain argument of a call is a number with a fraction."""
    values = sampled(op.name, text, False).values()
    return any(isinstance(value, float) and not value.is_integer() for value in values)


@functools.cache
def sampled(name: str, text: str, is_complex: bool) -> dict[str, Any]:
    """The arguments of a call; tensors as `Drawn`."""
    return Drawing(BY_NAME[name], text, is_complex, dtypes).arguments(text)


def is_index(value: SampledArgument) -> bool:
    """Whether a tensor holds indices or a mask, which keep their dtype."""
    return value.array.dtype.kind in "ib"


def full(array: np.ndarray) -> np.ndarray:
    """Integers, none of them zero, in place of real numbers."""
    array = np.nan_to_num(array)
    return np.where(array < 0, np.floor(array), np.ceil(array) + (array == 0)).clip(-100, 100).astype(np.int64)


@dataclass(frozen=True)
class Style:
    """How the tensors of a call are made: dtype (indices and masks keep theirs), layout, requires_grad and device."""

    dtype: Any
    strided: bool = False
    grad: bool = False
    device: str = "cpu"

    def array(self, value: SampledArgument) -> np.ndarray:
        """The numbers, in float64, complex128, int64 or bool."""
        if is_index(value) or self.dtype.kind in "fc":
            return value.array
        return full(value.array) if self.dtype.kind == "i" else value.array > 0

    def tensor(self, value: SampledArgument) -> Any:
        """The tensor."""
        array = self.array(value)
        made = sg.tensor(expanded(array) if self.strided else array, device=self.device)
        made = made if is_index(value) else made.to(self.dtype)  # before: copies have no gaps
        return made[..., 0].permute(tuple(reversed(range(array.ndim)))) if self.strided else made


def expanded(array: np.ndarray) -> np.ndarray:
    """The array in reversed order of dimensions, every element followed by one that nobody asks for."""
    return np.stack([array.T, np.zeros_like(array.T)], axis=-1)


def arguments(name: str, text: str, style: Style, as_tensor: bool = True) -> dict[str, Any]:
    """The arguments of a call as tensors, or as NumPy arrays."""

    def made(key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [made(key, item) for item in value]
        if not isinstance(value, SampledArgument):
            return value
        if not as_tensor:
            return style.array(value)
        tensor = style.tensor(value)
        return tensor.requires_grad_() if style.grad and takes_gradient(name, key, value) else tensor

    return {key: made(key, value) for key, value in sampled(name, text, style.dtype.kind == "c").items()}


def takes_gradient(name: str, key: str, value: SampledArgument) -> bool:
    """Whether an op can be differentiated by this argument; composites do not say."""
    op = BY_NAME[name]
    named = key in op.inputs or (op.kind == "composite" and value.random)
    return named and value.array.dtype.kind in "fc"


def tensors_of(given: dict[str, Any]) -> list[Any]:
    """The tensors among arguments, those of lists too."""
    flat = [item for value in given.values() for item in (value if isinstance(value, list) else [value])]
    return [item for item in flat if isinstance(item, sg.Tensor)]


def call(op: Op, given: dict[str, Any]) -> tuple[Any, ...]:
    """The outputs of one call, as a tuple; an op that only exists in place gets a copy to write to."""
    named = {("input" if key == "self" else key): value for key, value in given.items()}
    if "(a!)" in op.schema.partition("->")[0]:
        named["input"] = named["input"].clone()
    found = op.function(**named)
    return (found,) if isinstance(found, sg.Tensor) else tuple(found)


@contextmanager
def watched(requested: bool) -> Iterator[None]:
    """Inside, somebody looks at every op, if so wanted: then nothing takes a fast path."""
    watch.turn("a test", Watcher() if requested else None)
    try:
        yield
    finally:
        watch.turn("a test", None)


def run(name: str, text: str, style: Style, general: bool = False) -> tuple[Any, ...]:
    """The outputs of a call, by the general path if so wanted: what is watched takes no fast path."""
    with watched(general):
        return call(BY_NAME[name], arguments(name, text, style))


def is_differentiable(output: Any) -> bool:
    """Whether it has a gradient, which is not the gradient of an op that has none."""
    return output.requires_grad and (output.grad_fn is None or output.grad_fn.name() != "NotImplemented")


def weighted_sum(outputs: tuple[Any, ...]) -> Any:
    """A number that depends on every differentiable output; None when there is none."""
    total = None
    for output in outputs:
        if is_differentiable(output) and output.numel():
            weights = sg.tensor(np.cos(np.arange(output.numel()) + 1.0).reshape(output.shape)).to(output)
            part = (output * weights).sum()
            part = sg.real(part) if part.is_complex() else part
            total = part if total is None else total + part
    return total


def gradients(name: str, text: str, style: Style, general: bool = False) -> list[Any]:
    """The gradients of the differentiable tensors of a call; `general` as in `run`, for which formulas are computed."""
    given = arguments(name, text, style)
    with watched(general):
        return gradients_to(given, call(BY_NAME[name], given))


def outputs_and_gradients(name: str, text: str, style: Style) -> tuple[tuple[Any, ...], list[Any]]:
    """Both of one call."""
    given = arguments(name, text, style)
    outputs = call(BY_NAME[name], given)
    return outputs, gradients_to(given, outputs)


def gradients_to(given: dict[str, Any], outputs: tuple[Any, ...]) -> list[Any]:
    """The gradients of the differentiable tensors among the arguments of a call that gave these outputs."""
    requested = [t for t in tensors_of(given) if t.requires_grad]
    total = weighted_sum(outputs)
    if total is None or not requested:
        return []
    return list(sg.autograd.grad(total, requested, allow_unused=True))


def attempted(function: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, or the error."""
    try:
        return function(*given)
    except Exception as error:
        return error
