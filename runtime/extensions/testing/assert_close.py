"""`assert_close`: tensors, numbers and containers of these are equal up to rounding, or an error says where not; and
`make_tensor`, random elements of any dtype between bounds.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...namespace import op
from ...ops.creation import as_tensor, rand, randint
from ...tensor.dtypes import bool_, dtype, finfo, float32, float64, int64
from ...tensor.dtypes import dtype as Dtype
from ...tensor.tensor import TensorBase, compute_array

_BY_NAME = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def default_tolerances(*kinds: dtype) -> tuple[float, float]:
    matches = [_BY_NAME.get(kind.to_real().name, (0.0, 0.0)) if kind.kind in "fc" else (0.0, 0.0) for kind in kinds]
    return max(rtol for rtol, _ in matches), max(atol for _, atol in matches)


def chosen_tolerances(rtol: Any, atol: Any, *kinds: dtype) -> tuple[float, float]:
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    return default_tolerances(*kinds) if rtol is None else (rtol, atol)


_NUMBERS = bool, int, float, complex, np.number, np.bool_


class Options(NamedTuple):
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an error where ``|actual - expected| <= atol + rtol * |expected|`` is not true of all elements.

    Args:
        actual, expected: tensors or arrays, numbers, None, or sequences and mappings of these.
        allow_subclasses: whether objects of related classes are compared.
        rtol, atol: the tolerances; those of the dtypes when left out.
        equal_nan: whether NaN equals NaN.
        check_device, check_dtype, check_layout, check_stride: whether these have to be the same.
        msg: what the error says, or a function that makes it of the usual text.

    Raises:
        AssertionError: something is not close, or differs in shape, dtype, device, keys or length.
        ValueError: only one of the tolerances is given.
        TypeError: objects of classes that cannot be compared.

    Example:
        >>> import specgrad as sg
        >>> assert_close(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 2.0 + 1e-7]))
        >>> assert_close({"a": 1}, {"a": 2})
        Traceback (most recent call last):
        AssertionError: Scalars are not equal!
        ...
    """
    options = Options(rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride)
    if not allow_subclasses and type(actual) is not type(expected):
        raise TypeError(_unknown(actual, expected))
    result = _difference(actual, expected, options, "")
    if result is not None:
        raise AssertionError(msg(result) if callable(msg) else result if msg is None else msg)


def _unknown(actual: Any, expected: Any) -> str:
    return f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."


def _difference(actual: Any, expected: Any, options: Options, location: str) -> str | None:
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    tensors = [isinstance(value, (TensorBase, np.ndarray)) for value in (actual, expected)]
    if all(tensors):
        result = _tensors_differ(as_tensor(actual), as_tensor(expected), options)
    elif isinstance(actual, _NUMBERS) and isinstance(expected, _NUMBERS):
        result = _numbers_differ(actual, expected, options)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return _mappings_differ(actual, expected, options, location)
    elif _is_sequence(actual) and _is_sequence(expected):
        return _sequences_differ(actual, expected, options, location)
    else:
        raise TypeError(_unknown(actual, expected))
    return result if result is None or not location else f"{result}\n\nThe failure occurred for item {location}"


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _sequences_differ(actual: Any, expected: Any, options: Options, location: str) -> str | None:
    if len(actual) != len(expected):
        return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
    for number, (one, other) in enumerate(zip(actual, expected, strict=True)):
        result = _difference(one, other, options, f"{location}[{number}]")
        if result is not None:
            return result
    return None


def _mappings_differ(actual: Any, expected: Any, options: Options, location: str) -> str | None:
    if actual.keys() != expected.keys():
        missing, extra = (
            sorted(result, key=str) for result in (expected.keys() - actual.keys(), actual.keys() - expected.keys())
        )
        lines = [f"Missing keys in the actual mapping: {missing}"] if missing else []
        lines += [f"Additional keys in the actual mapping: {extra}"] if extra else []
        return "The keys of the mappings do not match:\n" + "\n".join(lines)
    for key in actual:
        result = _difference(actual[key], expected[key], options, f"{location}[{key!r}]")
        if result is not None:
            return result
    return None


