"""Batch normalisation and layer normalisation."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.errors import ShapeError
from ...runtime.modes.intercept import NOT_HANDLED, autocast_as, intercept
from ...runtime.modes.overrides.calls import overridden_in
from ...runtime.modes.overrides.classes import plain
from .running import follow


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance of each channel.

    Source: Ioffe and Szegedy, "Batch Normalization" (2015).

    Args:
        input: the batch x.
        running_mean, running_var: the statistics used unless training; when training they are updated in place
            to (1 - momentum) * running + momentum * batch, with the unbiased variance of the batch.
        weight, bias: one number per channel.
        training: whether to use the statistics of this batch.
        momentum: the weight of this batch in the running statistics.
        eps: keeps the root from zero.

    Shape:
        Input (N, C) or (N, C, d1, ...), all others (C); the output has the shape of input.

    Raises:
        ValueError: training on one value per channel.
        RuntimeError: a tensor whose size is not C, or no running statistics where they are needed.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.batch_norm(sg.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
        tensor([[-1.],
                [ 1.]])
    """
    if (
        input.__class__ not in plain
        or running_mean.__class__ not in plain
        or running_var.__class__ not in plain
        or weight.__class__ not in plain
        or bias.__class__ not in plain
    ) and (result := overridden_in(batch_norm, locals())) is not NOT_HANDLED:
        return result
    if checks.tensor("batch_norm", "input", input)._shape == (0,):
        return input.clone()  # no examples of no channels, as PyTorch sees it
    _require_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training:
        if running_mean is None or running_var is None:
            raise RuntimeError("batch_norm(): expected running_mean and running_var to be given when training=False")
        x = input if input._dtype.native else widened(input, running_mean, running_var, weight, bias)
        return narrowed(ops.normalize_by(x, running_mean, running_var, weight, bias, eps), input)
    count = input.numel() // max(input.shape[1], 1)
    if count == 1:
        raise ValueError(
            f"batch_norm(): Expected more than 1 value per channel when training, got input size {list(input.shape)}"
        )
    dims, affine_shape = (0, *range(2, input.ndim)), (input.shape[1], *(1,) * (input.ndim - 2))
    x = input if input._dtype.native else widened(input, weight, bias)
    output, mean, var = ops.standardize(x, weight, bias, dims, affine_shape, eps)
    if input.numel():
        follow(running_mean, mean, momentum)
        follow(running_var, var, momentum, count / (count - 1))
    return narrowed(output, input)


def widened(input: Tensor, *parameters: Tensor | None) -> Tensor:
    """An input of 16-bit floats as float32, if a parameter is: the result is rounded once, to the input's dtype."""
    wide = input._dtype.compute
    mixed = wide is not input._dtype and any(p is not None and p._dtype is wide for p in parameters)
    return input.to(wide) if mixed else input


def narrowed(output: Tensor, input: Tensor) -> Tensor:
    """What was computed of a widened input, in the dtype of the input."""
    wide = input._dtype.compute
    return output.to(input._dtype) if output._dtype is wide and wide is not input._dtype else output


def _require_channels(input: Tensor, **tensors: Tensor | None) -> None:
    shape = checks.tensor("batch_norm", "input", input)._shape
    if len(shape) < 2:
        raise ShapeError(f"batch_norm(): expected input of at least 2 dimensions, got shape {list(shape)}")
    for name, tensor in tensors.items():
        if tensor is None or checks.tensor("batch_norm", name, tensor)._shape == shape[1:2]:
            continue
        if tensor.numel() != shape[1]:
            raise ShapeError(f"batch_norm(): {name} should contain {shape[1]} elements not {tensor.numel()}")


@autocast_as(cuda="float32")
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance over the last dimensions.

    Source: Ba, Kiros and Hinton, "Layer Normalization" (2016).

    Args:
        input: the tensor x.
        normalized_shape: the sizes of these last dimensions.
        weight, bias: one number for each of their elements.
        eps: keeps the root from zero.

    Shape:
        Input (*, normalized_shape), weight and bias normalized_shape; the output has the shape of input.

    Raises:
        RuntimeError: sizes that do not agree.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.layer_norm(sg.tensor([[1.0, 3.0]]), [2], eps=0.0)
        tensor([[-1.,  1.]])
    """
    if (input.__class__ not in plain or weight.__class__ not in plain or bias.__class__ not in plain) and (
        result := intercept("layer_norm", layer_norm, "composite", input, normalized_shape, weight, bias, eps)
    ) is not NOT_HANDLED:
        return result
    shape = checks.integer_list("layer_norm", "normalized_shape", normalized_shape, 1)
    count, size = len(shape), checks.tensor("layer_norm", "input", input)._shape
    if not count or size[-count:] != shape:
        raise ShapeError(
            f"layer_norm(): Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size {list(size)}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and checks.tensor("layer_norm", name, tensor)._shape != shape:
            raise ShapeError(
                f"layer_norm(): Expected {name} to be of same shape as normalized_shape, but got {name} of "
                f"shape {list(tensor.shape)} and normalized_shape = {list(shape)}"
            )
    if input._dtype.native:
        return ops.standardize(input, weight, bias, tuple(range(-count, 0)), shape, eps)[0]
    x = widened(input, weight, bias)
    return narrowed(ops.standardize(x, weight, bias, tuple(range(-count, 0)), shape, eps)[0], input)
