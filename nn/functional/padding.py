"""Padding."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.modes.intercept import autocast_as, interceptable


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """input with a border.

    Args:
        input: the tensor.
        pad: how much to add (or, where negative, to cut) before and after the last dimension, then the one
            before it, and so on.
        mode: what the border has: 'constant', one value; 'reflect', what is mirrored at the border; 'replicate', the
            value at the border; 'circular', what is at the other end.
        value: the border's value where the mode is 'constant', 0 when left out.

    Shape:
        Any; dimension -1 - i of the output is larger by pad[2 i] + pad[2 i + 1]. But for 'constant' one to three
        dimensions are padded, before which there are one or two.

    Raises:
        RuntimeError: an odd number of pads, or more than input has dimensions for, or more than input can fill.
        NotImplementedError: another mode, or input with other dimensions than the mode has.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.pad(sg.ones(2), (1, 0))
        tensor([0., 1., 1.])
        >>> sg.nn.functional.pad(sg.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
        tensor([[3., 2., 1., 2., 3., 2.]])
    """
    if checks.string("pad", "mode", mode) == "constant":
        return ops.constant_pad_nd(input, pad, 0 if value is None else value)
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "replicate" or (mode == "reflect" and len(pad) < 6):
        return _bordered(input, pad, mode)
    return ops.border_pad(input, pad, mode)


@autocast_as(cpu="float32")
@interceptable("composite")
def _bordered(input: Tensor, pad: Sequence[int], mode: str) -> Tensor:
    """A tensor with a border of values that it has near it."""
    return ops.border_pad(input, pad, mode)
