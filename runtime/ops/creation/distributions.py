"""Random numbers whose distribution is given by tensors: normal, Bernoulli, Poisson, binomial, multinomial, gamma.

The numbers are drawn outside of the graph; the gradients of `_standard_gamma` are those of an op that moves numbers
from one gamma distribution to another (`gamma_moved`), at the place where both are the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd.inplace import write_out
from ...device.device import CPU, DeviceLike
from ...dispatch import argument_checks
from ...dispatch.shape_rules import is_known
from ...errors import ShapeError, UnsupportedDtypeError
from ...kernels.cpu.random_loops import are_between, are_weights
from ...namespace import Tensor, op
from ...shapes import Shape, broadcast_shapes
from ...tensor.dtypes import bool_, dtype, float64, get_default_dtype, int64
from ...tensor.generator import Generator
from ...tensor.grad_mode import is_grad_enabled
from ...tensor.memory_format import layout
from ...tensor.observers import sampling, watch
from ...tensor.tensor import TensorBase, alias, compute_array
from .fast_calls import Creation
from .options import allocating, checked_size, chosen_dtype, finish, from_array, require_strided
from .random import exponential, filled_by, stream, uniform
from .random import normal as drawn_normal


@sampling
def normal(
    mean: Tensor | float = 0.0,
    std: Tensor | float = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Numbers drawn from normal distributions: `normal(mean, std, size)`, or one for each element of tensors.

    Args:
        mean: the mean, or a tensor of means.
        std: the standard deviation, or a tensor of them; not negative.
        size: the shape of the result where both are numbers.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type where both are numbers; the default one when not given.
        layout: strided, the only one that there is.
        device: where the tensor is made.
        requires_grad: whether operations on the tensor are recorded.
        out: a tensor that takes the numbers; its shape is the size where both are numbers and none is given.

    Raises:
        RuntimeError: a standard deviation is negative.
        TypeError: both are numbers and there is no size.

    Example:
        >>> import specgrad as sg
        >>> sg.normal(sg.tensor([1.0, 2.0]), 0.0)
        tensor([1., 2.])
    """
    require_strided("normal", layout)
    if out is None and size is not None:
        made = NORMAL.launch(generator, size, mean, std, dtype, device, requires_grad)
        if made is not None:
            return made
    chosen = stream("normal", generator)
    mean, std = _plain(mean), _plain(std)
    _require_std(std)
    args = [value for value in (mean, std) if isinstance(value, TensorBase)]
    if args:
        like = op.add(*args) if len(args) == 2 else args[0]
        result = drawn_normal("normal", chosen, like._shape, like._dtype, device=like._device) * std + mean
        return result if out is None else write_out("normal", out, result)
    size = out.shape if size is None and isinstance(out, TensorBase) else size
    if size is None:
        raise TypeError("normal(): expected a size where mean and std are numbers")
    shape = checked_size("normal", argument_checks.integer_list("normal", "size", size))
    kind = chosen_dtype("normal", dtype, get_default_dtype())
    center, width = argument_checks.floating("normal", "mean", mean), argument_checks.floating("normal", "std", std)
    result = finish("normal", drawn_normal("normal", chosen, shape, kind, center, width, device), device, requires_grad)
    return result if out is None else write_out("normal", out, result)


def _plain(value: Any) -> Any:
    return alias(value, value._shape, value._strides, value._offset) if isinstance(value, TensorBase) else value


def _require_std(std: Any) -> None:
    if not is_known(std):
        return
    if isinstance(std, TensorBase):
        if std.is_complex():
            raise RuntimeError(f"normal(): expected std to be real, but got a tensor of dtype {std.dtype!r}")
        values = _on_host(std).ravel()
        low_limit = 0 if are_between(values, 0.0, math.inf) else values.min(initial=0).item()
    else:
        low_limit = argument_checks.floating("normal", "std", std)
    if low_limit < 0:
        raise RuntimeError(f"normal(): expected std >= 0, but got std={low_limit}")


