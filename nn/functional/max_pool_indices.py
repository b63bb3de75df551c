"""Maximum pooling that always gives the places of the maxima, and that over windows at random positions."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.ops.creation import rand
from ..docstrings import completed_from
from . import pooling
from .pooling import Pooled

Size = int | Sequence[int]
Ratio = float | Sequence[float]


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """The largest value of each window of an image, where windows begin at pseudo-random positions.

    Source: Graham, "Fractional max-pooling" (2014).

    Args:
        input: images.
        kernel_size: height and width, or one number for both, of the windows.
        output_size: how many windows.
        output_ratio: how many windows for each element of the input, less than 1, in place of output_size.
        return_indices: whether to return also where in its flattened plane each maximum stands.

    Shape: Input (N, C, H, W) or (C, H, W); the output has output_size in place of H and W.

    Raises:
        ValueError: neither output_size nor output_ratio.
        RuntimeError: windows that do not fit.

    Example:
        >>> sg.nn.functional.fractional_max_pool2d(sg.arange(16.0).view(1, 4, 4), 2, 3)[0, 2, 2]
        tensor(15.)
    """
    return _pooled(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@completed_from(fractional_max_pool2d)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """The largest value of each window of a volume, where windows begin at pseudo-random positions.

    Example:
        >>> sg.nn.functional.fractional_max_pool3d(sg.arange(8.0).view(1, 2, 2, 2), 1, 2)
        tensor([[[[0., 1.],
                  [2., 3.]],
        <BLANKLINE>
                 [[4., 5.],
                  [6., 7.]]]])
    """
    return _pooled(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def _pooled(
    spatial: int,
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None,
    output_ratio: Ratio | None,
    return_indices: bool,
    samples: Tensor | None,
) -> Pooled:
    name = f"fractional_max_pool{spatial}d"
    shape = tuple(argument_checks.tensor(name, "input", input).shape)
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got: {list(shape)}")
    if output_size is None:
        if output_ratio is None:
            raise ValueError(f"{name}() requires specifying either an output_size or an output_ratio")
        ratios = (output_ratio,) * spatial if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
        if len(ratios) != spatial:
            raise ValueError(f"{name}() requires output_ratio to be one number or {spatial}, got {output_ratio}")
        sizes = zip(shape[-spatial:], ratios, strict=True)
        output_size = [int(n * argument_checks.floating(name, "output_ratio", ratio)) for n, ratio in sizes]
    if samples is None:
        rows = (1 if len(shape) == spatial + 1 else shape[0], shape[-spatial - 1], spatial)
        samples = rand(rows, dtype=input.dtype, device=input.device)
    kernel = argument_checks.integer_list(name, "kernel_size", kernel_size, spatial)
    result = ops.fractional_max_pool(
        input, kernel, argument_checks.integer_list(name, "output_size", output_size, spatial), samples
    )
    return result if return_indices else result[0]


Pair = tuple[Tensor, Tensor]
Params = ParamSpec("Params")


def _with_indices(pool: Callable[Params, Any], example: str, result: str) -> Callable[Params, Pair]:
    """A function that always gives both values that `pool` gives with `return_indices`.

    Its docstring shows a call, of which `example` is what follows "(", and the `result`.
    """
    own = signature(pool)
    position = list(own.parameters).index("return_indices")

    @wraps(pool)
    def both(*args: Params.args, **kwargs: Params.kwargs) -> Pair:
        named = {name: value for name, value in kwargs.items() if name != "return_indices"}
        before, behind = args[:position], args[position + 1 :]
        return tuple(pool(*before, True, *behind, **named) if behind else pool(*before, return_indices=True, **named))  # type: ignore[arg-type]

    defaults = {"return_indices": True}
    parameters = [p.replace(default=defaults.get(name, p.default)) for name, p in own.parameters.items()]
    both.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    both.__module__, both.__name__ = __name__, f"{pool.__name__}_with_indices"
    both.__qualname__ = both.__name__
    first = pool.__doc__.partition(".\n")[0] if pool.__doc__ else ""
    about = f"{first}, and where it stands: `{pool.__name__}` with `return_indices`."
    both.__doc__ = f"{about}\n\nExample:\n    >>> sg.nn.functional.{both.__name__}({example}\n    {result}"
    return completed_from(pool)(both)


max_pool1d_with_indices = _with_indices(
    pooling.max_pool1d, "sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)", "(tensor([[5., 3.]]), tensor([[1, 3]]))"
)
max_pool2d_with_indices = _with_indices(
    pooling.max_pool2d, "sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)", "(tensor([[[4.]]]), tensor([[[3]]]))"
)
max_pool3d_with_indices = _with_indices(
    pooling.max_pool3d, "sg.arange(8.0).view(1, 2, 2, 2), 2)", "(tensor([[[[7.]]]]), tensor([[[[7]]]]))"
)
adaptive_max_pool1d_with_indices = _with_indices(
    pooling.adaptive_max_pool1d, "sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)", "(tensor([[5., 3.]]), tensor([[1, 3]]))"
)
adaptive_max_pool2d_with_indices = _with_indices(
    pooling.adaptive_max_pool2d, "sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1)", "(tensor([[[4.]]]), tensor([[[3]]]))"
)
adaptive_max_pool3d_with_indices = _with_indices(
    pooling.adaptive_max_pool3d, "sg.arange(8.0).view(1, 2, 2, 2), 1)", "(tensor([[[[7.]]]]), tensor([[[[7]]]]))"
)
fractional_max_pool2d_with_indices = _with_indices(
    fractional_max_pool2d, "sg.ones(1, 4, 4), 2, 3)[1].shape", "specgrad.Size([1, 3, 3])"
)
fractional_max_pool3d_with_indices = _with_indices(
    fractional_max_pool3d, "sg.ones(1, 4, 4, 4), 2, 3)[1].shape", "specgrad.Size([1, 3, 3, 3])"
)
