"""Argument rules of gather, scatter, masks and in-place filling: dtypes and shapes of indices."""

import pytest

import specgrad as sg

X = sg.arange(12.0).reshape(3, 4)
AT = sg.tensor([[0, 1]])

ERRORS = [
    (lambda: X[sg.tensor([True, False])], IndexError, r"shape of the mask \[2\] at index 0 does not match"),
    (lambda: X[sg.tensor([1.0])], IndexError, r"tensors used as indices must be"),
    (lambda: X[AT, AT, AT], IndexError, r"too many indices"),
    (lambda: X[sg.tensor([3])], IndexError, r"index 3 is out of bounds for dimension 0 with size 3"),
    (lambda: X.index_select(0, sg.tensor([3])), IndexError, r"index_select\(\): index 3 is out of bounds"),
    (lambda: X.index_select(0, AT), IndexError, r"index_select\(\): Index is supposed to be a vector"),
    (lambda: X.index_add(0, sg.tensor([0]), X), RuntimeError, r"expected source of shape \[1, 4\]"),
    (
        lambda: X.gather(0, sg.tensor([0])),
        RuntimeError,
        r"same number of dimensions as self tensor, got 1 and 2",
    ),
    (lambda: X.gather(0, sg.tensor([[0.0]])), RuntimeError, r"Expected dtype int32/int64 for index"),
    (lambda: X.gather(0, sg.zeros(1, 7).long()), RuntimeError, r"Size does not match at dimension 1"),
    (lambda: X.gather(0, AT - 1), RuntimeError, r"gather\(\): index -1 is out of bounds"),
    (lambda: X.scatter(0, AT, sg.ones(1, 1)), RuntimeError, r"to be no larger than src \[1, 1\]"),
    (lambda: X.scatter(0, AT, sg.ones(1, 2).double()), RuntimeError, r"scatter\(\): expected .* one dtype"),
    (
        lambda: X.index_put((AT,), sg.ones(7)),
        RuntimeError,
        r"cannot be broadcast to indexing result of shape",
    ),
    (lambda: X.masked_fill(X, 0), RuntimeError, r"masked_fill\(\) only supports boolean masks"),
    (lambda: X.masked_fill(X > 0, sg.ones(2)), RuntimeError, r"0-dimensional value tensor"),
    (lambda: X.masked_fill(X > 0, 1j), RuntimeError, r"cannot be converted to specgrad.float32"),
    (lambda: X.masked_select(X), RuntimeError, r"masked_select\(\) only supports boolean masks"),
    (lambda: X.clone().fill_(sg.ones(2)), RuntimeError, r"only supports 0-dimension value tensor"),
    (lambda: X.clone().copy_(sg.ones(2, 3, 4)), RuntimeError, r"does not broadcast to \[3, 4\]"),
]


@pytest.mark.parametrize("call, error, message", ERRORS)
def test_errors_name_what_was_expected_and_what_came(call, error, message):
    """PyTorch's exception classes, and the op's name where several could have been meant."""
    with pytest.raises(error, match=message):
        call()


def test_in_place_filling_keeps_the_dtype():
    """fill_, masked_fill and copy_ cast to the dtype of the tensor that is written."""
    x = sg.zeros(2, dtype=sg.int64)
    assert x.fill_(2.7).tolist() == [2, 2]
    assert x.masked_fill(x > 0, 3.9).tolist() == [3, 3]
    assert x.copy_(sg.tensor([1.5, -1.5])).tolist() == [1, -1]
    assert x.zero_().dtype is sg.int64


def test_nonzero_in_both_forms():
    """Rows of places, or one tensor of places for each dimension."""
    mask = X > 9
    assert sg.nonzero(mask).tolist() == [[2, 2], [2, 3]]
    rows, columns = sg.nonzero(mask, as_tuple=True)
    assert (rows.tolist(), columns.tolist()) == ([2, 2], [2, 3])
    assert X[mask].tolist() == X.masked_select(mask).tolist() == [10.0, 11.0]
