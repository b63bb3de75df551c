"""Activations that bend at zero or saturate: the ops of the spec with PyTorch's flag `inplace`."""

from __future__ import annotations

from ...generated import ops
from ...generated.tensor import Tensor


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, value elsewhere.

    Args:
        input: the tensor x.
        threshold: what x must exceed to stay.
        value: the number for the others.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.threshold(sg.tensor([-1.0, 2.0]), 0.5, 9.0)
        tensor([9., 2.])
    """
    return ops.threshold_(input, threshold, value) if inplace else ops.threshold(input, threshold, value)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Source: Barron, "Continuously differentiable exponential linear units" (2017).

    Args:
        input: the tensor x.
        alpha: minus the limit for x towards minus infinity; not 0.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Raises:
        RuntimeError: alpha is 0.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.celu(sg.tensor([-100.0, 2.0]), 0.5)
        tensor([-0.5000,  2.0000])
    """
    return ops.celu_(input, alpha) if inplace else ops.celu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale * (max(0, x) + min(0, alpha * (exp(x) - 1))), alpha = 1.6733 and scale = 1.0507.

    Source: Klambauer, Unterthiner, Mayr and Hochreiter, "Self-normalizing neural networks" (2017).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.selu(sg.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """
    return ops.selu_(input) if inplace else ops.selu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(log(1 + exp(x))).

    Source: Misra, "Mish: a self regularized non-monotonic activation function" (2019).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.mish(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.3034,  0.0000,  0.8651])
    """
    return ops.mish_(input) if inplace else ops.mish(input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6.

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.hardsigmoid(sg.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """
    return ops.hardsigmoid_(input) if inplace else ops.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6.

    Source: Howard et al., "Searching for MobileNetV3" (2019).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.hardswish(sg.tensor([1.5, 4.0]))
        tensor([1.1250, 4.0000])
    """
    return ops.hardswish_(input) if inplace else ops.hardswish(input)
