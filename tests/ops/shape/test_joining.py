"""Joining, splitting, turning and combining tensors: the errors that PyTorch raises, views, and forms of calls."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime import errors

X = sg.arange(12.0).reshape(3, 4)
ROW, NUMBER = X[0], sg.tensor(1.0)

ERRORS: list[tuple[type[Exception], Any]] = [
    (RuntimeError, lambda: sg.hstack([])),
    (TypeError, lambda: sg.hstack(X)),
    (RuntimeError, lambda: sg.vstack([X, X[:, :2]])),
    (RuntimeError, lambda: sg.tensor_split(X, 0)),
    (RuntimeError, lambda: sg.tensor_split(NUMBER, 2)),
    (RuntimeError, lambda: sg.tensor_split(X, sg.tensor([1.0, 2.0]))),
    (RuntimeError, lambda: sg.tensor_split(X, sg.tensor([[1]]))),
    (RuntimeError, lambda: sg.hsplit(X, 3)),
    (RuntimeError, lambda: sg.vsplit(ROW, 2)),
    (RuntimeError, lambda: sg.dsplit(X, 2)),
    (RuntimeError, lambda: sg.rot90(X, 1, [0])),
    (RuntimeError, lambda: sg.rot90(X, 1, [0, -2])),
    (IndexError, lambda: sg.rot90(X, 1, [0, 5])),
    (RuntimeError, lambda: sg.rot90(ROW)),
    (RuntimeError, lambda: sg.fliplr(ROW)),
    (RuntimeError, lambda: sg.flipud(NUMBER)),
    (RuntimeError, lambda: X.repeat_interleave(-1)),
    (RuntimeError, lambda: X.repeat_interleave(sg.tensor([1, 2]), 0)),
    (RuntimeError, lambda: X.repeat_interleave(sg.tensor([1, 2, -1]), 0)),
    (RuntimeError, lambda: X.repeat_interleave(sg.tensor([[1, 2, 3]]), 0)),
    (IndexError, lambda: X.repeat_interleave(2, 5)),
    (RuntimeError, lambda: X.repeat_interleave(2, output_size=25)),
    (RuntimeError, lambda: X.repeat_interleave(sg.tensor([1, 2, 3]), 0, output_size=7)),
    (RuntimeError, lambda: sg.vander(X)),
    (RuntimeError, lambda: sg.vander(ROW, -1)),
    (RuntimeError, lambda: sg.combinations(X)),
    (RuntimeError, lambda: sg.combinations(ROW, -1)),
    (RuntimeError, lambda: sg.combinations(sg.arange(1000), 500)),
    (RuntimeError, lambda: sg.cartesian_prod()),
    (RuntimeError, lambda: sg.cartesian_prod(ROW, sg.arange(2))),
    (RuntimeError, lambda: sg.meshgrid()),
    (RuntimeError, lambda: sg.meshgrid(X)),
    (RuntimeError, lambda: sg.meshgrid(ROW, indexing="yx")),
    (RuntimeError, lambda: sg.block_diag(X[None])),
    (RuntimeError, lambda: sg.diag_embed(X, 0, 0, 0)),
    (IndexError, lambda: sg.diag_embed(NUMBER)),
    (RuntimeError, lambda: sg.triu_indices(-3, 3)),
    (NotImplementedError, lambda: sg.tril_indices(3, 3, dtype=sg.float32)),
    (RuntimeError, lambda: X.unfold(0, 5, 1)),
    (RuntimeError, lambda: X.unfold(0, 2, 0)),
    (RuntimeError, lambda: NUMBER.unfold(0, 2, 1)),
    (RuntimeError, lambda: ROW.adjoint()),
    (TypeError, lambda: sg.atleast_1d(1)),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    """Bad arguments are errors of PyTorch's classes."""
    kind, call = ERRORS[number]
    with pytest.raises(kind, match=r"\w+\(\)"):
        call()


def test_grids_and_pieces_are_views() -> None:
    """What a grid, a window or a piece shows is the tensor's own memory."""
    x = sg.arange(4.0)
    shown = [
        sg.meshgrid(x, x, indexing="ij")[1],
        x.unfold(0, 2, 1),
        sg.tensor_split(x, 2)[1],
        sg.atleast_3d(x),
        sg.hsplit(x, [1])[1],
    ]
    x[3] = 7.0
    assert [t.flatten()[-1].item() for t in shown] == [7.0] * 5


def test_a_grid_without_indexing_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in PyTorch, for two vectors or more."""
    monkeypatch.setattr(errors, "_error_message", set())
    sg.meshgrid(ROW)
    with pytest.warns(UserWarning, match="required to pass the indexing argument"):
        sg.meshgrid(ROW, ROW)
    sg.meshgrid([ROW, ROW])


def test_lists_and_single_tensors() -> None:
    """What takes several tensors takes a list of them too; one tensor alone comes back alone."""
    x = sg.ones(2)
    assert [t.shape for t in sg.atleast_2d([x, NUMBER])] == [(1, 2), (1, 1)]
    assert sg.atleast_2d(x).shape == (1, 2)
    assert sg.atleast_1d() == ()
    assert [t.shape for t in sg.meshgrid([x, ROW], indexing="xy")] == [(4, 2), (4, 2)]
    assert sg.block_diag().shape == (1, 0)
    assert sg.cartesian_prod(x) is x


def test_writing_to_windows_reaches_the_gradient() -> None:
    """Windows that overlap are written and differentiated as PyTorch does it."""
    x = sg.arange(4.0, requires_grad=True)
    y = x * 2
    y.unfold(0, 2, 2)[:, 1].mul_(3.0)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 6.0, 2.0, 6.0]


def test_places_of_triangles() -> None:
    """They are those of the elements that tril and triu keep."""
    for offset in (-4, -1, 0, 2, 5):
        rows, columns = sg.tril_indices(3, 4, offset)
        assert sg.equal(sg.tril(sg.ones(3, 4), offset).nonzero(), sg.stack([rows, columns], 1))
        rows, columns = sg.triu_indices(3, 4, offset, dtype=sg.int32)
        assert rows.dtype is sg.int32
        assert sg.equal(sg.triu(sg.ones(3, 4), offset).nonzero(), sg.stack([rows, columns], 1).long())


@pytest.mark.parametrize("r", [3, 2**31])
def test_no_combinations_of_more_than_there_are(r: int) -> None:
    """There is no row, of any length."""
    assert sg.combinations(sg.tensor([1.0, 2.0]), r).shape == (0, r)


def test_split_methods_take_a_number_or_indices() -> None:
    """One int is the number of pieces, as a list or several ints are places to cut at."""
    x = sg.arange(24).view(2, 4, 3)
    for split, pieces in ((x.hsplit, 4), (x.vsplit, 2), (x.dsplit, 3)):
        assert len(split(pieces)) == len(split(sections=pieces)) == pieces
        assert [t.tolist() for t in split(1, 2)] == [t.tolist() for t in split([1, 2])]
        assert len(split((1,))) == 2


@pytest.mark.parametrize("size", range(6))
@pytest.mark.parametrize("r", range(1, 8))
def test_all_combinations_in_order(size: int, r: int) -> None:
    """Those that itertools gives, in its order; none where there are too few elements."""
    for again, each in ((False, combinations), (True, combinations_with_replacement)):
        found = sg.combinations(sg.arange(size), r, again)
        assert found.tolist() == [list(row) for row in each(range(size), r)]
        assert found.shape[1] == r


def test_long_rows_of_too_few() -> None:
    """Nothing is made for each of the places that a row would have."""
    assert sg.combinations(sg.arange(3), 10**6).shape == (0, 10**6)
