"""Argument rules of matrix products: sizes that do not multiply are refused, with both shapes named."""

import pytest

import specgrad as sg

A, V = sg.ones(3, 4), sg.ones(4)
INTS = sg.ones(2, 2, dtype=sg.int64)

ERRORS = [
    (lambda: sg.mm(A, A), r"mm\(\): mat1 and mat2 shapes cannot be multiplied \(3x4 and 3x4\)"),
    (lambda: sg.mm(A, V), r"mm\(\): mat2 must be a matrix \(2-D\), but got a 1-D tensor of shape \[4\]"),
    (lambda: sg.bmm(A, A), r"bmm\(\): batch1 must be a batch of matrices \(3-D\), but got a 2-D tensor"),
    (
        lambda: sg.bmm(A[None], A[None]),
        r"Expected size for first two dimensions of batch2 tensor to be: \[1, 4\]",
    ),
    (lambda: sg.mv(A, A), r"mv\(\): vec must be a vector"),
    (lambda: sg.mv(A, V[:3]), r"mv\(\): size mismatch, got mat \(3x4\), vec \(3\)"),
    (lambda: sg.dot(V, V[:3]), r"dot\(\): inconsistent tensor size, expected tensor \[4\] and \[3\]"),
    (lambda: sg.dot(A, A), r"dot\(\): 1D tensors expected, but got 2D and 2D tensors"),
    (lambda: sg.outer(A, V), r"outer\(\): Expected 1-D argument self, but got 2-D"),
    (lambda: A @ sg.tensor(1.0), r"matmul\(\): both arguments .* at least 1D, but they are 2D and 0D"),
    (lambda: A @ A, r"matmul\(\): mat1 and mat2 shapes cannot be multiplied \(3x4 and 3x4\)"),
    (
        lambda: sg.ones(2, 3, 4) @ sg.ones(3, 4, 2),
        r"matmul\(\): The size of tensor a \(2\) must match .* \(3\)",
    ),
    (lambda: sg.addmm(V[:2], A, A.t()), r"addmm\(\): expected input expandable to .* \[3, 3\], got \[2\]"),
    (lambda: sg.addmm(A[None], A, A.t()), r"addmm\(\): expected input expandable"),
    (lambda: sg.addmm(INTS, INTS, INTS, alpha=0.5), r"argument alpha must not be a float, got 0.5"),
    (lambda: sg.addmv(V[:3], A, V, beta=1j), r"argument beta must not be a complex, got 1j"),
    (lambda: sg.mm(A, A.double().t()), r"mm\(\): expected .* one dtype, but got .*float32 and .*float64"),
]


@pytest.mark.parametrize("call, message", ERRORS)
def test_errors_are_runtime_errors_with_both_shapes(call, message):
    """As in PyTorch every mismatch of shapes or dtypes is a RuntimeError."""
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.parametrize(
    "left, right, expected",
    [
        ((4,), (4,), ()),
        ((3, 4), (4,), (3,)),
        ((4,), (4, 2), (2,)),
        ((3, 4), (4, 2), (3, 2)),
        ((5, 3, 4), (4,), (5, 3)),
        ((4,), (5, 4, 2), (5, 2)),
        ((5, 3, 4), (4, 2), (5, 3, 2)),
        ((3, 4), (5, 4, 2), (5, 3, 2)),
        ((6, 1, 3, 4), (5, 4, 2), (6, 5, 3, 2)),
        ((0, 3, 4), (4, 2), (0, 3, 2)),
        ((2, 3, 0), (0, 2), (2, 3, 2)),
    ],
)
def test_matmul_shapes_follow_numpy(left, right, expected):
    """Every combination of ranks gives the shape, and the values, of NumPy's matmul."""
    a, b = sg.randn(left, dtype=sg.float64), sg.randn(right, dtype=sg.float64)
    found = a @ b
    assert tuple(found.shape) == expected
    assert abs(found.numpy() - (a.numpy() @ b.numpy())).max(initial=0) < 1e-12
