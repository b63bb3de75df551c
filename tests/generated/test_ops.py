"""Every op of the registry on all its samples: values against NumPy and SciPy, dtypes, layouts, forms."""

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import specgrad as sg

from .calls import (
    BY_NAME,
    NAMES,
    Style,
    arguments,
    call,
    call_sources,
    gradients,
    is_differentiable,
    run,
    tensors_of,
    watched,
)
from .references import REFERENCES

DOUBLE, SINGLE, COMPLEX = Style(sg.float64), Style(sg.float32), Style(sg.complex128)
INTEGER, MASK = Style(sg.int64), Style(sg.bool)
BYTES = ("view.dtype", "view_copy.dtype")  # whose numbers are other ones in each dtype
FLOATS = [name for name in NAMES if "float" in BY_NAME[name].dtypes and name not in BYTES]
NARROW = [name for name in FLOATS if not name.startswith("float_power_.")]  # which writes float64 only


def reference_of(name: str) -> Any:
    """The reference of an entry, under its full name or without the overload."""
    return REFERENCES.get(name, REFERENCES.get(name.partition(".")[0]))


REFERENCED = [name for name in NAMES if reference_of(name) is not None and name not in BYTES]


def referenced(kind: str) -> list[str]:
    """The ops that have a reference and say that they take a kind of dtype; a composite takes what its parts do."""
    return [n for n in REFERENCED if kind in BY_NAME[n].dtypes and (kind == "float" or BY_NAME[n].kind != "composite")]


def expected(name: str, text: str, style: Style) -> tuple[Any, ...]:
    """What the reference gives, as a tuple."""
    given = arguments(name, text, style, as_tensor=False)
    given.pop("dtype", None)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = reference_of(name)(**given)
    return tuple(found) if isinstance(found, tuple) else (found,)


def numbers(value: Any) -> Any:
    """A tensor as an array that NumPy computes with."""
    if not isinstance(value, sg.Tensor):
        return value
    return (value.float() if value.dtype is sg.bfloat16 else value).numpy(force=True)


def agree(got: Any, right: Any, rtol: float, atol: float) -> bool:
    """Equal shapes and nearly equal numbers; nan equals nan, and None stands for anything."""
    if right is None:
        return True
    got, right = numbers(got), np.asarray(numbers(right))
    return got.shape == right.shape and np.allclose(got, right, rtol=rtol, atol=atol, equal_nan=True)


def check(name: str, style: Style, rtol: float = 1e-9, atol: float = 1e-9) -> None:
    """All samples of an op against its reference."""
    for text in call_sources(BY_NAME[name], style.dtype.kind):
        if style is COMPLEX and any(word in text for word in ("dtype", "amax", "amin")):
            continue  # complex numbers have no order
        if style is MASK and "'mean'" in text:
            continue  # and bools no mean
        got, right = run(name, text, style), expected(name, text, style)
        assert len(got) == len(right), text
        for one, other in zip(got, right, strict=True):
            assert agree(one, other, rtol, atol), f"{name}({text}) gives {one}, expected {other}"


def test_all_ops_have_a_reference() -> None:
    """Here, or in its entry, where `verify` compares it."""
    assert [name for name in NAMES if reference_of(name) is None and not BY_NAME[name].reference] == []


@pytest.mark.parametrize("name", referenced("float"))
def test_float64(name: str) -> None:
    """In float64 values and shapes are those of the reference."""
    check(name, DOUBLE, rtol=1e-7 if "backward" in name else 1e-11, atol=1e-7 if "backward" in name else 1e-12)


@pytest.mark.parametrize("name", referenced("complex"))
def test_complex128(name: str) -> None:
    """So they are in complex128, where the op is defined for it."""
    check(name, COMPLEX)


@pytest.mark.parametrize("name", referenced("int"))
def test_int64(name: str) -> None:
    """And for integers; ops that compute in floats give the default dtype."""
    check(name, INTEGER, rtol=1e-5, atol=1e-6)
    for text in call_sources(BY_NAME[name], "i"):
        assert BY_NAME[name].dtype != "float" or run(name, text, INTEGER)[0].dtype in (sg.float32, sg.complex64)


