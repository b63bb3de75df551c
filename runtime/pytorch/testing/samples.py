"""`make_tensor`: random elements of any dtype between bounds."""

from __future__ import annotations

from typing import Any

from ...creation import rand, randint
from ...namespace import op
from ...tensor.dtypes import bool_, finfo, float32, float64
from ...tensor.dtypes import dtype as Dtype

_BOUNDS = {"uint8": (0, 10), "b": (0, 2), "i": (-9, 10), "f": (-9.0, 9.0), "c": (-9.0, 9.0)}


def make_tensor(
    *shape: Any,
    dtype: Dtype,
    device: Any = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of random elements.

    Args:
        *shape: its sizes, or a sequence of these.
        dtype: its dtype.
        device: where it is made.
        low, high: the least element and the bound above; -9 and 9, from 0 on where there are no negative numbers.
        requires_grad: whether it requires grad.
        noncontiguous: whether elements lie apart in memory.
        exclude_zero: whether elements that are 0 become the least positive number.
        memory_format: as of `clone`.

    Raises:
        TypeError: a bound is no number.
        ValueError: no number lies between the bounds, or both noncontiguous and a memory format are asked for.

    Example:
        >>> import specgrad as sg
        >>> sg.testing.make_tensor(2, 3, dtype=sg.int64, device="cpu", low=5, high=6)
        tensor([[5, 5, 5],
                [5, 5, 5]])
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually exclusive")
    if not isinstance(dtype, Dtype):
        raise TypeError(f"make_tensor(): argument 'dtype' must be specgrad.dtype, not {type(dtype).__name__}")
    low_bound, above = _BOUNDS.get(dtype.name) or _BOUNDS[dtype.kind]
    for name, bound in (("low", low), ("high", high)):
        if bound is not None and not isinstance(bound, (int, float)):
            raise TypeError(f"make_tensor(): argument '{name}' must be Number, not {type(bound).__name__}")
    low_bound, above = low_bound if low is None else low, above if high is None else high
    if not low_bound < above:
        raise ValueError(f"`low` must be less than `high`, but got {low_bound} >= {above}")
    made = (*sizes[:-1], 2 * sizes[-1]) if noncontiguous and sizes else sizes
    result = _sampled(made, dtype, device, low_bound, above)
    if noncontiguous and sizes:
        result = result[..., ::2]
    if exclude_zero:
        result[result == 0] = 1 if dtype.kind in "bi" else finfo(dtype).tiny
    if memory_format is not None:
        result = result.clone(memory_format=memory_format)
    return result.requires_grad_() if requires_grad else result


def _sampled(sizes: Any, dtype: Dtype, device: Any, low_bound: Any, above: Any) -> Any:
    if dtype is bool_ or dtype.kind == "i":
        return randint(int(low_bound), int(above), sizes, device=device).to(dtype)
    kind = float64 if dtype.to_real() is float64 else float32
    parts = [
        rand(sizes, dtype=kind, device=device) * (above - low_bound) + low_bound for _ in range(1 + dtype.is_complex)
    ]
    return op.complex(*parts).to(dtype) if dtype.is_complex else parts[0].to(dtype)
