"""Symmetric and Hermitian matrices that need not be definite: decomposed, and systems solved with what that gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg


def matrices(dtype: Any, hermitian: bool, shape: tuple[int, ...] = (3, 5, 5)) -> sg.Tensor:
    """Random ones, with zeros on the diagonal, so that D has blocks of two rows."""
    sg.manual_seed(0)
    a = sg.randn(*shape, dtype=dtype)
    a = a + (a.mH if hermitian else a.mT)
    return a * (1 - sg.eye(shape[-1], dtype=dtype))


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", [sg.float64, sg.complex128])
def test_solves_what_was_decomposed(dtype: Any, hermitian: bool) -> None:
    """X with A X = B; the upper triangle of A is not read, and that of LD is zero."""
    a = matrices(dtype, hermitian)
    packed, pivots = sg.linalg.ldl_factor(a.tril(), hermitian=hermitian)
    assert pivots.dtype is sg.int32 and bool((pivots < 0).any()) and not packed.triu(1).any()
    b = sg.randn(5, 2, dtype=dtype)
    x = sg.linalg.ldl_solve(packed, pivots, b, hermitian=hermitian)
    assert x.shape == (3, 5, 2) and sg.allclose(a.matmul(x), b.expand(3, 5, 2))


def test_batches() -> None:
    """vmap gives what whole batches give, and there may be no matrices, or empty ones."""
    a = matrices(sg.float64, False)
    for one, other in zip(sg.func.vmap(sg.linalg.ldl_factor_ex)(a), sg.linalg.ldl_factor_ex(a), strict=True):
        assert np.array_equal(one.numpy(), other.numpy())
    assert [t.shape for t in sg.linalg.ldl_factor_ex(sg.ones(0, 3, 3))] == [(0, 3, 3), (0, 3), (0,)]
    assert [t.shape for t in sg.linalg.ldl_factor_ex(sg.ones(2, 0, 0))] == [(2, 0, 0), (2, 0), (2,)]


PACKED, PIVOTS = sg.eye(3), sg.tensor([1, 2, 3], dtype=sg.int32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sg.linalg.ldl_factor(sg.zeros(2, 2)), r"ldl_factor\(\): D\[1,1\] is zero"),
        (lambda: sg.linalg.ldl_factor(sg.zeros(2, 3)), r"ldl_factor\(\): A must be batches of square matrices"),
        (lambda: sg.linalg.ldl_solve(PACKED, PIVOTS, sg.ones(2, 2)), "Incompatible matrix sizes"),
        (lambda: sg.linalg.ldl_solve(PACKED, PIVOTS.float(), sg.ones(3, 2)), "Expected pivots to be integers"),
        (lambda: sg.linalg.ldl_solve(PACKED, PIVOTS + 1, sg.ones(3, 2)), "expected pivots from 1 to 3"),
        (lambda: sg.linalg.ldl_solve(PACKED, -PIVOTS, sg.ones(3, 2)), "in pairs, but got some from -3 to -1"),
        (lambda: sg.linalg.ldl_solve(PACKED, PIVOTS[:2], sg.ones(3, 2)), r"pivots with shape \[2\]"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    """They name the op and what was expected."""
    with pytest.raises(RuntimeError, match=message):
        call()
