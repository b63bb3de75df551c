"""Gradients of convolutions as functions: of the input and of the weight, each from the other and the output's."""

from collections.abc import Sequence
from typing import Any

from ..generated import ops
from ..generated.tensor import Tensor
from ..runtime.dispatch import argument_checks
from .docstrings import completed_from

Sizes = int | Sequence[int]


def _settings(name: str, spatial: int, stride: Sizes, padding: Sizes, dilation: Sizes) -> tuple[Any, Any, Any]:
    return (
        argument_checks.integer_list(name, "stride", stride, spatial),
        argument_checks.integer_list(name, "padding", padding, spatial),
        argument_checks.integer_list(name, "dilation", dilation, spatial),
    )


def conv1d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` with respect to its input.

    Args:
        input_size: the shape of the input.
        weight: the weight.
        grad_output: the gradient of the output.
        stride, padding, dilation, groups: as of the convolution.

    Shape: Output: input_size.

    Raises: RuntimeError: shapes that do not belong together.

    Example:
        >>> sg.nn.grad.conv1d_input((1, 1, 3), sg.tensor([[[2.0, 3.0]]]), sg.ones(1, 1, 2))
        tensor([[[2., 5., 3.]]])
    """
    strides, pads, steps = _settings("conv1d_input", 1, stride, padding, dilation)
    return ops.convolution_input_backward(grad_output, weight, list(input_size), strides, pads, steps, groups)


@completed_from(conv1d_input)
def conv1d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv1d` with respect to its weight.

    Args:
        input: the input.
        weight_size: the shape of the weight.

    Shape: Output: weight_size.

    Example:
        >>> sg.nn.grad.conv1d_weight(sg.tensor([[[1.0, 2.0, 3.0]]]), (1, 1, 2), sg.ones(1, 1, 2))
        tensor([[[3., 5.]]])
    """
    strides, pads, steps = _settings("conv1d_weight", 1, stride, padding, dilation)
    return ops.convolution_weight_backward(grad_output, input, list(weight_size), strides, pads, steps, groups)


@completed_from(conv1d_input)
def conv2d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input.

    Example:
        >>> sg.nn.grad.conv2d_input((1, 1, 2, 2), sg.ones(1, 1, 2, 2), sg.ones(1, 1, 1, 1)).sum()
        tensor(4.)
    """
    strides, pads, steps = _settings("conv2d_input", 2, stride, padding, dilation)
    return ops.convolution_input_backward(grad_output, weight, list(input_size), strides, pads, steps, groups)


@completed_from(conv1d_weight)
def conv2d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv2d` with respect to its weight.

    Example:
        >>> sg.nn.grad.conv2d_weight(sg.ones(1, 1, 2, 2), (1, 1, 1, 1), sg.ones(1, 1, 2, 2)).item()
        4.0
    """
    strides, pads, steps = _settings("conv2d_weight", 2, stride, padding, dilation)
    return ops.convolution_weight_backward(grad_output, input, list(weight_size), strides, pads, steps, groups)


@completed_from(conv1d_input)
def conv3d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` with respect to its input.

    Example:
        >>> sg.nn.grad.conv3d_input((1, 1, 2, 2, 2), sg.ones(1, 1, 1, 1, 1), sg.ones(1, 1, 2, 2, 2)).sum()
        tensor(8.)
    """
    strides, pads, steps = _settings("conv3d_input", 3, stride, padding, dilation)
    return ops.convolution_input_backward(grad_output, weight, list(input_size), strides, pads, steps, groups)


@completed_from(conv1d_weight)
def conv3d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of `conv3d` with respect to its weight.

    Example:
        >>> sg.nn.grad.conv3d_weight(sg.ones(1, 1, 2, 2, 2), (1, 1, 1, 1, 1), sg.ones(1, 1, 2, 2, 2)).item()
        8.0
    """
    strides, pads, steps = _settings("conv3d_weight", 3, stride, padding, dilation)
    return ops.convolution_weight_backward(grad_output, input, list(weight_size), strides, pads, steps, groups)