@sampling
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """For each element 1 with the probability that it is, 0 otherwise, in its dtype; no gradient flows through.

    Args:
        input: the probabilities.
        p: one probability instead of those in `input`.
        generator: where the randomness comes from; the default generator when not given.
        out: a tensor that takes the numbers.

    Raises:
        RuntimeError: an element is no probability, or the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg.bernoulli(sg.tensor([0.0, 1.0]))
        tensor([0., 1.])
    """
    argument_checks.tensor("bernoulli", "input", input)
    if input._dtype.kind != "f" and p is None:
        raise UnsupportedDtypeError(f"bernoulli(): expected a floating point dtype, but got {input._dtype}")
    result = trials("bernoulli", input if p is None else p, input._shape, input._dtype, generator, input._device)
    return result if out is None else write_out("bernoulli", out, result)


def trials(name: str, p: Any, shape: Shape, kind: dtype, generator: Generator | None, device: Any) -> Any:
    """1 with probability p: a number, or a tensor that broadcasts to the shape."""
    chosen = stream(name, generator)
    if not isinstance(p, TensorBase):
        chance = argument_checks.floating(name, "p", p)
        if not 0 <= chance <= 1:
            raise RuntimeError(f"{name}(): expected p between 0 and 1, but got p={chance}")
        direct = kind if kind.native and kind.kind == "f" and is_here(device) else bool_
        return filled_by("fill_trials", name, chosen, shape, direct, device, chance, cast_to=kind)
    if p._shape == shape and kind.kind == p._dtype.kind == "f" and is_here(p) and is_here(device):
        chances = compute_array(p).ravel()
        if are_between(chances, 0.0, 1.0):
            return filled_by("fill_trials_of", name, chosen, shape, kind.compute, CPU, chances, cast_to=kind)
    _require_chances(name, p)
    if broadcast_shapes(name, shape, p._shape) != shape:
        raise ShapeError(f"{name}(): expected p to broadcast to {list(shape)}, but got shape {list(p._shape)}")
    sampled = uniform(name, chosen, shape, float64, device=device)
    if sampled._device is CPU and p._device is CPU:
        return from_array(np.asarray(sampled.array < _on_host(p)), kind)
    return op.lt(sampled, _plain(p)).to(kind)


def _require_chances(name: str, p: Any) -> None:
    chances = _on_host(p) if is_known(p) else np.zeros(1)
    inside = (chances >= 0) & (chances <= 1)
    if not inside.all():
        raise RuntimeError(f"{name}(): expected p between 0 and 1, but got p={chances[~inside].flat[0]}")


def _on_host(t: Any) -> np.ndarray:
    return compute_array(t if t._device is CPU else _plain(t).cpu())


NORMAL = Creation("normal", "normal", "gsvn")
_MAX_CACHED = 2.0**62
MAX = np.finfo(np.float64).max
SEARCH_THRESHOLD = 16  # places that are looked for one after the other; more are sorted


@sampling
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """For each element the number of events when so many are expected: k with the probability e^-r r^k / k!.

    Args:
        input: the expected numbers r; their shape and dtype are the result's, through which no gradient flows.
        generator: where the randomness comes from; the default generator when not given.

    Raises:
        RuntimeError: an element is negative or too large, or the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg.poisson(sg.zeros(2))
        tensor([0., 0.])
    """
    expected = _numbers("poisson", "input", input)
    if not are_between(expected.ravel(), 0.0, _MAX_CACHED):
        raise RuntimeError(f"poisson(): expected numbers from 0 to 2**62, but got {expected.min()} to {expected.max()}")
    chosen, rates = stream("poisson", generator), _flat(input, input._shape)
    return filled_by(
        "fill_poisson", "poisson", chosen, input._shape, float64, input._device, rates, cast_to=input._dtype
    )


