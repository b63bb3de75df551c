"""Argument rules of views, cutting and joining: normalised arguments, and errors that say what was wrong."""

import pytest

import specgrad as sg

X = sg.arange(12.0).reshape(3, 4)
ONE = sg.tensor(1.0)

FORMS = [
    (lambda: X.view(-1, 6), (2, 6)),
    (lambda: X.t().reshape(-1), (12,)),
    (lambda: sg.zeros(0, 3).view(3, -1), (3, 0)),
    (lambda: X.expand(2, -1, -1), (2, 3, 4)),
    (lambda: ONE.expand(2, 3), (2, 3)),
    (lambda: X.permute(-1, 0), (4, 3)),
    (lambda: X[None].squeeze((0, 1)), (3, 4)),
    (lambda: X.unsqueeze(-1), (3, 4, 1)),
    (lambda: X.select(-1, -4), (3,)),
    (lambda: X.narrow(1, -2, 2), (3, 2)),
    (lambda: X.diagonal(-1), (2,)),
    (lambda: ONE.flatten(), (1,)),
    (lambda: X.split(2)[1], (1, 4)),
    (lambda: X.split([1, 3], -1)[1], (3, 3)),
    (lambda: X.chunk(2, 1)[1], (3, 2)),
    (lambda: sg.zeros(0, 3).chunk(3)[2], (0, 3)),
    (lambda: X.unbind(-1)[3], (3,)),
    (lambda: sg.cat([X, sg.zeros(0), X], -1), (3, 8)),
    (lambda: sg.stack([X, X], -1), (3, 4, 2)),
    (lambda: sg.constant_pad_nd(X, (-1, 2, 1)[:2]), (3, 5)),
]


@pytest.mark.parametrize("call, shape", FORMS)
def test_arguments_are_completed(call, shape):
    """-1 sizes, negative dimensions and places, and 0-d or empty tensors."""
    assert tuple(call().shape) == shape


ERRORS = [
    (lambda: X.view(5, 3), RuntimeError, r"view\(\): shape '\[5, 3\]' is invalid for input of size 12"),
    (lambda: X.view(-1, -1), RuntimeError, r"only one dimension can be inferred"),
    (lambda: X.view(-2, 6), RuntimeError, r"invalid shape dimension -2 at index 0 of shape \[-2, 6\]"),
    (lambda: X.t().view(12), RuntimeError, r"not compatible with size \[4, 3\] and stride \[1, 4\].*reshape"),
    (lambda: sg.zeros(0).view(0, -1), RuntimeError, r"unspecified dimension size -1 can be any value"),
    (
        lambda: X.expand(2, 3),
        RuntimeError,
        r"expand\(\): The expanded size of the tensor \(2\) must match .* \(3\)",
    ),
    (lambda: X.expand(3), RuntimeError, r"number of sizes provided \(1\) must be greater or equal"),
    (lambda: X.expand(-1, 3, 4), RuntimeError, r"\(-1\) isn't allowed in dimension 0"),
    (lambda: X.permute(0), RuntimeError, r"input.dim\(\) = 2 is not equal to len\(dims\) = 1"),
    (lambda: X.permute(0, 0), RuntimeError, r"permute\(\): dim 0 appears multiple times"),
    (lambda: X.transpose(0, 2), IndexError, r"transpose\(\): Dimension out of range"),
    (
        lambda: sg.zeros(1, 1, 1).t(),
        RuntimeError,
        r"t\(\) expects a tensor with <= 2 dimensions, but self is 3D",
    ),
    (lambda: X.unsqueeze(3), IndexError, r"in range of \[-3, 2\], but got 3"),
    (lambda: X.select(0, 3), IndexError, r"select\(\): index 3 out of range for tensor of size \[3, 4\]"),
    (lambda: ONE.select(0, 0), IndexError, r"select\(\) cannot be applied to a 0-dim tensor"),
    (lambda: X.narrow(0, 2, 2), RuntimeError, r"start \(2\) \+ length \(2\) exceeds dimension size \(3\)"),
    (lambda: X.narrow(0, 4, 0), IndexError, r"start out of range"),
    (lambda: X.narrow(0, 0, -1), RuntimeError, r"length must be non-negative"),
    (lambda: X.as_strided((2, 2), (1,)), RuntimeError, r"mismatch in length of strides"),
    (
        lambda: X.as_strided((20,), (1,)),
        RuntimeError,
        r"requiring a storage of 20 elements .* of 12 elements",
    ),
    (lambda: X.as_strided((2,), (-1,)), RuntimeError, r"negative sizes, strides and offsets"),
    (lambda: X.diagonal(0, 1, -1), RuntimeError, r"diagonal dimensions cannot be identical 1, -1"),
    (lambda: X.flatten(1, 0), RuntimeError, r"start_dim cannot come after end_dim"),
    (lambda: ONE.unbind(), IndexError, r"tensor has no dimensions"),
    (lambda: X.split(-1), RuntimeError, r"split_size be non-negative, but got split_size=-1"),
    (lambda: X.split(0), RuntimeError, r"split_size can only be 0 if dimension size is 0"),
    (lambda: X.split([1, 1]), RuntimeError, r"sum exactly to 3 .* split_sizes=\[1, 1\]"),
    (lambda: X.chunk(0), RuntimeError, r"greater than 0, got: 0"),
    (lambda: sg.zeros(0).chunk(2**40), RuntimeError, r"at most 1000000 pieces of an empty dimension"),
    (lambda: sg.cat([]), ValueError, r"cat\(\): expected a non-empty list of Tensors"),
    (lambda: sg.cat([X, sg.ones(3)]), RuntimeError, r"same number of dimensions: got 2 and 1"),
    (lambda: sg.cat([X, sg.ones(3, 3)]), RuntimeError, r"Expected size 4 but got size 3 in dimension 1"),
    (
        lambda: sg.cat([ONE]),
        RuntimeError,
        r"zero-dimensional tensor \(at position 0\) cannot be concatenated",
    ),
    (lambda: sg.stack([X, ONE]), RuntimeError, r"got \[3, 4\] at entry 0 and \[\] at entry 1"),
    (lambda: X.flip(0, -2), RuntimeError, r"flip\(\): dim 0 appears multiple times"),
    (lambda: X.roll((1, 2), 0), RuntimeError, r"shifts: 2, dims: 1"),
    (lambda: sg.ones(3).triu(), RuntimeError, r"triu\(\): input tensor must have at least 2 dimensions"),
    (lambda: sg.constant_pad_nd(X, [1]), RuntimeError, r"Length of pad must be even"),
    (lambda: sg.constant_pad_nd(X, [-3, -3]), RuntimeError, r"cuts more than there is"),
]


@pytest.mark.parametrize("call, error, message", ERRORS)
def test_errors_name_what_was_expected_and_what_came(call, error, message):
    """PyTorch's exception classes, with the numbers that do not fit."""
    with pytest.raises(error, match=message):
        call()


def test_views_share_memory_and_reshape_copies_only_when_it_must():
    """Writing through a view is seen in the base; a transposed matrix cannot be flattened without a copy."""
    x = sg.zeros(3, 4)
    for view in (
        x.view(12),
        x.t(),
        x[1],
        x.reshape(4, 3),
        x.diagonal(),
        x.unsqueeze(0),
        x.as_strided((2,), (5,)),
    ):
        assert view.data_ptr() >= x.data_ptr() and view._base is x
    assert x.t().reshape(12)._base is not x