@pytest.mark.parametrize("name", referenced("bool"))
def test_bool(name: str) -> None:
    """And for bools."""
    check(name, MASK, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [n for n in NAMES if BY_NAME[n].kind in ("elementwise", "kernel")])
def test_kinds_that_are_not_allowed(name: str) -> None:
    """Other kinds of dtype are an error that names the op and the dtype, unless something makes them floats first."""
    op = BY_NAME[name]
    promoted = op.dtype == "float" or any(type_.startswith("Scalar") for _, type_, *_ in op.arguments)
    for kind, style in (("bool", MASK), ("int", INTEGER), ("complex", COMPLEX), ("float", DOUBLE)):
        calls = [text for text in call_sources(op, style.dtype.kind) if "=T(" in text]
        if calls and kind not in op.dtypes and not (promoted and kind in ("bool", "int")):
            with pytest.raises(RuntimeError, match=rf"{name.partition('.')[0]}.*{style.dtype.name}"):
                run(name, calls[0], style)


@pytest.mark.parametrize("name", NARROW)
def test_float32_is_near_float64(name: str) -> None:
    """float32 results have that dtype and are those of float64 up to its precision; gradients too."""
    for text in call_sources(BY_NAME[name]):
        for single, double in zip(run(name, text, SINGLE), run(name, text, DOUBLE), strict=True):
            retained = (
                "dtype" in text or single.dtype in (sg.int32, sg.int64, sg.bool) or name.startswith("float_power")
            )
            assert single.dtype is (double.dtype if retained else narrower(double)), text
            assert agree(single, double, rtol=1e-4, atol=1e-5), text
        for single, double in zip(
            gradients(name, text, Style(sg.float32, grad=True)),
            gradients(name, text, Style(sg.float64, grad=True)),
            strict=True,
        ):
            assert (single is None) == (double is None)
            assert double is None or agree(single, double, rtol=1e-3, atol=1e-3), text


def narrower(double: Any) -> Any:
    """The single-precision dtype of a result that may be complex where the inputs are not."""
    return sg.complex64 if double.is_complex() else sg.float32


# Two float16 make a complex32; what else gives complex numbers refuses 16 bits.
OF_PARTS = {"complex", "polar", "view_as_complex", "view_as_complex_copy"}


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("name", NARROW)
def test_half_precision_is_computed_in_float32(name: str, dtype: Any) -> None:
    """float16 and bfloat16 give what float32 gives for the same numbers, rounded once at the end."""
    op = BY_NAME[name]
    for text in call_sources(op):
        given = arguments(name, text, Style(dtype))
        if "dtype" in text or any(not t.isfinite().all() for t in tensors_of(given)):
            continue
        if set(op.result_dtype) == {"complex"} and (dtype is sg.bfloat16 or name not in OF_PARTS):
            with pytest.raises(RuntimeError, match=dtype.name):
                call(op, given)
            continue
        wide = {
            k: [widened(v) for v in value] if isinstance(value, list) else widened(value) for k, value in given.items()
        }
        rules = [*op.result_dtype, *["same"] * 8]
        for half, single, rule in zip(call(op, given), call(op, wide), rules, strict=False):
            if half.dtype in (sg.int32, sg.int64, sg.bool):
                assert half.tolist() == single.tolist(), text
            else:
                assert half.dtype is (sg.float32 if rule == "computed" else result_dtype(name, dtype)), text
                small = 0 if op.kind != "composite" else 2e-2
                parts = [sg.view_as_real(z) if z.dtype is sg.complex32 else z for z in (half, single.to(half.dtype))]
                assert agree(*parts, rtol=small, atol=small), text  # NumPy has no such complex numbers


