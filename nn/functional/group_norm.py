"""Norms over the channels of one sample: group normalisation and instance normalisation."""

from __future__ import annotations

from math import prod

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.errors import ShapeError
from ...runtime.modes.intercept import NOT_HANDLED, autocast_as, intercept, watch
from .normalization import batch_norm, narrowed, widened
from .running import follow


@autocast_as(cuda="float32")
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and variance of each group of channels of a sample.

    Source: Wu and He, "Group Normalization" (2018).

    Args:
        input: the batch x.
        num_groups: how many groups the channels make, all of one size.
        weight, bias: one number per channel.
        eps: keeps the root from zero.

    Shape:
        Input (N, C, ...), weight and bias (C); the output has the shape of input.

    Raises:
        RuntimeError: channels that do not make groups, or a weight of another size.
        ValueError: groups of one value.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.group_norm(sg.tensor([[1.0, 3.0, 0.0, 4.0]]), 2, eps=0.0)
        tensor([[-1.,  1., -1.,  1.]])
    """
    if (
        watch.interceptors
        and (result := intercept("group_norm", group_norm, "composite", input, num_groups, weight, bias, eps))
        is not NOT_HANDLED
    ):
        return result
    shape = tuple(checks.tensor("group_norm", "input", input).shape)
    if len(shape) > 1 and shape[0] * shape[1] * prod(shape[2:]) == checks.integer(
        "group_norm", "num_groups", num_groups
    ):
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(shape)}")
    return narrowed(ops.standardize_groups(widened(input, weight, bias), weight, bias, num_groups, eps)[0], input)


def _channels_first(op: str, input: Tensor) -> tuple[int, ...]:
    shape = tuple(checks.tensor(op, "input", input).shape)
    if len(shape) < 2:
        raise ShapeError(f"{op}(): Expected at least 2 dimensions for input tensor but received {len(shape)}")
    return shape


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
        input: the batch x.
        running_mean, running_var: the statistics used without `use_input_stats`; with it they are updated in place to
            (1 - momentum) * running + momentum * new, new being the mean over the samples, with unbiased variances.
        weight, bias: one number per channel.
        use_input_stats: whether the statistics are those of the input.
        momentum: the weight of this batch in the running statistics.
        eps: keeps the root from zero.

    Shape:
        Input (N, C, d1, ...), all others (C); the output has the shape of input.

    Raises:
        ValueError: statistics of one value, with use_input_stats.
        RuntimeError: a tensor whose size is not C, or no running statistics where they are needed.

    Example:
        >>> import specgrad as sg
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
        if tensor is not None and checks.tensor("instance_norm", name, tensor).numel() != shape[1]:
            raise ShapeError(f"instance_norm(): {name} should contain {shape[1]} elements not {tensor.numel()}")
    affine_shape = (shape[1], *(1,) * (len(shape) - 2))
    x = widened(input, weight, bias)
    output, mean, var = ops.standardize(x, weight, bias, tuple(range(2, len(shape))), affine_shape, eps)
    for running, batch, factor in ((running_mean, mean, 1.0), (running_var, var, count / max(count - 1, 1))):
        if running is not None and input.numel():
            follow(running, batch.mean(0), momentum, factor)
    return narrowed(output, input)
