"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime import checks


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """input with a border of `value`.

    Args:
        input: the tensor.
        pad: how much to add (or, where negative, to cut) before and after the last dimension, then the one
            before it, and so on.
        mode: 'constant'.
        value: the border's value, 0 when left out.

    Shape:
        Any; dimension -1 - i of the output is larger by pad[2 i] + pad[2 i + 1].

    Raises:
        RuntimeError: an odd number of pads, or more than input has dimensions for.
        NotImplementedError: another mode.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.pad(sg.ones(2), (1, 0))
        tensor([0., 1., 1.])
    """
    if checks.string("pad", "mode", mode) != "constant":
        raise NotImplementedError(f"pad(): expected mode 'constant', got {mode!r}")
    return ops.constant_pad_nd(input, pad, 0 if value is None else value)