def result_dtype(name: str, dtype: Any) -> Any:
    """The dtype of the result for floating-point tensors: the same, unless the spec or the name says another."""
    if name.startswith("float_power"):
        return sg.float64
    complex_of = {sg.float32: sg.complex64, sg.float16: sg.complex32}
    return complex_of[dtype] if BY_NAME[name].result_dtype == ("complex",) else dtype


def widened(value: Any) -> Any:
    """A half-precision tensor as float32; anything else as it is."""
    return value.float() if isinstance(value, sg.Tensor) and value.dtype.itemsize == 2 else value


@pytest.mark.parametrize("name", NARROW)
def test_layout_makes_no_difference(name: str) -> None:
    """Strided, transposed inputs give the same bits as contiguous ones, gradients the same up to rounding."""
    op = BY_NAME[name]
    if op.name in ("as_strided", "as_strided_copy", "as_strided_scatter", "view", "view_as", "view_as_complex"):
        return  # they speak about the layout
    for text in call_sources(op):
        for plain, strided in zip(
            run(name, text, SINGLE), run(name, text, Style(sg.float32, strided=True)), strict=True
        ):
            assert plain.shape == strided.shape and same(plain, strided, op), text
        pairs = zip(
            gradients(name, text, Style(sg.float64, grad=True)),
            gradients(name, text, Style(sg.float64, strided=True, grad=True)),
            strict=True,
        )
        assert all(a is b is None or agree(b, a, 1e-12, 1e-12) for a, b in pairs), text


def same(a: Any, b: Any, op: Any) -> bool:
    """Equal bits; for sums of products, which BLAS may order otherwise, equal up to rounding."""
    if op.kind == "elementwise":
        return a.contiguous().numpy(force=True).tobytes() == b.contiguous().numpy(force=True).tobytes()
    return agree(a, b, 1e-5, 1e-6)


@pytest.mark.parametrize("name", FLOATS)
def test_fast_path_is_the_general_path(name: str) -> None:
    """Values are the same bits whether the general path computes them or what was found before is looked up.

    The general path computes gradients by formulas, the fast path by kernels: they are equal up to rounding. That
    native code gives the bits that Python gives by the same kernels is the business of test_without_native.py.
    """
    style = Style(sg.float64, grad=True)
    for text in call_sources(BY_NAME[name]):
        found, again = ([*run(name, text, style), *gradients(name, text, style)] for _ in range(2))
        assert list(map(bits, found)) == list(map(bits, again)), text
        general = run(name, text, style, general=True)
        assert list(map(bits, found[: len(general)])) == list(map(bits, general)), text
        for a, b in zip(found[len(general) :], gradients(name, text, style, general=True), strict=True):
            assert (a is None and b is None) or agree(a, b, 1e-10, 1e-11), text


def bits(value: Any) -> Any:
    """The bits of a tensor; None of none."""
    return None if value is None else value.numpy(force=True).tobytes()


@pytest.mark.parametrize("name", [name for name in FLOATS if BY_NAME[name].kind != "composite"])
def test_threads_make_no_difference(name: str, threads: Any) -> None:
    """Values and gradients are the same bits whether one thread computes them or three share what they can."""
    style = Style(sg.float32, grad=True)
    for text in call_sources(BY_NAME[name]):
        found = []
        for number in (1, 3):
            threads(number)
            found.append([*run(name, text, style), *gradients(name, text, style)])
        for alone, batch in zip(*found, strict=True):
            assert alone is batch or repr(alone.detach().tolist()) == repr(batch.detach().tolist()), text


@pytest.mark.parametrize("name", [name for name in FLOATS if BY_NAME[name].inplace is not None])
def test_in_place_form(name: str) -> None:
    """op_() leaves in its tensor what op() returns, with the same gradients."""
    op = BY_NAME[name]
    for text in call_sources(op):
        right = run(name, text, DOUBLE)[0]
        given = arguments(name, text, DOUBLE)
        if right.dtype is not sg.float64 or right.shape != given["self"].shape:
            continue
        target = given.pop("self")
        assert op.inplace(target, **given) is target and agree(target, right, 1e-12, 1e-12), text
        pairs = zip(in_place_gradients(op, text), in_place_gradients(op, text, out_of_place=True), strict=True)
        assert all(same_gradient(op, one, other) for one, other in pairs), text


