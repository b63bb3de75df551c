"""Operands of several dtypes, and whole numbers: natively what NumPy computes, in PyTorch's dtypes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import kernels
from specgrad.runtime.native.registration import supported

pytestmark = pytest.mark.skipif(not supported(), reason="there is no native code here")

RNG = np.random.default_rng(3)
OFTEN = 12  # calls, of which the first few convert in the general path
DTYPES = {"bool": sg.bool, "uint8": sg.uint8, "int64": sg.int64, "float32": sg.float32, "float64": sg.float64}
ORDER = list(DTYPES)


def numbers(name: str, *shape: int) -> Any:
    """Numbers from 1 on, or some of them true."""
    values = RNG.integers(1, 6, shape)
    return sg.tensor(values > 2 if name == "bool" else values).to(DTYPES[name])


def common(*names: str) -> Any:
    """The dtype in which numbers of several are computed with, of tensors of as many dimensions."""
    return DTYPES[max(names, key=ORDER.index)]


@pytest.mark.parametrize("second", DTYPES)
@pytest.mark.parametrize("first", DTYPES)
def test_products_and_quotients(first: str, second: str) -> None:
    """Also those that broadcast, or with operands that lie apart in memory."""
    for shape in ((3, 4), (4,), (3, 1)):
        x, y = numbers(first, 3, 4), numbers(second, *shape)
        for _ in range(OFTEN):
            product, ratio, transposed = x * y, x / y, numbers(first, 4, 3).t() * y
        wide = x.numpy().astype(np.float64), y.numpy().astype(np.float64)
        np.testing.assert_array_equal(product.numpy(), wide[0] * wide[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            np.testing.assert_allclose(ratio.numpy(), wide[0] / wide[1], rtol=1e-6)
        assert product.dtype is transposed.dtype is common(first, second)
        assert ratio.dtype is (product.dtype if product.is_floating_point() else sg.float32)


@pytest.mark.parametrize("compute", [operator.mod, operator.floordiv, operator.sub, operator.and_, operator.xor])
def test_whole_numbers_beside_a_number(compute: Any) -> None:
    """Divisors and others, which NumPy rounds alike."""
    x = RNG.integers(-(2**62), 2**62, 50)
    for number in (1, 3, 7, 2**31, 2**53):
        np.testing.assert_array_equal(compute(sg.tensor(x), number).numpy(), compute(x, number))
    for number in (-3, -1):  # for which the general path answers
        np.testing.assert_array_equal(compute(sg.tensor(x), number).numpy(), compute(x, number))


def test_bools() -> None:
    """The ops of logic and bits, and comparisons, of all four pairs."""
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    for compute in (operator.and_, operator.or_, operator.xor, operator.eq, operator.ne):
        found = compute(sg.tensor(x), sg.tensor(y))
        assert found.tolist() == compute(x, y).tolist() and found.dtype is sg.bool
    assert (~sg.tensor(x)).tolist() == (~x).tolist()


def test_written_operands_keep_their_dtype() -> None:
    """What is added is converted; what would lose a fraction is refused, and nothing is written."""
    for _ in range(OFTEN):
        x, counts = sg.full((4,), 0.5), sg.arange(4)
        x += counts
        x *= sg.tensor([True, False, True, False])
        assert x.tolist() == [0.5, 0.0, 2.5, 0.0]
        with pytest.raises(RuntimeError, match="can't be cast"):
            counts += x
        assert counts.tolist() == [0, 1, 2, 3]


def test_gradients_have_the_dtype_of_their_inputs() -> None:
    """A factor that needs a gradient is not converted natively; whole numbers beside it are."""
    for _ in range(OFTEN):
        x = sg.ones(4, requires_grad=True)
        (x * sg.arange(4)).sum().backward()
        (x * sg.arange(4.0, dtype=sg.float64)).sum().backward()
        assert x.grad.tolist() == [0.0, 2.0, 4.0, 6.0] and x.grad.dtype is sg.float32


def test_what_is_refused_stays_refused() -> None:
    """Zero as a divisor of whole numbers, and differences of bools."""
    for _ in range(OFTEN):
        for number in (0, sg.tensor([0])):
            with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                sg.tensor([3]) % number
        for other in (sg.tensor([True]), sg.ones(1), sg.arange(1)):
            with pytest.raises(RuntimeError, match="not supported|bool"):
                other - sg.tensor([True])


def test_answers_are_native() -> None:
    """From then on when there are kernels that convert."""
    x, mask, count = sg.ones(4), sg.tensor([True, False, True, False]), sg.arange(4)
    for _ in range(OFTEN):
        found = [kernels.MUL_TENSOR.launch(x, mask), kernels.DIV_TENSOR.launch(count, 2), kernels.EXP.launch(count)]
        found += [kernels.BITWISE_AND_TENSOR.launch(mask, mask), kernels.REMAINDER.launch(count, 3)]
    assert None not in found
    assert kernels.REMAINDER.launch(count, count) is None and kernels.REMAINDER.launch(count, count + 1) is not None
    assert kernels.SUB_TENSOR.launch(x, mask, 1) is None
    assert kernels.ADD_TENSOR.launch(x.to(sg.float64).requires_grad_(), x, 1) is not None
    assert kernels.ADD_TENSOR.launch(x.clone().requires_grad_(), x.double(), 1) is None
