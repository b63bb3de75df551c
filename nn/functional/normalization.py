"""Norms over the batch, the last dimensions, groups, samples and neighbouring channels; running statistics."""

import functools
from collections.abc import Sequence
from math import prod

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import ShapeError, UnsupportedDtypeError
from ...runtime.ops.norm import cpu
from ...runtime.tensor.captured import check_captured
from ...runtime.tensor.dtypes import dtype, finfo
from ...runtime.tensor.grad_mode import check_written, no_grad
from ...runtime.tensor.observers import NOT_HANDLED, autocast_as, intercept, watch
from ...runtime.tensor.overrides import overridden_in, plain
from ...runtime.tracebacks import hide_internal_frames
from ..docstrings import completed_from
from .folding import pad


def follow(running: Tensor | None, batch: Tensor, momentum: float, factor: float = 1.0) -> None:
    """running = (1 - momentum) * running + momentum * factor * batch, of whatever shape as long as the sizes agree."""
    if running is None:
        return
    check_written(running)
    old, new = running._flat, batch._flat
    same = running._dtype is batch._dtype and running._dtype.native and not running.requires_grad
    if watch.active or old is None or new is None or not same or not running.is_cpu:
        with no_grad():
            running.lerp_(batch.reshape(running.shape).to(running.dtype) * factor, momentum)
        return
    cpu.follow(old, new, float(momentum), float(factor))
    running._bump_version("batch_norm")


