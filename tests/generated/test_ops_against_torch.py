"""Where PyTorch is installed: every op that it has under the same name, on all samples: values, dtypes, gradients."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.errors import DtypeError

from .calls import BY_NAME, NAMES, Style, arguments, call, call_sources, gradients
from .torch_calls import documented, to_torch, torch, unlike

DTYPES = [sg.float64, sg.float32, sg.float16, sg.bfloat16, sg.complex128, sg.int64, sg.int32, sg.bool]
TOLERANCE = {
    "float64": 1e-10,
    "complex128": 1e-10,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}


def theirs(name: str) -> Any:
    """PyTorch's op of this schema name that takes a tensor, or None."""
    base, _, overload = name.partition(".")
    packet = None if torch is None else getattr(torch.ops.aten, base, None)
    for one in (overload,) if overload else ("default", "Tensor"):
        found = getattr(packet, one, None)
        if found is not None and "Tensor" in str(found._schema.arguments[0].type):
            return found
    return None


COMPARED = [name for name in NAMES if theirs(name) is not None]


def named_for_torch(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments under PyTorch's names; a number where it has a list becomes one."""
    types = {a.name: str(a.type) for a in theirs(name)._schema.arguments}
    named = {("input" if key == "self" and "self" not in types else key): to_torch(v) for key, v in given.items()}
    return {k: [v] if isinstance(v, int) and "List[int]" in types.get(k, "") else v for k, v in named.items()}


def outputs_of(name: str, named: dict[str, Any]) -> tuple[Any, ...]:
    """PyTorch's outputs; none where it does not define the call."""
    if "(a!)" in BY_NAME[name].schema.partition("->")[0]:
        named = {**named, "self": named["self"].clone()}
    try:
        found = theirs(name)(**named)
    except (RuntimeError, NotImplementedError, TypeError, IndexError):
        return ()
    return (found,) if isinstance(found, torch.Tensor) else tuple(found)


# What PyTorch computes to some 8 digits, whatever the dtype: with constants in float32, or series that stop early.
IMPRECISE = ("celu", "hardsigmoid", "digamma", "igamma", "igammac")


def assert_same(ours: Any, other: Any, about: str, min_value: float = 0) -> None:
    """Equal shape and dtype, and values equal up to rounding."""
    assert tuple(ours.shape) == tuple(other.shape), about
    assert ours.dtype.name == str(other.dtype).removeprefix("torch."), about
    wide = (torch.complex128, sg.complex128) if other.is_complex() else (torch.float64, sg.float64)
    got, right = ours.detach().to(wide[1]).numpy(force=True), other.detach().clone().resolve_conj().to(wide[0]).numpy()
    tolerance = max(TOLERANCE.get(ours.dtype.name, 0), min_value)
    assert np.allclose(got, right, rtol=tolerance, atol=tolerance, equal_nan=True), f"{about}: {got} is not {right}"


def defined(name: str, dtype: Any) -> bool:
    """Whether the op says that it takes this kind of dtype."""
    op, kind = BY_NAME[name], {"b": "bool", "i": "int", "f": "float", "c": "complex"}[dtype.kind]
    floats = op.dtype == "float" and kind in ("bool", "int")
    if dtype.itemsize == 2 and set(op.result_dtype) == {"complex"}:
        return False  # there is no complex dtype of that width
    return kind in op.dtypes or floats


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", COMPARED or [""])
def test_values_and_dtypes(name: str, dtype: Any) -> None:
    """Results have PyTorch's values and dtypes, wherever both define the op."""
    compared = name and defined(name, dtype) and not documented(name, f"in {dtype.name}")
    for text in call_sources(BY_NAME[name], dtype.kind) if compared else ():
        given = arguments(name, text, Style(dtype))
        for ours, other in zip(answer(name, given), outputs_of(name, named_for_torch(name, given)), strict=False):
            assert unlike(ours, other) == "", f"{name}({text}) of {dtype}"
            assert_same(ours, other, f"{name}({text}) of {dtype}", 1e-7 if name in IMPRECISE else 0)


def answer(name: str, given: dict[str, Any]) -> tuple[Any, ...]:
    """Our outputs; a composite may refuse a dtype that it does not name, and of complex numbers none is the largest."""
    try:
        return call(BY_NAME[name], given)
    except DtypeError:
        assert BY_NAME[name].kind == "composite" or given.get("reduce") in ("amax", "amin")
        return ()


@pytest.mark.parametrize("dtype", [sg.float64, sg.complex128], ids=str)
@pytest.mark.parametrize("name", [name for name in COMPARED if "float" in BY_NAME[name].dtypes] or [""])
def test_gradients(name: str, dtype: Any) -> None:
    """Gradients are PyTorch's, also at the kinks, wherever both define them."""
    style = Style(dtype, grad=True)
    allowed = name and defined(name, dtype) and (dtype is sg.float64 or BY_NAME[name].complex)
    allowed = allowed and not documented(name, f"gradient in {dtype.name}")
    for text in call_sources(BY_NAME[name]) if allowed else ():
        right = their_gradients(name, named_for_torch(name, arguments(name, text, style)))
        for ours, other in zip(gradients(name, text, style), right, strict=False):
            if ours is None or other is None:
                assert not any(g is not None and g.any() for g in (ours, other)), text
            elif other.isfinite().all():
                assert unlike(ours, other) == "", f"gradient of {name}({text}) of {dtype}"
                min_value = 1e-7 if name in IMPRECISE else 0
                assert_same(ours, other, f"gradient of {name}({text}) of {dtype}", min_value)


def their_gradients(name: str, named: dict[str, Any]) -> list[Any]:
    """PyTorch's gradients of the same weighted sum as in `gradients`."""
    flat = [item for value in named.values() for item in (value if isinstance(value, list) else [value])]
    requested = [t for t in flat if isinstance(t, torch.Tensor) and t.requires_grad]
    total: Any = 0
    for output in outputs_of(name, named):
        if output.requires_grad and output.numel():
            weights = torch.tensor(np.cos(np.arange(output.numel()) + 1.0).reshape(tuple(output.shape)))
            part = (output * weights.to(output.dtype)).sum()
            total = total + (part.real if part.is_complex() else part)
    try:
        return list(torch.autograd.grad(total, requested, allow_unused=True)) if requested else []
    except (RuntimeError, AttributeError, TypeError):
        return []


def test_enough_is_compared() -> None:
    """Where PyTorch is, most ops are compared with it."""
    assert torch is None or len(COMPARED) > 0.75 * len(NAMES)