@sampling
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """For each element the number of successes in `count` trials of probability `prob`.

    Args:
        count: how many trials, as floating-point numbers, whose dtype is the result's; no gradient flows through.
        prob: the probabilities; what lies outside of [0, 1] counts as the nearer bound.
        generator: where the randomness comes from; the default generator when not given.

    Raises:
        RuntimeError: a count is negative or too large, a probability is nan, or a dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg.binomial(sg.tensor([3.0, 5.0]), sg.tensor([1.0, 0.0]))
        tensor([3., 0.])
    """
    trials, chances = _numbers("binomial", "count", count), _numbers("binomial", "prob", prob)
    if not are_between(trials.ravel(), 0.0, _MAX_CACHED) or not are_between(chances.ravel(), -math.inf, math.inf):
        raise RuntimeError(f"binomial(): expected counts from 0 to 2**62 and probabilities, but got {count} and {prob}")
    shape = broadcast_shapes("binomial", count._shape, prob._shape)
    chosen, value = stream("binomial", generator), (_flat(count, shape), _flat(prob, shape))
    return filled_by("fill_binomial", "binomial", chosen, shape, float64, count._device, *value, cast_to=count._dtype)


def _numbers(name: str, argument: str, value: Any) -> np.ndarray:
    """The elements of a floating-point tensor on the host; none where they cannot be looked at."""
    _require_floating(name, argument, value)
    return _on_host(value) if is_known(value) else np.empty(0)


def _require_floating(name: str, argument: str, value: Any) -> None:
    argument_checks.tensor(name, argument, value)
    if value._dtype.kind != "f":
        raise UnsupportedDtypeError(f"{name}(): expected {argument} of a floating point dtype, but got {value._dtype}")


def _flat(t: Any, shape: Shape) -> Any:
    """The elements in 64 bits, broadcast to a shape, as a flat array where they lie."""
    if t._device is CPU:
        wide = compute_array(t).astype(np.float64)
        return wide.ravel() if wide.shape == shape else np.broadcast_to(wide, shape).ravel()
    return _plain(t).to(float64).expand(shape).contiguous().array.ravel()


