"""Dropout."""

from __future__ import annotations

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.creation import rand
from ...runtime.dispatch import checks
from ...runtime.tensor.dtypes import float32


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability p, and input / (1 - p) elsewhere; input itself unless training.

    Source: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, "Dropout: a simple way to prevent neural
    networks from overfitting" (2014).

    Args:
        input: the tensor x.
        p: the probability of a zero, for each element by itself.
        training: whether to do anything.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Raises:
        ValueError: p outside [0, 1].

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.dropout(sg.ones(3), p=0.5, training=False)
        tensor([1., 1., 1.])
    """
    checks.tensor("dropout", "input", input)
    if not 0 <= checks.floating("dropout", "p", p) <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    mask = rand(input.shape, dtype=float32, device=input.device) >= p
    scale = 1 / (1 - p)
    return ops.masked_scale_(input, mask, scale) if inplace else ops.masked_scale(input, mask, scale)