def same_gradient(op: Any, one: Any, other: Any) -> bool:
    """The same bits; up to rounding where the gradient in place is another formula, which reads the result."""
    if one is None or other is None or getattr(op.node, "by_result", None) is None:
        return repr(one) == repr(other)
    return agree(np.array(one), np.array(other), 1e-12, 1e-12)


def in_place_gradients(op: Any, text: str, out_of_place: bool = False) -> Any:
    """Gradients through a copy that is overwritten."""
    given = arguments(op.name, text, Style(sg.float64, grad=True))
    requested = [t for t in tensors_of(given) if t.requires_grad]
    target = given.pop("self") * 1
    result = op.function(input=target, **given) if out_of_place else op.inplace(target, **given)
    found = sg.autograd.grad((result * 2).sum(), requested, allow_unused=True) if is_differentiable(result) else ()
    return [None if g is None else g.tolist() for g in found]


@pytest.mark.parametrize("name", [n for n in FLOATS if "out" in inspect.signature(BY_NAME[n].function).parameters])
def test_out_form(name: str) -> None:
    """op(out=t) fills a tensor of any layout, or one for each output, with the results; empty ones are resized."""
    op = BY_NAME[name]
    for text in call_sources(op):
        right = run(name, text, DOUBLE)
        for blank in (empty_like, turned_like):
            blanks = tuple(blank(x) for x in right)
            found = call(op, {**arguments(name, text, DOUBLE), "out": blanks if len(op.outputs) > 1 else blanks[0]})
            for given, out, x in zip(blanks, found, right, strict=True):
                assert out is given and agree(out, x, 0, 0), text


def empty_like(x: sg.Tensor) -> sg.Tensor:
    """A tensor without elements."""
    return sg.empty(0, dtype=x.dtype)


def turned_like(x: sg.Tensor) -> sg.Tensor:
    """A tensor of the shape of another, in the reverse order of dimensions in memory."""
    return sg.zeros(x.shape[::-1], dtype=x.dtype).permute(tuple(reversed(range(x.ndim))))


OPERATORS: dict[str, Any] = {
    "*": lambda x, y: x * y,
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "/": lambda x, y: x / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "**": lambda x, y: x**y,
    "<": lambda x, y: x < y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
}


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("number", [2, -0.75, 7.0])
def test_a_number_on_either_side(symbol: str, number: float) -> None:
    """Number operands: values are NumPy's, and fast and general path agree bit for bit, gradients included."""
    values = np.array([0.5, 1.25, 2.0, 3.5], np.float32)
    operator = OPERATORS[symbol]
    for swap in (False, True):
        results = []
        for general in (False, True):
            x = sg.tensor(values, requires_grad=True)
            with watched(general):
                result = operator(number, x) if swap else operator(x, number)
            if result.requires_grad:
                result.sum().backward()
            results.append([result.numpy(force=True).tobytes(), None if x.grad is None else x.grad.numpy().tobytes()])
            with np.errstate(all="ignore"):
                wide = values.astype(np.float64)
                expected = operator(number, wide) if swap else operator(wide, number)
            np.testing.assert_allclose(result.numpy(force=True), expected.astype(result.dtype.np), rtol=3e-6)
        assert results[0] == results[1], (symbol, number, swap)


@pytest.mark.parametrize("number", [10**400, 1j, True, None, "2"])
def test_numbers_that_no_float_kernel_takes(number: Any) -> None:
    """They go by promotion, or are refused with an error that names the op; nothing is computed wrongly."""
    x = sg.ones(2)
    if number in (1j, True):
        assert (x * number).dtype is (sg.complex64 if number == 1j else sg.float32)
    else:
        with pytest.raises((TypeError, RuntimeError, OverflowError), match="mul"):
            sg.mul(x, number)
