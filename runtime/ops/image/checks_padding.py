"""Argument checks of padding with what a tensor has itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_checks import require_shape
from ...errors import ShapeError

Ints = Sequence[int]
MODES = ("reflect", "replicate", "circular")


def border_pad(op: str, input: Any, pad: Ints, mode: str) -> tuple[Any, ...]:
    """Pairs of (before, after) for the last dimensions, of which there is enough to fill them."""
    _padded_shape(op, tuple(input._shape), tuple(pad), mode)
    return input, tuple(pad), mode


def border_pad_backward(op: str, grad_output: Any, input_shape: Ints, pad: Ints, mode: str) -> tuple[Any, ...]:
    """The gradient has the shape of the padded tensor."""
    require_shape(op, "grad_output", grad_output, _padded_shape(op, tuple(input_shape), tuple(pad), mode))
    return grad_output, tuple(input_shape), tuple(pad), mode


def _padded_shape(op: str, shape: tuple[int, ...], pad: tuple[int, ...], mode: str) -> tuple[int, ...]:
    if mode not in MODES:
        raise NotImplementedError(f"{op}(): Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError(f"{op}(): Padding length must be divisible by 2")
    padded = len(pad) // 2
    if padded not in (1, 2, 3) or len(shape) not in (padded + 1, padded + 2):
        raise NotImplementedError(f"{op}(): Padding size {len(pad)} is not supported for {len(shape)}D input tensor.")
    if 0 in shape[-padded - 1 :]:
        raise ShapeError(
            f"{op}(): Expected {padded + 1}D or {padded + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    result = list(shape)
    for i in range(padded):
        before, after = pad[2 * i : 2 * i + 2]
        _require_source(op, shape, len(shape) - 1 - i, before, after, mode)
        result[-1 - i] += before + after
    if min(result[-padded:]) < 1:
        raise RuntimeError(f"{op}(): Negative padding value is resulting in an empty dimension: {result}")
    return tuple(result)


def _require_source(op: str, shape: tuple[int, ...], dim: int, before: int, after: int, mode: str) -> None:
    """A mirror shows all but the border itself, a circle comes round once."""
    most = max(before, after)
    if mode == "reflect" and most >= shape[dim]:
        raise RuntimeError(
            f"{op}(): Argument #4: Padding size should be less than the corresponding input dimension, but got: "
            f"padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
        )
    if mode == "circular" and most > shape[dim] + min(before, 0) + min(after, 0):
        raise RuntimeError(f"{op}(): Padding value causes wrapping around more than once.")
