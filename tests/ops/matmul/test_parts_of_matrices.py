"""Products of matrices that are parts of larger ones: views whose rows, or columns, lie apart in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.matmul import BMM

rng = np.random.default_rng(0)
# How a matrix, or a batch of them, is taken out of a larger one.
PARTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x.clone(),
    "columns": lambda x: sg.cat([x, x], -1)[..., : x.shape[-1]],
    "rows": lambda x: sg.stack([x, x], -2).flatten(-3, -2)[..., ::2, :],
    "transposed part": lambda x: sg.cat([x.mT, x.mT], -1)[..., : x.shape[-2]].mT,
    "every second column": lambda x: sg.stack([x, x], -1).flatten(-2)[..., ::2],
}
SIZES = [(1, 7, 5), (6, 1, 9), (5, 8, 1), (3, 4, 5), (40, 64, 40), (33, 130, 70), (7, 3, 600)]


def sampled(*shape: int, dtype: Any = sg.float64) -> Any:
    return sg.tensor(rng.standard_normal(shape)).to(dtype)


def reserved(x: Any, how: str) -> Any:
    found = PARTS[how](x)
    assert sg.equal(found, x)
    return found


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16])
@pytest.mark.parametrize("right", PARTS)
@pytest.mark.parametrize("left", PARTS)
def test_values(left: str, right: str, dtype: Any) -> None:
    """mm, bmm and linear with bias; the second call is by a plan where there is one."""
    bound = {sg.float32: 1e-4, sg.float64: 1e-12, sg.bfloat16: 0.25}[dtype]
    for rows, depth, columns in SIZES:
        for batch in ((), (3,)):
            a, b = sampled(*batch, rows, depth, dtype=dtype), sampled(*batch, depth, columns, dtype=dtype)
            expected = a.to(sg.float64).numpy() @ b.to(sg.float64).numpy()
            x, y = reserved(a, left), reserved(b, right)
            for _ in range(2):
                np.testing.assert_allclose((x @ y).to(sg.float64).numpy(), expected, rtol=bound, atol=bound)
        bias = sampled(columns, dtype=dtype)
        exact = [each.to(sg.float64).numpy() for each in (a[0], b[0], bias)]
        expected = exact[0] @ exact[1] + exact[2]
        x, weight = reserved(a[0], left), reserved(b[0].T.contiguous(), right)
        for _ in range(2):
            found = sg.nn.functional.linear(x, weight, bias)
            np.testing.assert_allclose(found.to(sg.float64).numpy(), expected, rtol=bound, atol=bound)


@pytest.mark.parametrize("right", PARTS)
@pytest.mark.parametrize("left", PARTS)
def test_gradients(left: str, right: str) -> None:
    """Of mm, bmm and linear, beside those of contiguous operands."""

    def gradients(a: Any, b: Any, how: tuple[str, str], product: Callable[[Any, Any], Any], weights: Any) -> list[Any]:
        given = [each.clone().requires_grad_() for each in (a, b)]
        x, y = (PARTS[name](each) for name, each in zip(how, given, strict=True))
        (product(x, y) * weights).sum().backward()
        return [each.grad for each in given]

    for product, first, second in [
        (sg.matmul, (6, 9), (9, 8)),
        (sg.bmm, (3, 6, 9), (3, 9, 8)),
        (sg.nn.functional.linear, (4, 6, 9), (8, 9)),
    ]:
        a, b = sampled(*first), sampled(*second)
        weights = sampled(*first[:-1], 8)
        for _ in range(2):
            found, expected = (gradients(a, b, how, product, weights) for how in ((left, right), ("whole", "whole")))
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12, atol=1e-12)


def test_parts_have_plans() -> None:
    """Native code multiplies them as they lie; one matrix for a whole batch as well."""
    x, y = (reserved(sampled(3, 6, 9, dtype=sg.float32), "columns") for _ in range(2))
    assert (x @ y.mT).shape == BMM.launch(x, y.mT).shape
    one = y[:1].expand(3, 6, 9).mT
    sg.bmm(x, one)
    np.testing.assert_allclose(BMM.launch(x, one).numpy(), x.numpy() @ one.numpy(), rtol=1e-5, atol=1e-5)


def test_threads_share_parts() -> None:
    """The bits of a product do not depend on how the operands lie, nor on the number of threads."""
    a, b, before = sampled(200, 300, dtype=sg.float32), sampled(300, 250, dtype=sg.float32), sg.get_num_threads()
    try:
        for threads in (1, 2):
            sg.set_num_threads(threads)
            for left in PARTS:
                assert sg.equal(reserved(a, left) @ reserved(b, "columns"), a @ b)
    finally:
        sg.set_num_threads(before)


def test_expanded_matrices() -> None:
    """Matrices of which all rows, all columns or all numbers are one, beside others and in batches."""
    for n, k, m in ((50, 64, 40), (7, 3, 600), (64, 1000, 64)):
        ones = [sampled(1, k).expand(n, k), sampled(n, 1).expand(n, k), sampled(1, 1).expand(n, k), sampled(n, k)]
        others = [sampled(1, m).expand(k, m), sampled(k, 1).expand(k, m), sampled(k, 2 * m)[:, :m], sampled(m, k).t()]
        for a in ones:
            for b in others:
                for x, y in ((a, b), (a.expand(3, n, k), b.expand(3, k, m)), (a.expand(3, n, k), sampled(3, k, m))):
                    for _ in range(2):
                        np.testing.assert_allclose((x @ y).numpy(), x.numpy() @ y.numpy(), rtol=1e-12, atol=1e-11)
