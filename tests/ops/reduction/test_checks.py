"""Argument rules of reductions: what `dim` may be, and the errors when it is not."""

import pytest

import specgrad as sg

X = sg.arange(12.0).reshape(3, 4)
EMPTY = sg.zeros(0, 3)

FORMS = [
    (lambda: X.sum(-1), (3,)),
    (lambda: X.sum((0, -1)), ()),
    (lambda: X.sum([]), ()),
    (lambda: X.sum(None, True), (1, 1)),
    (lambda: X.sum(dim=(1,), keepdim=True), (3, 1)),
    (lambda: X.amax(), ()),
    (lambda: X.argmax(keepdim=True), (1, 1)),
    (lambda: X.norm(1, -2), (4,)),
    (lambda: sg.tensor(2.0).sum(0), ()),
    (lambda: sg.tensor(2.0).max(-1).indices, ()),
    (lambda: EMPTY.sum(0), (3,)),
    (lambda: EMPTY.amax(1), (0,)),
    (lambda: EMPTY.max(1).values, (0,)),
]


@pytest.mark.parametrize("call, shape", FORMS)
def test_dim_is_a_number_several_or_all(call, shape):
    """Negative dimensions count from the end; None and [] mean all; 0-d tensors have a dimension 0."""
    assert tuple(call().shape) == shape


ERRORS = [
    (
        lambda: X.sum(2),
        IndexError,
        r"sum\(\): Dimension out of range \(expected to be in range of \[-2, 1\], but got 2",
    ),
    (
        lambda: X.sum((0, -2)),
        RuntimeError,
        r"sum\(\): dim 0 appears multiple times in the list of dims \[0, -2\]",
    ),
    (lambda: X.max(-3), IndexError, r"max\(\): Dimension out of range"),
    (lambda: sg.tensor(2.0).cumsum(1), IndexError, r"in range of \[-1, 0\], but got 1"),
    (lambda: EMPTY.amax(0), IndexError, r"amax\(\): Expected reduction dim 0 to have non-zero size"),
    (lambda: EMPTY.max(0), IndexError, r"max\(\): Expected reduction dim 0 to have non-zero size"),
    (lambda: EMPTY.argmin(0), IndexError, r"argmin\(\): Expected reduction dim 0 to have non-zero size"),
    (lambda: EMPTY.argmax(), IndexError, r"argmax\(\): Expected reduction dim to be specified"),
    (lambda: EMPTY.amin(), RuntimeError, r"amin\(\): Expected reduction dim to be specified"),
    (lambda: EMPTY.max(), RuntimeError, r"Specify the reduction dim with the 'dim' argument"),
    (lambda: EMPTY.norm(sg.inf), RuntimeError, r"norm\(\): cannot compute the inf norm over no elements"),
    (lambda: X.norm("max"), ValueError, r"norm\(\): expected p to be a number, 'fro' or 'nuc', but got 'max'"),
    (lambda: X.norm(1j), TypeError, r"norm\(\): argument 'p' must be a real number"),
    (lambda: X.var(correction=1j), TypeError, r"var\(\): argument 'correction' must be a real number"),
    (lambda: X.long().mean(), RuntimeError, r"mean\(\)"),
    (lambda: X.sum_to_size(2, 4), RuntimeError, r"size \[2, 4\] is not expandable to size \[3, 4\]"),
    (lambda: X.sum_to_size(1, 3, 4), RuntimeError, r"is not expandable"),
]


@pytest.mark.parametrize("call, error, message", ERRORS)
def test_errors_name_the_op_what_was_expected_and_what_came(call, error, message):
    """PyTorch's exception classes, with the op's name in front."""
    with pytest.raises(error, match=message):
        call()


def test_integers_and_bools_are_added_as_int64():
    """sum, prod and cumsum of small integers do not overflow; dtype= decides when given."""
    small = sg.full((3,), 100, dtype=sg.int8)
    assert small.sum().dtype is sg.int64 and small.sum().item() == 300
    assert small.cumsum(0).tolist() == [100, 200, 300]
    assert small.prod().item() == 1_000_000
    assert (small > 0).sum().item() == 3
    assert small.sum(dtype=sg.float32).dtype is sg.float32
    assert X.sum(0, dtype=sg.float64).dtype is sg.float64
