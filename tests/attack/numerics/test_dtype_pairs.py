"""Element-wise ops on tensors of unlike dtypes, forward and backward: all is computed in the common dtype.

Every entry of the registry with two tensors or more meets pairs of dtypes, each of the tensors perhaps without
dimensions. What it gives is what it gives for tensors that were cast before; so are its gradients. What it refuses it
refuses in its own words, never in those of the compiler.
"""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.verify.calls.samples import sample_calls
from tests.attack.amount import SEED, amount
from tests.generated.call_variants import of_dtypes
from tests.generated.calls import BY_NAME

FLOATS = [sg.float16, sg.bfloat16, sg.float32, sg.float64, sg.complex64, sg.complex128]
DTYPES = [*FLOATS, sg.bool, sg.uint8, sg.int8, sg.int16, sg.int32, sg.int64]
REFUSALS = (RuntimeError, TypeError, ValueError)
TOLERANCE = {sg.float16: 4e-3, sg.bfloat16: 3e-2, sg.float32: 2e-5, sg.complex64: 2e-5}
CHUNKS = 12
MASKS = ("condition", "mask")  # arguments that choose between others, and stay bools whatever these are

Named = dict[str, Any]


def takes_two(name: str) -> bool:
    """Whether two tensors at least take part in what an element-wise op computes."""
    op = BY_NAME[name]
    return op.kind == "elementwise" and of_dtypes(name, sample_calls(op)[0], (sg.float32, sg.float32), 0)[1] > 1


OPS = [name for name in BY_NAME if takes_two(name)]
CASES = [(name, one, other, zero) for name in OPS for one in DTYPES for other in DTYPES for zero in (0, 1, 2)]


def common(name: str, given: Named, result: Any) -> Any:
    """The dtype that an op computes in by its rule; where a number makes floats of integers, that of the result."""
    tensors = [value for key, value in given.items() if isinstance(value, sg.Tensor) and key not in MASKS]
    found = tensors[0].dtype if BY_NAME[name].dtype == "same" else promoted(tensors)
    if found.kind in "bi" and (result.kind in "fc" or BY_NAME[name].dtype == "float"):
        return result if result.kind in "fc" else sg.get_default_dtype()
    return found


def promoted(tensors: list[Any]) -> Any:
    """The common dtype of several tensors; those without dimensions only make it of their kind."""
    wide = [t for t in tensors if t.ndim] or tensors
    found = functools.reduce(sg.promote_types, [t.dtype for t in wide])
    for tensor in tensors if len(wide) < len(tensors) else ():
        found = sg.result_type(sg.ones(1, dtype=found), tensor)
    return found


def outcome(name: str, given: Named, as_: Any = None) -> list[Any] | Exception:
    """The first output and its gradients for all leaves, perhaps of tensors that were cast before; or the refusal."""
    leaves = [v for v in given.values() if isinstance(v, sg.Tensor) and v.requires_grad]
    if as_ is not None:
        given = {k: v.to(as_) if isinstance(v, sg.Tensor) and k not in MASKS else v for k, v in given.items()}
    try:
        found = BY_NAME[name].function(**given)
        found = found if isinstance(found, sg.Tensor) else found[0]
        if not (leaves and found.requires_grad):
            return [found]
        weights = sg.tensor(np.cos(np.arange(found.numel()) + 1.0).reshape(found.shape)).to(found.dtype)
        return [found, *sg.autograd.grad(found, leaves, weights, allow_unused=True)]
    except REFUSALS as error:
        return error


def of_integers(name: str, given: Named) -> bool:
    """Whether a slope has a function of integers alone, which has the default dtype as it has in PyTorch."""
    unfused = any("unfused(" in formula for formula in BY_NAME[name].formulas.values())
    return unfused and any(isinstance(v, sg.Tensor) and v.dtype.kind in "bi" for v in given.values())


def numbers(x: Any) -> np.ndarray:
    return np.asarray(x.detach().to(sg.complex128 if x.is_complex() else sg.float64).numpy())


def check(name: str, one: Any, other: Any, zero: int) -> bool:
    """One call; False where it is refused."""
    what = f"{name}, {one}, {other}, tensor {zero} 0-d, seed {SEED}"
    given, _ = of_dtypes(name, sample_calls(BY_NAME[name])[0], (one, other), zero)
    for value in given.values():
        if isinstance(value, sg.Tensor) and value.dtype.kind in "fc":
            value.requires_grad_()
    mixed = outcome(name, given)
    if isinstance(mixed, Exception):
        assert not any(word in str(mixed) for word in ("nopython", "numba", "Unknown attribute")), f"{what}: {mixed}"
        return False
    alike = outcome(name, given, common(name, given, mixed[0].dtype))
    assert not isinstance(alike, Exception), f"{what}: refused when cast: {alike}"
    assert [x is None for x in mixed] == [x is None for x in alike], what
    for found, right in zip(mixed, alike, strict=True):
        if found is not None:
            assert (found.dtype, found.shape) == (right.dtype, right.shape), what
            loose = max(TOLERANCE.get(x.dtype, 1e-10) for x in (found, mixed[0]))
            if found is not mixed[0] and of_integers(name, given):
                loose = max(loose, TOLERANCE[sg.get_default_dtype()])
            np.testing.assert_allclose(numbers(found), numbers(right), rtol=loose, atol=loose, err_msg=what)
    return True


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_pairs_of_dtypes(chunk: int, figures: Any) -> None:
    """Values and gradients are those of tensors that were cast before; nothing ends in an error of the compiler."""
    mine = CASES[chunk::CHUNKS]
    chosen = random.Random(f"{SEED}, {chunk}").sample(mine, min(len(mine), amount(4, len(mine))))
    computed = sum(check(*case) for case in chosen)
    figures("pairs of dtypes", calls=len(chosen), computed=computed)


@pytest.mark.parametrize("other", ["bool", "uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("one", ["complex64", "complex128", "float32", "float16"])
@pytest.mark.parametrize("name", ["mul.Tensor", "div.Tensor", "add.Tensor", "where.self"])
def test_numbers_and_masks(name: str, one: str, other: str, figures: Any) -> None:
    """The products, quotients, sums and choices of numbers and masks or integers, whoever of them is first."""
    for pair in ((one, other), (other, one)):
        assert check(name, *(getattr(sg, each) for each in pair), 0)
    figures("pairs of dtypes", calls=2, computed=2)