@sampling
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Places drawn from each row with probabilities in proportion to its elements.

    Args:
        input: weights that are not negative, in a vector or in the rows of a matrix.
        num_samples: how many to draw from each row.
        replacement: whether a place may be drawn again.
        generator: where the randomness comes from; the default generator when not given.
        out: a tensor of int64 that takes the places, in the order in which they are drawn.

    Raises:
        RuntimeError: a weight is negative, infinite or nan, a row has no positive one, or too few to draw from.

    Example:
        >>> import specgrad as sg
        >>> sg.multinomial(sg.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
        tensor([1, 1])
    """
    _require_floating("multinomial", "input", input)
    count = argument_checks.integer("multinomial", "num_samples", num_samples)
    again = argument_checks.boolean("multinomial", "replacement", replacement)
    result = _host_sampled_indices(input, count, again, generator)
    if result is not None:
        return result if out is None else write_out("multinomial", out, result)
    weights = _plain(input).to(float64)
    _require_weights(weights, count, again)
    chosen, rows = stream("multinomial", generator), weights.reshape(-1, weights.shape[-1])
    with allocating("multinomial"):
        if again:  # where a uniform share of the total falls among the running sums
            sums = op.cumsum(rows, 1)
            shares = uniform("multinomial", chosen, (len(rows), count), float64, device=rows._device)
            sampled = op.searchsorted(sums, shares * sums[:, -1:], right=True)
        else:  # the first to arrive where each arrives at its own rate; those of rate 0 come last, in their order
            arrivals = exponential("multinomial", chosen, rows._shape, float64, device=rows._device)
            arrivals = op.where(rows == 0, math.inf, (arrivals / rows).clamp_max(MAX))
            sampled = op.argsort(arrivals, 1, stable=True)[:, :count].contiguous()
    result = sampled.reshape(*weights.shape[:-1], count)
    return result if out is None else write_out("multinomial", out, result)


def _host_sampled_indices(input: Any, count: int, again: bool, generator: Generator | None) -> Any:
    """What one loop on the host draws; None elsewhere, of many without replacement, and where weights are wrong."""
    shape = input._shape
    columns = shape[-1] if shape else 0
    uses_search = again or count <= min(columns, SEARCH_THRESHOLD)
    if not (0 < len(shape) <= 2 and columns > 0 < count and uses_search and is_here(input)):
        return None
    weights = compute_array(input).ravel()
    if not are_weights(weights, columns, 1 if again else count):
        return None
    fill, random_count = ("fill_weighted_indices", None) if again else ("fill_first_arrivals", weights.size)
    size, chosen = (*shape[:-1], count), stream("multinomial", generator)
    return filled_by(fill, "multinomial", chosen, size, int64, CPU, weights, columns, count, random_count=random_count)


def is_here(where: Any) -> bool:
    return where._device is CPU and is_known(where) if isinstance(where, TensorBase) else where is CPU


def _require_weights(weights: Any, count: int, again: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError(f"multinomial(): expected a vector or a matrix, but got shape {list(weights.shape)}")
    if count <= 0:
        raise RuntimeError(f"multinomial(): expected num_samples > 0, but got {count}")
    if not weights.shape[-1] or (count > weights.shape[-1] and not again):
        raise RuntimeError(f"multinomial(): cannot draw {count} samples of {weights.shape[-1]} without replacement")
    if not is_known(weights):
        return
    if not ((weights >= 0) & (weights < math.inf)).all():
        raise RuntimeError("multinomial(): expected finite weights that are not negative, but got others")
    positive = (weights > 0).sum(-1)
    if not (positive > 0).all():
        raise RuntimeError("multinomial(): expected a positive weight in each row, but got a sum of 0")
    if not (again or (positive >= count).all()):
        raise RuntimeError(
            f"multinomial(): expected at least {count} positive weights in each row to draw {count} samples without "
            f"replacement, but got {int(positive.min())}"
        )


def _standard_gamma(input: Any, generator: Generator | None = None) -> Any:
    """For each element a number of the density x^(a - 1) e^-x / gamma(a), differentiable by a.

    Args:
        input: the shapes a, as many as numbers are drawn, in the same dtype; 0 gives 0.
        generator: where the randomness comes from; the default generator when not given.

    Raises:
        RuntimeError: the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> bool((sg._standard_gamma(sg.ones(3)) > 0).all())
        True
    """
    sampled = _log_gamma(input, generator).exp().to(input.dtype)
    is_followed = watch.active or (input.requires_grad and is_grad_enabled())
    return op.gamma_moved(input, input.detach(), sampled) if is_followed else sampled


@sampling
def _log_gamma(input: Any, generator: Generator | None = None) -> Any:
    """The logarithms of gamma numbers in float64: those of small shapes are too small for any other form."""
    _numbers("_standard_gamma", "input", input)
    chosen, shapes = stream("_standard_gamma", generator), _flat(input, input._shape)
    return filled_by("fill_log_gamma", "_standard_gamma", chosen, input._shape, float64, input._device, shapes)


def _sample_dirichlet(input: Any, generator: Generator | None = None) -> Any:
    """Vectors of the Dirichlet distributions whose concentrations lie along the last dimension.

    Args:
        input: the concentrations; their shape and dtype are the result's, through which no gradient flows.
        generator: where the randomness comes from; the default generator when not given.

    Raises:
        RuntimeError: the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg._sample_dirichlet(sg.ones(2, 3)).shape
        specgrad.Size([2, 3])
    """
    return op.softmax(_log_gamma(_plain(input), generator), -1).to(input.dtype)


def _standard_gamma_grad(input: Any, output: Any) -> Any:
    """The slope of numbers that `_standard_gamma` gave by the shapes, at a fixed level of the distribution function.

    Args:
        input: the shapes.
        output: the numbers.

    Example:
        >>> import specgrad as sg
        >>> sg._standard_gamma_grad(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 1.0]))
        tensor([1.1736, 0.7508])
    """
    return op.standard_gamma_grad(input, output)


def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """The slope by alpha of numbers of beta distributions of shapes alpha and total - alpha, over 1 - x.

    Args:
        x: the numbers.
        alpha: the first shapes.
        total: the sums of both shapes.

    Example:
        >>> import specgrad as sg
        >>> sg._dirichlet_grad(sg.tensor([0.5, 0.2]), sg.tensor([1.0, 2.0]), sg.tensor([2.0, 5.0]))
        tensor([0.6931, 0.1587])
    """
    return op.dirichlet_grad(x, alpha, total)
