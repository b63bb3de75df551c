"""einsum, tensordot and chains of products: values of NumPy, orders that are cheap, errors that say what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.matmul.einsum_plan import contraction_order

EQUATIONS = [
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ii->i", [(3, 3)]),
    ("iij->j", [(3, 3, 2)]),
    ("bij,bjk->bik", [(2, 2, 3), (2, 3, 4)]),
    ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
    ("i...,i...->...", [(2, 3, 4), (2, 1, 4)]),
    ("bA,Aa->ab", [(2, 3), (3, 2)]),
    ("i,j,k->kij", [(2,), (3,), (4,)]),
    ("ij,jk,kl,lm->im", [(2, 5), (5, 3), (3, 6), (6, 2)]),
    ("a,ab,bc,cd,de,ef,f->", [(2,), (2, 3), (3, 2), (2, 4), (4, 2), (2, 3), (3,)]),
    ("ijk,ijl,kl->ij", [(2, 3, 4), (2, 3, 5), (4, 5)]),
    (" i j , j -> i ", [(2, 3), (3,)]),
]


@pytest.mark.parametrize("equation, shapes", EQUATIONS)
def test_values_are_those_of_numpy(equation: str, shapes: Any) -> None:
    """For every form of equation, with diagonals, broadcasting and any number of operands."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    found = sg.einsum(equation, *map(sg.tensor, arrays))
    np.testing.assert_allclose(found.numpy(), np.einsum(equation, *arrays), rtol=1e-12)


def test_forms_of_the_call() -> None:
    """Tensors one by one, as a list, or each with its list of subscripts."""
    x, y = sg.randn(2, 3), sg.randn(3, 4)
    right = x @ y
    calls = [sg.einsum("ij,jk->ik", x, y), sg.einsum("ij,jk->ik", [x, y]), sg.einsum(x, [0, 1], y, [1, 2])]
    calls += [sg.einsum(x, [0, 1], y, [1, 2], [0, 2]), sg.einsum(x, [..., 1], y, [1, 2], [..., 2])]
    assert all(sg.allclose(found, right) for found in calls)


