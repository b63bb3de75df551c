"""Small tensors whose elements lie apart: native code takes them too, and gives what the general path gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels import EXP, MUL_TENSOR
from specgrad.generated.ops.reduction import SUM_DEFAULT
from tests.generated.calls import watched

F = sg.nn.functional
SHAPES = ((37, 41), (5, 700), (9, 11, 13), (2, 3, 4, 5))
UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: x.exp(),
    "mul by a number": lambda x: x * 2.5,
    "greater": lambda x: x > 0.25,
    "sum": lambda x: x.sum(),
    "sum of rows": lambda x: x.sum(-1),
    "sum of columns": lambda x: x.sum(0),
    "mean": lambda x: x.mean(1),
    "product": lambda x: x.prod(1),
    "largest": lambda x: x.amax(0),
    "norm": lambda x: x.norm(),
    "variance": lambda x: x.var(-1),
    "logsumexp": lambda x: x.logsumexp(0),
    "softmax": lambda x: F.softmax(x, -1),
    "log_softmax": lambda x: F.log_softmax(x, 0),
    "cat": lambda x: sg.cat([x, x], 1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
}


IN_MEMORY = {"sum", "sum of rows", "sum of columns", "mean", "product", "norm", "variance", "logsumexp"}


def layouts(shape: tuple[int, ...], dtype: Any) -> Iterator[Any]:
    """Tensors of a shape: transposed, with gaps, with gaps at the ends of rows, and with a dimension that repeats."""
    sg.manual_seed(len(shape))
    yield sg.randn(*reversed(shape)).to(dtype).permute(*reversed(range(len(shape))))
    yield sg.randn(*shape[:-1], 2 * shape[-1]).to(dtype)[..., ::2]
    yield sg.randn(*shape[:-1], shape[-1] + 3).to(dtype)[..., 2:-1]
    yield sg.randn(shape[0], 1, *shape[2:]).to(dtype).expand(*shape)


def bits(tensor: Any) -> bytes:
    return tensor.reshape(-1).view(sg.uint8).numpy().tobytes()


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_results_and_gradients_are_those_of_contiguous_tensors(name: str, dtype: Any) -> None:
    """Bit by bit, and so is the result of the general path; the second call is answered by native code. Sums may have
    the order in which elements lie in memory."""
    for shape in SHAPES:
        for tensor in layouts(shape, dtype):
            expected = list(map(bits, outcome(name, tensor.contiguous() if name not in IN_MEMORY else tensor)))
            for _ in range(2):
                assert list(map(bits, outcome(name, tensor))) == expected
            with watched(True):
                assert bits(outcome(name, tensor)[0]) == expected[0]


def outcome(name: str, tensor: Any) -> list[Any]:
    x = tensor.detach().requires_grad_()
    result = UNARY[name](x)
    if not result.requires_grad:
        return [result]
    weights = sg.arange(result.numel()).reshape(result.shape).to(result.dtype) / result.numel()
    (gradient,) = sg.autograd.grad((result * weights).sum(), x)
    return [result.detach(), gradient]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_are_numpys(shape: tuple[int, ...]) -> None:
    for tensor in layouts(shape, sg.float64):
        array = np.array(tensor.tolist())
        for _ in range(2):
            np.testing.assert_allclose((tensor * 2.5).exp().numpy(), np.exp(array * 2.5), rtol=1e-14)
            np.testing.assert_allclose(tensor.sum(-1).numpy(), array.sum(-1), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(sg.where(tensor > 0, tensor, -tensor).numpy(), abs(array), rtol=1e-15)


def test_native_code_answers() -> None:
    for tensor in layouts((8, 9), sg.float32):
        assert EXP.launch(tensor) is not None
        assert MUL_TENSOR.launch(tensor, 2.5) is not None
        assert tensor.sum().shape == ()
        assert SUM_DEFAULT.launch(tensor) is not None


def test_of_many_elements_the_general_path_copies() -> None:
    x = sg.randn(64, 65).t()
    x.exp()  # looks for rows
    assert EXP.launch(x) is not None
    assert EXP.launch(sg.empty(1 << 11, 2049).t()) is None


def test_what_is_expanded_beyond_64_bits_is_not_taken_for_small() -> None:
    huge = sg.ones(1, 1).expand(2**32, 2**32)  # 2^64 elements: 0 in 64 bits
    with pytest.raises((RuntimeError, MemoryError, ValueError)):
        huge.exp()


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16], ids=str)
def test_writing_in_place_changes_the_elements_of_the_view_alone(dtype: Any) -> None:
    base, expected = sg.arange(48).to(dtype).reshape(6, 8), np.arange(48.0).reshape(6, 8)
    term = sg.arange(16).to(dtype).reshape(4, 4)
    view, writes = base[1:5, ::2], base._version
    for _ in range(2):
        view.mul_(0.5).add_(term.t())
        base.t()[2:4].clamp_(1.0, 20.0)
        expected[1:5, ::2] = expected[1:5, ::2] * 0.5 + np.arange(16.0).reshape(4, 4).T
        expected[:, 2:4] = expected[:, 2:4].clip(1.0, 20.0)
    np.testing.assert_array_equal(base.to(sg.float64).numpy(), expected)
    assert base._version == view._version == writes + 6


def test_writing_to_elements_at_one_place_is_refused() -> None:
    row = sg.ones(1, 4)
    with pytest.raises(RuntimeError, match="refers to a single memory location|single memory location"):
        row.expand(3, 4).mul_(2.0)
    assert row.tolist() == [[1.0] * 4]


def test_a_view_that_overlaps_what_is_read() -> None:
    """PyTorch refuses it, or reads all before it writes: nothing that was written is read again."""
    base = sg.arange(6.0)
    try:
        base[1:].add_(base[:-1])
    except RuntimeError:
        assert base.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    else:
        assert base.tolist() == [0.0, 1.0, 3.0, 5.0, 7.0, 9.0]


def test_gradients_that_lie_apart_reach_leaves() -> None:
    leaf, weights = sg.zeros(3, 4, requires_grad=True), sg.arange(12.0).reshape(4, 3)
    for times in (1, 2, 3):
        (leaf.t() * weights).sum().backward()
        assert leaf.grad.is_contiguous()
        np.testing.assert_array_equal(leaf.grad.numpy(), times * np.arange(12.0).reshape(4, 3).T)
    leaf.grad = None
    leaf.t().backward(weights)
    weights.zero_()
    np.testing.assert_array_equal(leaf.grad.numpy(), np.arange(12.0).reshape(4, 3).T)


def test_what_was_written_to_since_is_not_used_for_gradients() -> None:
    x, y = sg.ones(4, 3).t(), sg.ones(3, 4, requires_grad=True)
    product = x * y
    x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation|written to"):
        product.sum().backward()