def _numbers_differ(actual: Any, expected: Any, options: Options) -> str | None:
    if isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
        return None if actual == expected else f"Booleans mismatch: {actual} is not {expected}"
    if options.check_dtype and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    kinds = [int64 if isinstance(value, (int, np.integer)) else float64 for value in (actual, expected)]
    rtol, atol = chosen_tolerances(options.rtol, options.atol, *kinds)
    if _close(np.asarray(actual), np.asarray(expected), rtol, atol, options.equal_nan).all():
        return None
    distance = abs(actual - expected)
    relative = distance / abs(expected) if expected else float("inf")
    if not rtol and not atol:
        lines = ["Scalars are not equal!", "", f"Expected {expected} but got {actual}."]
        return "\n".join([*lines, f"Absolute difference: {distance}", f"Relative difference: {relative}"])
    lines = ["Scalars are not close!", "", f"Expected {expected} but got {actual}."]
    lines.append(f"Absolute difference: {distance} (up to {atol} allowed)")
    return "\n".join([*lines, f"Relative difference: {relative} (up to {rtol} allowed)"])


def _tensors_differ(actual: Any, expected: Any, options: Options) -> str | None:
    checks = [
        ("shape", True, actual.shape, expected.shape),
        ("dtype", options.check_dtype, actual.dtype, expected.dtype),
    ]
    checks.append(("device", options.check_device, actual.device, expected.device))
    checks.append(("layout", options.check_layout, actual.layout, expected.layout))
    checks.append(("stride()", options.check_stride, actual.stride(), expected.stride()))
    for name, requested, one, other in checks:
        if requested and one != other:
            return f"The values for attribute '{name}' do not match: {one} != {other}."
    rtol, atol = chosen_tolerances(options.rtol, options.atol, actual.dtype, expected.dtype)
    one, other = (_widest(compute_array(tensor.detach().cpu())) for tensor in (actual, expected))
    close = _close(one, other, rtol, atol, options.equal_nan)
    return None if close.all() else _described(one, other, close, rtol, atol)


def _widest(array: np.ndarray) -> np.ndarray:
    kind = {"f": np.float64, "c": np.complex128}.get(array.dtype.kind)
    return array if kind is None else array.astype(kind)


def _close(actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float, equal_nan: bool) -> np.ndarray:
    if not rtol and not atol and "f" not in (actual.dtype.kind, expected.dtype.kind):
        return np.asarray(actual == expected)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan))


def _described(actual: np.ndarray, expected: np.ndarray, close: np.ndarray, rtol: float, atol: float) -> str:
    if actual.dtype.kind == "b":
        actual, expected = actual.astype(np.int64), expected.astype(np.int64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        absolute = np.where(close, 0, np.abs(actual - expected))
        relative = np.where(close, 0, absolute / np.abs(expected))
    number, exact = int((~close).sum()), not rtol and not atol
    lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", ""]
    if close.ndim == 0:
        lines[0] = f"Scalars are not {'equal' if exact else 'close'}!"
        lines.append(f"Expected {expected.item()} but got {actual.item()}.")
    else:
        lines.append(f"Mismatched elements: {number} / {close.size} ({number / close.size:.1%})")
    for name, result, allowed in (("absolute", absolute, atol), ("relative", relative, rtol)):
        location = np.unravel_index(int(np.nan_to_num(result, nan=np.inf).argmax()), result.shape)
        at = f" at index {tuple(map(int, location))}" if close.ndim else ""
        upto = "" if exact else f" (up to {allowed} allowed)"
        kind = f"Greatest {name} difference" if close.ndim else f"{name.capitalize()} difference"
        lines.append(f"{kind}: {result[location].item()}{at}{upto}")
    return "\n".join(lines)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older form of `assert_close`: dtypes, devices and strides do not count, and NaN equals NaN.

    Results, errors and arguments as of `assert_close`; anything that tensors can be made of is compared.
    """
    first = as_tensor(actual)
    second = as_tensor(expected, dtype=first.dtype) if not isinstance(expected, TensorBase) else expected
    options = Options(rtol, atol, equal_nan, False, False, False, False)
    result = _tensors_differ(first, second, options)
    if result is not None:
        raise AssertionError(msg or result)


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