def count(batches: Tensor) -> None:
    check_written(batches)
    check_captured("add_", batches)
    if watch.active or batches._flat is None or not batches.is_cpu:
        batches.add_(1)
        return
    batches._flat[0] += 1
    batches._bump_version("add_")


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

    Shape: Input (N, C) or (N, C, d1, ...), all others (C); the output has the shape of input.

    Raises:
        ValueError: training on one value per channel.
        RuntimeError: a tensor whose size is not C, or no running statistics where they are needed.

    Example:
        >>> sg.nn.functional.batch_norm(sg.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
        tensor([[-1.],
                [ 1.]])
    """
    try:
        if (
            input.__class__ not in plain
            or running_mean.__class__ not in plain
            or running_var.__class__ not in plain
            or weight.__class__ not in plain
            or bias.__class__ not in plain
        ) and (result := overridden_in(batch_norm, locals())) is not NOT_HANDLED:
            return result
        if argument_checks.tensor("batch_norm", "input", input)._shape == (0,):
            return input.clone()  # no examples of no channels, as PyTorch sees it
        _require_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
        if not training:
            if running_mean is None or running_var is None:
                raise RuntimeError(
                    "batch_norm(): expected running_mean and running_var to be given when training=False"
                )
            x = input if input._dtype.native else widened(input, running_mean, running_var, weight, bias)
            return narrowed(ops.normalize_by(x, running_mean, running_var, weight, bias, eps), input)
        count = input.numel() // max(input.shape[1], 1)
        if count == 1:
            raise ValueError(
                "batch_norm(): Expected more than 1 value per channel when training, got input size "
                f"{list(input.shape)}"
            )
        dims, affine_shape = (0, *range(2, input.ndim)), (input.shape[1], *(1,) * (input.ndim - 2))
        x = input if input._dtype.native else widened(input, weight, bias)
        output, mean, var = ops.standardize(x, weight, bias, dims, affine_shape, eps)
        if input.numel():
            follow(running_mean, mean, momentum)
            follow(running_var, var, momentum, count / (count - 1))
        return narrowed(output, input)
    except Exception as error:
        hide_internal_frames(error)
        raise


def widened(input: Tensor, *parameters: Tensor | None) -> Tensor:
    """An input of 16-bit floats as float32, if a parameter is: the result is rounded once, to the input's dtype."""
    wide = input._dtype.compute
    mixed = wide is not input._dtype and any(p is not None and p._dtype is wide for p in parameters)
    return input.to(wide) if mixed else input


def narrowed(output: Tensor, input: Tensor) -> Tensor:
    wide = input._dtype.compute
    return output.to(input._dtype) if output._dtype is wide and wide is not input._dtype else output


def _require_channels(input: Tensor, **tensors: Tensor | None) -> None:
    shape = argument_checks.tensor("batch_norm", "input", input)._shape
    if len(shape) < 2:
        raise ShapeError(f"batch_norm(): expected input of at least 2 dimensions, got shape {list(shape)}")
    for name, tensor in tensors.items():
        if tensor is None or argument_checks.tensor("batch_norm", name, tensor)._shape == shape[1:2]:
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

    Shape: Input (*, normalized_shape), weight and bias normalized_shape; the output has the shape of input.

    Raises: RuntimeError: sizes that do not agree.

    Example:
        >>> sg.nn.functional.layer_norm(sg.tensor([[1.0, 3.0]]), [2], eps=0.0)
        tensor([[-1.,  1.]])
    """
    try:
        if (input.__class__ not in plain or weight.__class__ not in plain or bias.__class__ not in plain) and (
            result := intercept("layer_norm", layer_norm, "composite", input, normalized_shape, weight, bias, eps)
        ) is not NOT_HANDLED:
            return result
        shape = argument_checks.integer_list("layer_norm", "normalized_shape", normalized_shape, 1)
        count, size = len(shape), argument_checks.tensor("layer_norm", "input", input)._shape
        if not count or size[-count:] != shape:
            raise ShapeError(
                f"layer_norm(): Given normalized_shape={list(shape)}, expected input with shape "
                f"[*, {', '.join(map(str, shape))}], but got input of size {list(size)}"
            )
        for name, tensor in (("weight", weight), ("bias", bias)):
            if tensor is not None and argument_checks.tensor("layer_norm", name, tensor)._shape != shape:
                raise ShapeError(
                    f"layer_norm(): Expected {name} to be of same shape as normalized_shape, but got {name} of "
                    f"shape {list(tensor.shape)} and normalized_shape = {list(shape)}"
                )
        x = input if input._dtype.native else widened(input, weight, bias)
        output = ops.standardize_rows(x, weight, bias, tuple(range(-count, 0)), eps)[0]
        if output._shape != size:
            raise ShapeError(f"layer_norm(): a tensor was given other memory: {list(output._shape)} after {list(size)}")
        return output if x is input else narrowed(output, input)
    except Exception as error:
        hide_internal_frames(error)
        raise


@autocast_as(cuda="float32")
@completed_from(batch_norm)
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance of each group of channels of a sample.

    Source: Wu and He, "Group Normalization" (2018).

    Args:
        num_groups: how many groups the channels make, all of one size.

    Shape: Input (N, C, ...), weight and bias (C); the output has the shape of input.

    Raises:
        RuntimeError: channels that do not make groups, or a weight of another size.
        ValueError: groups of one value.

    Example:
        >>> sg.nn.functional.group_norm(sg.tensor([[1.0, 3.0, 0.0, 4.0]]), 2, eps=0.0)
        tensor([[-1.,  1., -1.,  1.]])
    """
    if (
        watch.interceptors
        and (result := intercept("group_norm", group_norm, "composite", input, num_groups, weight, bias, eps))
        is not NOT_HANDLED
    ):
        return result
    shape = tuple(argument_checks.tensor("group_norm", "input", input).shape)
    if len(shape) > 1 and shape[0] * shape[1] * prod(shape[2:]) == argument_checks.integer(
        "group_norm", "num_groups", num_groups
    ):
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")
    return narrowed(ops.standardize_groups(widened(input, weight, bias), weight, bias, num_groups, eps)[0], input)


def _channels_first(op: str, input: Tensor) -> tuple[int, ...]:
    shape = tuple(argument_checks.tensor(op, "input", input).shape)
    if len(shape) < 2:
        raise ShapeError(f"{op}(): Expected at least 2 dimensions for input tensor but received {len(shape)}")
    return shape


@completed_from(batch_norm)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance of each channel of each sample.

    Source: Ulyanov, Vedaldi and Lempitsky, "Instance Normalization" (2016).

    Args:
        running_mean, running_var: the statistics used without `use_input_stats`; with it they are updated in place to
            (1 - momentum) * running + momentum * new, new being the mean over the samples, with unbiased variances.
        use_input_stats: whether the statistics are those of the input.

    Shape: Input (N, C, d1, ...), all others (C); the output has the shape of input.

    Raises:
        ValueError: statistics of one value, with use_input_stats.
        RuntimeError: a tensor whose size is not C, or no running statistics where they are needed.

    Example:
        >>> sg.nn.functional.instance_norm(sg.tensor([[[1.0, 3.0], [0.0, 4.0]]]), eps=0.0)
        tensor([[[-1.,  1.],
                 [-1.,  1.]]])
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = _channels_first("instance_norm", input)
    count = prod(shape[2:])
    if count == 1:
        raise ValueError(
            f"instance_norm(): Expected more than 1 spatial element when training, got input size {list(shape)}"
        )
    for name, tensor in {"running_mean": running_mean, "weight": weight, "bias": bias}.items():
        if tensor is not None and argument_checks.tensor("instance_norm", name, tensor).numel() != shape[1]:
            raise ShapeError(f"instance_norm(): {name} should contain {shape[1]} elements not {tensor.numel()}")
    affine_shape = (shape[1], *(1,) * (len(shape) - 2))
    x = widened(input, weight, bias)
    output, mean, var = ops.standardize(x, weight, bias, tuple(range(2, len(shape))), affine_shape, eps)
    for running, batch, factor in ((running_mean, mean, 1.0), (running_var, var, count / max(count - 1, 1))):
        if running is not None and input.numel():
            follow(running, batch.mean(0), momentum, factor)
    return narrowed(output, input)


@autocast_as(cuda="float32")
@completed_from(layer_norm)
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimensions.

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).

    Args:
        weight: one number for each of their elements.
        eps: keeps the root from zero; the dtype's own epsilon when left out.

    Shape: Input (*, normalized_shape), weight normalized_shape; the output has the shape of input.

    Example:
        >>> sg.nn.functional.rms_norm(sg.tensor([[1.0, 7.0]]), [2], eps=0.0)
        tensor([[0.2000, 1.4000]])
    """
    if (
        watch.interceptors
        and (result := intercept("rms_norm", rms_norm, "composite", input, normalized_shape, weight, eps))
        is not NOT_HANDLED
    ):
        return result
    shape = argument_checks.integer_list("rms_norm", "normalized_shape", normalized_shape, 1)
    size, count = argument_checks.tensor("rms_norm", "input", input)._shape, len(shape)
    if not count:
        raise ShapeError("rms_norm(): Expected normalized_shape to be at least 1-dimensional, but got []")
    if size[-count:] != shape:
        raise ShapeError(
            f"rms_norm(): Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size {list(size)}"
        )
    if weight is not None and argument_checks.tensor("rms_norm", "weight", weight)._shape != shape:
        raise ShapeError(
            "rms_norm(): Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(shape)}"
        )
    if input._dtype.kind not in "fc":
        raise UnsupportedDtypeError(f"rms_norm(): expected a floating-point input, but got {input.dtype!r}")
    eps = _default_eps(input._dtype.compute) if eps is None else eps
    if input._dtype.kind == "c":  # the square is the complex one, as the formula says
        normal = input * ((input * input).mean(tuple(range(-count, 0)), True) + eps).rsqrt()
        return normal if weight is None else normal * weight
    x = widened(input, weight)
    return narrowed(ops.normalize_rms(x, weight, tuple(range(-count, 0)), eps)[0], input)


@functools.cache
def _default_eps(computed: dtype) -> float:
    return finfo(computed).eps


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha mean(x^2))^beta, with the mean over `size` neighbouring channels, zeros beyond the first and last.

    Source: Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks" (2012).

    Args:
        input: the batch x.
        size: how many channels are neighbours.
        alpha, beta, k: the numbers of the formula.

    Shape: Input (N, C, d1, ...); the output is the same.

    Raises: ValueError: input of fewer than 3 dimensions.

    Example:
        >>> sg.nn.functional.local_response_norm(sg.tensor([[[1.0], [2.0]]]), 1, alpha=1.0, beta=1.0, k=0.0)
        tensor([[[1.0000],
                 [0.5000]]])
    """
    shape = tuple(argument_checks.tensor("local_response_norm", "input", input).shape)
    if len(shape) < 3:
        raise ValueError(
            f"local_response_norm(): Expected 3D or higher dimensionality input (got {len(shape)} dimensions)"
        )
    if not input.numel():
        return input
    size = argument_checks.integer("local_response_norm", "size", size)
    squares = (input * input).reshape(shape[0], 1, shape[1], prod(shape[2:]))
    padded = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = ops.avg_pool2d(padded, (size, 1), 1).reshape(shape)
    return input / (means * alpha + k) ** beta
