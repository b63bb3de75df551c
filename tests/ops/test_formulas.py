"""Gradients where differences cannot check them: ties, zeros, overlapping memory, empty tensors."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg


def leaf(values: Any) -> Any:
    """A float64 tensor that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


def gradient(output: Any, x: Any) -> list[Any]:
    """The gradient of the sum of `output`, as nested lists."""
    return sg.autograd.grad(output.sum(), x)[0].tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_extrema_over_several_elements_share_their_gradient(sign: int) -> None:
    """amax, amin, max(), min() and the infinity norm split the gradient evenly between ties."""
    x = leaf([[1.0, 3.0, 3.0], [3.0, 0.0, 2.0]])
    rows, full = [[0, 0.5, 0.5], [1, 0, 0]], [[0, 1 / 3, 1 / 3], [1 / 3, 0, 0]]
    minmax = ((x.amax(1), x.amax(), x.max()), ((-x).amin(1), (-x).amin(), (-x).min()))[sign < 0]
    for found, expected in zip(minmax, (rows, full, full), strict=True):
        np.testing.assert_allclose(gradient(found, x), sign * np.array(expected))
    np.testing.assert_allclose(gradient((sign * x).norm(sg.inf), x), full)


def test_an_extremum_with_its_index_gives_all_to_that_index() -> None:
    """max(dim) and min(dim) send the gradient to the first of the tied elements."""
    x = leaf([[1.0, 3.0, 3.0], [3.0, 0.0, 0.0]])
    assert gradient(x.max(1).values, x) == [[0, 1, 0], [1, 0, 0]]
    assert gradient(x.min(1).values, x) == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, sg.inf, 0])
def test_norm_has_gradient_zero_at_zero(p: float) -> None:
    """The subgradient 0 is taken, and no nan arises, at first and second order."""
    x = leaf([0.0, 0.0])
    (first,) = sg.autograd.grad(x.norm(p), x, create_graph=True)
    assert first.tolist() == [0, 0]
    if first.requires_grad:
        assert not np.isnan(sg.autograd.grad(first.sum(), x)[0].numpy()).any()


def test_std_of_equal_numbers_has_gradient_zero() -> None:
    """Where the deviation is 0 its gradient is taken as 0."""
    x = leaf([2.0, 2.0, 2.0])
    assert gradient(x.std(), x) == [0, 0, 0]


def test_logsumexp_of_minus_infinity_has_gradient_zero() -> None:
    """Elements of -inf have no share, not even when there are no others."""
    x = leaf([[-sg.inf, 0.0], [-sg.inf, -sg.inf]])
    assert gradient(x.logsumexp(1), x) == [[0, 1], [0, 0]]


@pytest.mark.parametrize("values", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
def test_product_is_exact_at_zeros_for_three_orders(values: list[float]) -> None:
    """The k-th slope of a product along distinct elements is the product of the rest, zeros or not."""
    x = leaf(values)
    n = len(values)
    (first,) = sg.autograd.grad(x.prod(), x, create_graph=True)
    np.testing.assert_allclose(first.tolist(), [np.prod(np.delete(values, i)) for i in range(n)])
    (second,) = sg.autograd.grad(first[0], x, create_graph=True)
    expected = [0.0] + [np.prod(np.delete(values, [0, i])) for i in range(1, n)]
    np.testing.assert_allclose(second.tolist(), expected)
    (third,) = sg.autograd.grad(second[1], x)
    expected = [0.0, 0.0] + [np.prod(np.delete(values, [0, 1, i])) for i in range(2, n)]
    np.testing.assert_allclose(third.tolist(), expected)


def test_as_strided_over_an_expanded_tensor_shares_the_gradient() -> None:
    """Elements on one place of memory share what comes back, so that expand sums it to the whole."""
    x = leaf([1.0, 2.0])
    wide = x.unsqueeze(1).expand(2, 3)
    assert gradient(wide.as_strided((2,), (1,)) * sg.tensor([1.0, 5.0]), x) == [1, 5]


def test_as_strided_drops_what_lies_outside_its_input() -> None:
    """Storage that the input does not show has no gradient to go to."""
    base = leaf([0.0, 1.0, 2.0, 3.0])
    assert gradient(base[1:3].as_strided((4,), (1,), 0), base) == [0, 1, 1, 0]


def test_writes_hide_what_was_there() -> None:
    """Overwritten elements get no gradient from index_put, scatter, masked_fill; new ones get it all."""
    x, new = leaf([1.0, 2.0, 3.0]), leaf([7.0, 8.0])
    positions = sg.tensor([2, 0])
    for written in (x.index_put((positions,), new), x.scatter(0, positions, new)):
        assert gradient(written, x) == [0, 1, 0]
    assert gradient(x.index_put((positions,), new) * sg.tensor([1.0, 2.0, 4.0]), new) == [4, 1]
    assert gradient(x.index_put((positions,), new, accumulate=True), x) == [1, 1, 1]
    assert gradient(x.masked_fill(x > 1, 0.0), x) == [1, 0, 0]


def test_a_source_larger_than_its_index_gets_zeros_beyond() -> None:
    """scatter and scatter_add read only the part of the source that the index covers."""
    x, src = leaf([0.0, 0.0]), leaf([1.0, 2.0, 3.0])
    positions = sg.tensor([1, 1])
    assert gradient(x.scatter_add(0, positions, src), src) == [1, 1, 0]
    assert gradient(x.scatter(0, positions[:1], src), src) == [1, 0, 0]


def test_places_taken_twice_get_both_gradients() -> None:
    """index, index_select and gather add up what comes back to one place."""
    x = leaf([1.0, 2.0])
    positions = sg.tensor([1, 1, 0])
    for reserved in (x[positions], x.index_select(0, positions), x.gather(0, positions)):
        assert gradient(reserved, x) == [1, 2]


def test_pieces_of_cat_get_their_own_gradient() -> None:
    """Also those of shape (0,), which cat ignores."""
    x, nothing, y = leaf([[1.0], [2.0]]), leaf([]), leaf([[3.0, 4.0], [5.0, 6.0]])
    concatenated = sg.cat([x, nothing, y], 1) * sg.tensor([1.0, 2.0, 3.0])
    grads = sg.autograd.grad(concatenated.sum(), [x, nothing, y])
    assert [g.tolist() for g in grads] == [[[1], [1]], [], [[2, 3], [2, 3]]]


def test_gradients_of_empty_and_single_operands_have_their_shapes() -> None:
    """Broadcasting a size 1 against 0 elements gives a gradient of zeros, not an error."""
    bias, rows, weight = leaf([1.0]), leaf(np.zeros((0, 3))), leaf(np.ones((3, 1)))
    grads = sg.autograd.grad(sg.addmm(bias, rows, weight).sum(), [bias, rows, weight])
    assert [tuple(g.shape) for g in grads] == [(1,), (0, 3), (3, 1)]
    x = leaf(np.zeros(0))
    assert gradient(x.norm(), x) == [] and gradient(x.prod(), x) == []