@pytest.mark.parametrize(
    "equation, shapes, message",
    [
        ("ij,jk->ii", [(2, 3), (3, 4)], "output subscript i appears more than once"),
        ("ij,jk->iz", [(2, 3), (3, 4)], "output subscript z does not appear in the equation"),
        ("ij", [(2, 3), (3, 4)], "more operands were provided"),
        ("ij,jk", [(2, 3)], "fewer operands were provided"),
        ("ijk", [(2, 3)], r"the number of subscripts in the equation \(3\) does not match .* \(2\) for operand 0"),
        ("i$", [(2, 3)], "invalid subscript given at index 1"),
        ("ij,ij", [(2, 3), (3, 4)], "subscript i has size 3 for operand 1 which does not broadcast"),
        ("i..j", [(2, 3)], "found '.' for operand 0 that is not part of any ellipsis"),
        ("ij->......", [(2, 3)], "found '.' for output for which an ellipsis was already found"),
        ("ii->i", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
    ],
)
def test_errors(equation: str, shapes: Any, message: str) -> None:
    """Each mistake in an equation is named, as a RuntimeError."""
    with pytest.raises(RuntimeError, match=rf"einsum\(\): .*{message}"):
        sg.einsum(equation, *map(sg.ones, shapes))


def test_the_cheapest_order_is_taken() -> None:
    """A long thin chain is multiplied from its thin end, by search for few operands and greedily for many."""
    for count in (4, 9):
        sizes = dict(zip("abcdefghij"[: count + 1], [100] * count + [1], strict=True))
        operands = [frozenset(pair) for pair in zip(sizes, [*sizes][1:], strict=False)]
        order = contraction_order(operands, frozenset(("a", [*sizes][-1])), sizes)
        assert order[0] == (count - 2, count - 1)


WIDE = [
    ("i,i->", [(3,), (1,)], [(3,), (3,)]),
    ("bi,bi->b", [(2, 3), (2, 1)], [(2, 3), (2, 3)]),
    ("bi,bi->b", [(1, 3), (2, 1)], [(2, 3), (2, 3)]),
    ("ij,jk->ik", [(2, 1), (3, 4)], [(2, 3), (3, 4)]),
    ("ij,jk,kl->il", [(2, 1), (3, 1), (5, 2)], [(2, 3), (3, 5), (5, 2)]),
    ("i,i->", [(1,), (0,)], [(0,), (0,)]),
]


@pytest.mark.parametrize("equation, shapes, wide", WIDE)
def test_one_element_stands_for_as_many_as_the_others_have(equation: str, shapes: Any, wide: Any) -> None:
    """Where a label has size 1 in one operand, the result is that of the operand repeated along it."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    right = np.einsum(equation, *(np.broadcast_to(a, shape) for a, shape in zip(arrays, wide, strict=True)))
    np.testing.assert_allclose(sg.einsum(equation, *map(sg.tensor, arrays)).numpy(), right, rtol=1e-12)


def test_tensordot_repeats_one_element() -> None:
    """A dimension of size 1 against one of size n is repeated n times."""
    a, b = sg.randn(3, 1), sg.randn(4, 3)
    assert sg.allclose(sg.tensordot(a, b, ([1], [1])), a * b.sum(1))


def test_whole_numbers_keep_their_dtype_until_they_are_added_up() -> None:
    """Dimensions of one element are no sums; a sum is int64, and so is its product with others."""
    x = sg.arange(6, dtype=sg.int32).reshape(2, 3)
    assert sg.einsum("ij,->ij", x, x[0, 0]).dtype == sg.einsum("ijk,jl->il", x[:, :2, None], x).dtype == sg.int32
    found = sg.einsum("ijk,jk->", x[None].expand(4, 2, 3), x)
    assert found.dtype == sg.int64 and found.item() == 4 * 55


def test_tensordot_takes_a_number_or_two_lists() -> None:
    """As in PyTorch; a number counts dimensions at the end of the first and at the front of the second."""
    a, b = sg.randn(2, 3, 4), sg.randn(3, 4, 5)
    right = np.tensordot(a.numpy(), b.numpy(), 2)
    for dims in (2, ([1, 2], [0, 1]), sg.tensor([[1, 2], [0, 1]]), ((-2, -1), (0, 1))):
        np.testing.assert_allclose(sg.tensordot(a, b, dims=dims).numpy(), right, rtol=1e-5)
    with pytest.raises(RuntimeError, match=r"tensordot\(\): contracted dimensions need to match"):
        sg.tensordot(a, b, dims=([0], [0]))
    with pytest.raises(RuntimeError, match="both dimension lists should have same length"):
        sg.tensordot(a, b, dims=([0], []))
    with pytest.raises(RuntimeError, match="dims=4"):
        sg.tensordot(a, b, dims=4)


def test_chains_are_multiplied_in_the_cheapest_order() -> None:
    """Whatever the order, the product is the same; vectors may stand at both ends."""
    a, b, c, v = sg.randn(2, 30), sg.randn(30, 3), sg.randn(3, 40), sg.randn(40)
    right = a @ b @ c @ v
    assert sg.allclose(sg.linalg.multi_dot([a, b, c, v]), right, rtol=1e-4, atol=1e-4)
    assert sg.allclose(sg.chain_matmul(a, b, c), a @ b @ c, rtol=1e-4, atol=1e-4)
    with pytest.raises(RuntimeError, match=r"tensors 0 and 1 with shapes \[2, 30\] and \[3, 40\] cannot be multiplied"):
        sg.linalg.multi_dot([a, c])
    with pytest.raises(RuntimeError, match="expected at least 2 tensors but got 1"):
        sg.linalg.multi_dot([a])
