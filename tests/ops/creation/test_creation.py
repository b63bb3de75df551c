"""Creation: inferred dtypes and shapes, values, sharing of memory, and refused data."""

import array
import collections
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.creation.ranges import FILL_ELEMENTS_THRESHOLD, MAX_NUMPY_ELEMENTS

t64 = sg.tensor(1.0, dtype=sg.float64)

INFERRED = [
    (1, sg.int64, ()),
    (True, sg.bool, ()),
    (1.5, sg.float32, ()),
    (1j, sg.complex64, ()),
    ([], sg.float32, (0,)),
    ([[], []], sg.float32, (2, 0)),
    ([1, 2], sg.int64, (2,)),
    ([True, False], sg.bool, (2,)),
    ([True, 1], sg.int64, (2,)),
    ([True, 1.0], sg.float32, (2,)),
    ([1, 1j], sg.complex64, (2,)),
    (((1, 2), (3.5, 4)), sg.float32, (2, 2)),
    ([[[1], [2]], [[3], [4]]], sg.int64, (2, 2, 1)),
    (range(3), sg.int64, (3,)),
    ([range(2), range(2)], sg.int64, (2, 2)),
    (collections.deque([1, 2]), sg.int64, (2,)),
    (array.array("f", [1, 2]), sg.float32, (2,)),
    (np.float64(1), sg.float64, ()),
    ([np.float64(1)], sg.float64, (1,)),
    ([np.int32(1)], sg.int32, (1,)),
    ([np.int32(1), 2], sg.int64, (2,)),
    ([np.float16(1), 2.0], sg.float32, (2,)),
    ([ml_dtypes.bfloat16(1)], sg.bfloat16, (1,)),
    (np.ones((2, 3), np.int16), sg.int16, (2, 3)),
    (np.arange(4)[::-1], sg.int64, (4,)),
    ([np.ones(2), np.ones(2)], sg.float64, (2, 2)),
    ([np.ones(2, np.int8), np.ones(2, np.int16)], sg.int16, (2, 2)),
    ([np.ones(2, np.int16), [2.0, 3.0]], sg.float32, (2, 2)),
    ([[1, 2], np.array([1, 2])], sg.int64, (2, 2)),
    ([t64, 1], sg.float64, (2,)),
    ([sg.tensor([1.0]), sg.tensor([2.0])], sg.float32, (2,)),
    (t64, sg.float64, ()),
]


@pytest.mark.parametrize(("data", "dtype", "shape"), INFERRED, ids=lambda p: str(p)[:30])
def test_tensor_infers(data: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """dtype and shape follow PyTorch's rules from Python numbers, NumPy values and tensors in any nesting."""
    made = sg.tensor(data)
    assert (made.dtype, tuple(made.shape)) == (dtype, shape)
    assert made.is_leaf and not made.requires_grad


CONVERTED = [
    (1.7, sg.int32, 1),
    (-1.7, sg.int64, -1),
    ([1.5, True], sg.int32, [1, 1]),
    (-1, sg.uint8, 255),
    (2, sg.bool, True),
    (1, sg.complex64, 1 + 0j),
    (1e300, sg.float32, float("inf")),
    ([1e300, 1], sg.float16, [float("inf"), 1.0]),
    (2**70, sg.float64, 2.0**70),
    (-(2**63), sg.int64, -(2**63)),
    (0.1, float, 0.1),
    ([1, 2], sg.bfloat16, [1.0, 2.0]),
    (np.array([1.5, -1.5]), sg.int8, [1, -1]),
    (np.array([1 + 2j]), sg.float32, [1.0]),
    (sg.tensor([1.5]), sg.int64, [1]),
]


@pytest.mark.parametrize(("data", "dtype", "expected"), CONVERTED, ids=lambda p: str(p)[:30])
def test_tensor_converts(data: Any, dtype: Any, expected: Any) -> None:
    """A dtype argument converts as C does: truncating, wrapping negative bytes, overflowing to infinity."""
    assert sg.tensor(data, dtype=dtype).tolist() == expected


recursive: list = []
recursive.append(recursive)
REFUSED = [
    ([[1, 2], [3]], None, ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
    ([[[1, 2]], [[3, 4, 5]]], None, ValueError, r"expected sequence of length 2 at dim 2 \(got 3\)"),
    ([[1, 2], 3], None, TypeError, "expected a sequence at dim 1, but got int"),
    ([1, [2]], None, TypeError, "expected a sequence at dim 1, but got int"),
    ("a", None, TypeError, "invalid data type 'str'"),
    ([[1, "a"]], None, TypeError, "invalid data type 'str'"),
    (b"ab", None, TypeError, "invalid data type 'bytes'"),
    (None, None, RuntimeError, "could not infer dtype of NoneType"),
    ([None], None, RuntimeError, "could not infer dtype of NoneType"),
    ({}, None, RuntimeError, "could not infer dtype of dict"),
    (object(), None, RuntimeError, "could not infer dtype of object"),
    (2**63, None, ValueError, "an integer does not fit into specgrad.int64"),
    ([300], sg.uint8, RuntimeError, "cannot be converted to specgrad.uint8 without overflow"),
    ([-256], sg.uint8, RuntimeError, "cannot be converted to specgrad.uint8 without overflow"),
    ([-129], sg.int8, RuntimeError, "without overflow"),
    (float("nan"), sg.int32, RuntimeError, "without overflow"),
    (1e30, sg.int64, RuntimeError, "without overflow"),
    (1j, sg.float32, TypeError, "expected real numbers for dtype specgrad.float32"),
    ([sg.ones(2), sg.ones(2)], None, ValueError, "only one element tensors can be converted"),
    (np.array(["a"]), None, TypeError, "The only supported types are"),
    (np.datetime64("2020"), sg.float32, TypeError, "The only supported types are"),
    (np.ones(2, ">f4"), None, ValueError, "byte order different from the native byte order"),
    (recursive, None, ValueError, "too many dimensions 'list'"),
    ([1], "float32", TypeError, "argument 'dtype' must be specgrad.dtype, not str"),
]


@pytest.mark.parametrize(("data", "dtype", "error", "message"), REFUSED, ids=lambda p: str(p)[:20])
def test_tensor_refuses(data: Any, dtype: Any, error: type[Exception], message: str) -> None:
    """Ragged, non-numeric and unrepresentable data is refused with what is wrong and where."""
    with pytest.raises(error, match=message):
        sg.tensor(data, dtype=dtype)


def test_tensor_copies() -> None:
    """The result never shares memory with its data, nor history."""
    source = np.zeros(3)
    made = sg.tensor(source)
    source[0] = 1
    assert made.tolist() == [0, 0, 0]
    x = sg.ones(2, requires_grad=True)
    copied = sg.tensor(x * 2, requires_grad=True)
    assert copied.is_leaf and copied.requires_grad


def test_requires_grad() -> None:
    """requires_grad makes a leaf of floating or complex dtype; other dtypes are refused."""
    assert sg.tensor([1.0], requires_grad=True).requires_grad
    assert sg.zeros(2, dtype=sg.complex64, requires_grad=True).is_leaf
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype"):
        sg.tensor([1], requires_grad=True)
    with pytest.raises(TypeError, match="argument 'requires_grad' must be bool, not int"):
        sg.ones(2, requires_grad=1)


def test_pin_memory_is_refused() -> None:
    """Without a device there is no pinned memory, so asking for it is an error rather than ignored."""
    with pytest.raises(RuntimeError, match="Need to provide pin_memory allocator to use pin memory"):
        sg.ones(2, pin_memory=True)


def test_from_numpy_shares_memory() -> None:
    """A change of the array is seen in the tensor and the other way round, for strided arrays too."""
    source = np.arange(6.0).reshape(2, 3)
    for view in (source, source.T, source[:, ::2], source[1]):
        made = sg.from_numpy(view)
        assert made.tolist() == view.tolist()
        made += 1
        assert made.tolist() == view.tolist()
        assert made.stride() == tuple(step // 8 for step in view.strides)


def test_from_numpy_copies_what_is_read_only() -> None:
    """Writes to a tensor cannot be refused, so a read-only array is copied."""
    fixed = np.broadcast_to(np.ones(1), (3,))
    made = sg.from_numpy(fixed)
    made += 1
    assert fixed.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1], TypeError, r"expected np.ndarray \(got list\)"),
        (np.float32(1), TypeError, r"expected np.ndarray \(got numpy.float32\)"),
        (np.arange(3)[::-1], ValueError, "strides"),
        (np.ones(2, np.longdouble), TypeError, "The only supported types are"),
        (np.ones(2, ">f8"), ValueError, "byte order"),
    ],
    ids=str,
)
def test_from_numpy_errors(value: Any, error: type[Exception], message: str) -> None:
    """What cannot share memory is refused."""
    with pytest.raises(error, match=message):
        sg.from_numpy(value)


def test_as_tensor_shares_when_it_can() -> None:
    """A tensor is returned itself, an array shared; another dtype is a copy that keeps the history."""
    source = np.zeros(2)
    shared = sg.as_tensor(source)
    source[0] = 5
    assert shared.tolist() == [5, 0]
    x = sg.ones(2, requires_grad=True)
    assert sg.as_tensor(x) is x
    assert sg.as_tensor(x, dtype=sg.float64).grad_fn is not None
    assert sg.as_tensor([1, 2]).dtype is sg.int64


def test_asarray() -> None:
    """copy=True copies, copy=False shares or fails, None shares where possible."""
    source = np.zeros(2)
    for copy, expected in [(True, 0), (False, 1), (None, 1)]:
        made = sg.asarray(source, copy=copy)
        source[0] += 1
        assert made[0].item() == source[0] - 1 + expected
    with pytest.raises(ValueError, match="can't alias list into a tensor"):
        sg.asarray([1], copy=False)
    with pytest.raises(ValueError, match="can't alias tensor with dtype specgrad.float64"):
        sg.asarray(source, dtype=sg.int32, copy=False)
    assert sg.asarray(3).dtype is sg.int64
    x = sg.ones(2, requires_grad=True)
    assert sg.asarray(x) is x and not sg.asarray(x, requires_grad=False).requires_grad


def test_from_dlpack() -> None:
    """Any object with __dlpack__ shares its memory; others are refused."""
    source = np.arange(3.0)
    made = sg.from_dlpack(source)
    source[0] = 7
    assert made.tolist() == [7, 1, 2]
    x = sg.ones(2)
    assert sg.from_dlpack(x).data_ptr() == x.data_ptr()
    with pytest.raises(TypeError, match="expected an object with __dlpack__, but got int"):
        sg.from_dlpack(3)


@pytest.mark.parametrize("function", ["zeros", "ones", "empty", "rand", "randn"])
def test_sizes(function: str) -> None:
    """A size is several ints, one sequence, or given by name; NumPy ints and 0-d tensors count as ints."""
    make = getattr(sg, function)
    for made in (make(2, 3), make((2, 3)), make([2, 3]), make(sg.Size([2, 3])), make(size=(2, 3))):
        assert made.shape == (2, 3)
        assert made.dtype is sg.float32
    assert make(()).shape == ()
    assert make(np.int64(2), sg.tensor(3)).shape == (2, 3)
    assert make(0, 3).shape == (0, 3)


@pytest.mark.parametrize("function", ["zeros", "ones", "empty", "rand", "randn"])
@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((), TypeError, 'missing 1 required positional argument: "size"'),
        ((2.5,), TypeError, "argument 'size' must be tuple of ints, not float"),
        ((None,), TypeError, "must be tuple of ints, not NoneType"),
        (("ab",), TypeError, "must be tuple of ints, not str"),
        ((True,), TypeError, "must be tuple of ints, not bool"),
        (([2, True],), TypeError, "found element of type bool at pos 1"),
        ((2, [3]), TypeError, "found element of type list at pos 1"),
        ((2, -1), RuntimeError, r"negative dimension -1: \[2, -1\]"),
        ((2**40, 2**40), RuntimeError, "storage size calculation overflowed"),
        ((0, 2**62), RuntimeError, "storage size calculation overflowed"),
        ((2**55,), RuntimeError, "can't allocate memory"),
    ],
    ids=str,
)
def test_bad_sizes(function: str, args: tuple, error: type[Exception], message: str) -> None:
    """A size that is no size is refused by name, whatever the function."""
    with pytest.raises(error, match=message):
        getattr(sg, function)(*args)


def test_filled() -> None:
    """zeros, ones and full hold their value in each dtype; full takes the dtype of its value."""
    for dtype in (sg.bool, sg.uint8, sg.int64, sg.float16, sg.bfloat16, sg.float64, sg.complex64):
        assert sg.zeros(2, dtype=dtype).tolist() == [0, 0]
        assert sg.ones(2, dtype=dtype).tolist() == [1, 1]
        assert sg.ones(2, dtype=dtype).dtype is dtype
    for value, dtype in [(True, sg.bool), (3, sg.int64), (1.5, sg.float32), (2j, sg.complex64)]:
        made = sg.full((2,), value)
        assert (made.dtype, made.tolist()) == (dtype, [value, value])
    assert sg.full((), sg.tensor(3)).tolist() == 3
    assert sg.full((1,), -1, dtype=sg.uint8).tolist() == [255]


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        (300, sg.uint8, "value 300 cannot be converted to specgrad.uint8 without overflow"),
        (1e300, None, "without overflow"),
        (1e10, sg.float16, "without overflow"),
        (float("nan"), sg.int32, "value nan cannot be converted"),
        (1j, sg.float32, "value 1j cannot be converted"),
        (2**70, None, "cannot be converted to specgrad.int64"),
        (10**400, sg.float64, "without overflow"),
    ],
)
def test_full_overflow(value: Any, dtype: Any, message: str) -> None:
    """A value that the dtype cannot hold is an error."""
    with pytest.raises(RuntimeError, match=message):
        sg.full((2,), value, dtype=dtype)


def test_eye() -> None:
    """Ones on the diagonal of any rectangle."""
    assert sg.eye(2).tolist() == [[1, 0], [0, 1]]
    assert sg.eye(2, 3, dtype=sg.bool).tolist() == [[True, False, False], [False, True, False]]
    assert sg.eye(0).shape == (0, 0)
    with pytest.raises(RuntimeError, match="negative dimension"):
        sg.eye(-1)
    with pytest.raises(TypeError, match="argument 'n' must be int, not float"):
        sg.eye(2.0)


ARANGES = [
    ((5,), {}, sg.int64, [0, 1, 2, 3, 4]),
    ((5.0,), {}, sg.float32, [0, 1, 2, 3, 4]),
    ((1, 3), {}, sg.int64, [1, 2]),
    ((3, 0, -1), {}, sg.int64, [3, 2, 1]),
    ((0, 1, 0.25), {}, sg.float32, [0, 0.25, 0.5, 0.75]),
    ((), {"end": 2}, sg.int64, [0, 1]),
    ((1,), {"end": 3, "step": 2}, sg.int64, [1]),
    ((3, 3), {}, sg.int64, []),
    ((0, 2.5), {"dtype": sg.int64}, sg.int64, [0, 1]),
    ((1.9, 5.1, 1.5), {"dtype": sg.int64}, sg.int64, [1, 2, 3, 4]),
    ((2**53, 2**53 + 2), {}, sg.int64, [2**53, 2**53 + 1]),
    ((sg.tensor(2.0),), {}, sg.float32, [0, 1]),
    ((3,), {"dtype": sg.float16}, sg.float16, [0, 1, 2]),
]


@pytest.mark.parametrize(("args", "kwargs", "dtype", "expected"), ARANGES, ids=str)
def test_arange(args: tuple, kwargs: dict, dtype: Any, expected: list) -> None:
    """Ranges have PyTorch's lengths, values and dtypes."""
    made = sg.arange(*args, **kwargs)
    assert (made.dtype, made.tolist()) == (dtype, expected)


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((), {}, TypeError, 'missing 1 required positional argument: "end"'),
        ((0, 1, 0), {}, RuntimeError, "step must be nonzero"),
        ((0, 3, 0.5), {"dtype": sg.int64}, RuntimeError, "step must be nonzero"),
        ((1, 0), {}, RuntimeError, "inconsistent with step sign"),
        ((0, float("inf")), {}, RuntimeError, "unsupported range: 0 -> inf"),
        ((0, float("nan")), {}, RuntimeError, "unsupported range"),
        ((0, 1, float("nan")), {}, RuntimeError, "unsupported range: 0 -> 1 by nan"),
        ((1e20,), {}, RuntimeError, "overflow"),
        ((10**400,), {}, RuntimeError, "overflow"),
        ((2**70,), {}, RuntimeError, "overflow"),
        ((3,), {"dtype": sg.bool}, RuntimeError, "not implemented for specgrad.bool"),
        ((1j,), {}, RuntimeError, "expected real numbers"),
        (("a",), {}, TypeError, "argument 'end' must be Number, not str"),
        ((0, 5, None), {}, TypeError, "argument 'step' must be Number, not NoneType"),
    ],
    ids=str,
)
def test_arange_errors(args: tuple, kwargs: dict, error: type[Exception], message: str) -> None:
    """A range without end, direction or type is refused."""
    with pytest.raises(error, match=message):
        sg.arange(*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "dtype", "expected"),
    [
        ((0, 1, 5), None, [0, 0.25, 0.5, 0.75, 1]),
        ((0, 1, 0), None, []),
        ((3, 1, 1), None, [3]),
        ((0, 10, 4), sg.int64, [0, 3, 6, 10]),
        ((0, -10, 4), sg.int64, [0, -3, -6, -10]),
        ((0, 1, 3), sg.uint8, [0, 0, 1]),
        ((0, 1j, 3), None, [0, 0.5j, 1j]),
        ((-1, 1, 3), sg.float16, [-1, 0, 1]),
    ],
)
def test_linspace(args: tuple, dtype: Any, expected: list) -> None:
    """Both ends are included and exact; integers are truncated."""
    assert sg.linspace(*args, dtype=dtype).tolist() == expected


def test_linspace_errors() -> None:
    """A negative or non-integer number of steps is refused."""
    with pytest.raises(RuntimeError, match="number of steps must be non-negative"):
        sg.linspace(0, 1, -1)
    with pytest.raises(TypeError, match="argument 'steps' must be int, not float"):
        sg.linspace(0, 1, 2.5)
    with pytest.raises(RuntimeError, match="not implemented for specgrad.bool"):
        sg.linspace(0, 1, 3, dtype=sg.bool)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.float16])
def test_many_numbers_in_a_row(dtype: Any) -> None:
    """Each is computed in double precision and rounded once, as the few are."""
    count = 2 * FILL_ELEMENTS_THRESHOLD + 1
    index = np.arange(count)
    made = sg.arange(-3, -3 + 1e-3 * count, 1e-3, dtype=dtype)[:count]
    assert np.array_equal(made.numpy(), (-3 + 1e-3 * index[: len(made)]).astype(made.numpy().dtype))
    step = 9 / (count - 1)
    line = np.where(index < count // 2, -1 + step * index, 8 - step * (count - 1 - index))
    made = sg.linspace(-1, 8, count, dtype=dtype)
    assert np.array_equal(made.numpy(), line.astype(made.numpy().dtype))


def test_many_integers_in_a_row() -> None:
    """Up and down, at the ends of int64, and where the compiler is not loaded as where it is."""
    for first, last, step in (
        (0, 2 * FILL_ELEMENTS_THRESHOLD + 1, 1),
        (5, -(10**6), -3),
        (-(2**63), -(2**63) + MAX_NUMPY_ELEMENTS, 1),
        (0, 2**62, 2**40),
    ):
        assert np.array_equal(sg.arange(first, last, step).numpy(), np.arange(first, last, step))


def test_arange_and_linspace_agree_with_numpy() -> None:
    """Long ranges have the values that float64 arithmetic gives, rounded once."""
    expected = (-3 + 0.1 * np.arange(110)).astype(np.float32)
    assert np.array_equal(sg.arange(-3, 8, 0.1).numpy(), expected)
    line = sg.linspace(-3, 8, 1001, dtype=sg.float64).numpy()
    assert np.abs(line - np.linspace(-3, 8, 1001)).max() < 1e-14


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16, sg.float32, sg.float64])
def test_rand_and_randn(dtype: Any) -> None:
    """rand is uniform on [0, 1), 1 excluded in each dtype; randn has mean 0 and variance 1."""
    g = sg.Generator().manual_seed(0)
    u = sg.rand(100_000, generator=g, dtype=dtype).numpy().astype(np.float64)
    assert u.min() >= 0 and u.max() < 1
    assert abs(u.mean() - 0.5) < 0.01 and abs(u.var() - 1 / 12) < 0.01
    n = sg.randn(100_000, generator=g, dtype=dtype).numpy().astype(np.float64)
    assert abs(n.mean()) < 0.02 and abs(n.var() - 1) < 0.02


def test_complex_randn() -> None:
    """A complex normal number has variance 1, half of it in each part."""
    z = sg.randn(100_000, generator=sg.Generator().manual_seed(0), dtype=sg.complex64).numpy()
    assert abs(z.real.var() - 0.5) < 0.01 and abs(z.imag.var() - 0.5) < 0.01


@pytest.mark.parametrize("function", [sg.rand, sg.randn])
def test_random_floats_of_integer_dtype(function) -> None:
    """Uniform and normal numbers are not integers."""
    with pytest.raises(RuntimeError, match="expected a floating point or complex dtype, but got specgrad.int32"):
        function(2, dtype=sg.int32)


def test_randint() -> None:
    """Integers cover [low, high) evenly in each of the call forms."""
    g = sg.Generator().manual_seed(0)
    sampled = sg.randint(-1, 3, (40_000,), generator=g)
    assert sampled.dtype is sg.int64
    counts = np.unique(sampled.numpy(), return_counts=True)
    assert counts[0].tolist() == [-1, 0, 1, 2]
    assert abs(counts[1] - 10_000).max() < 400
    for made in (sg.randint(3, (2,)), sg.randint(high=3, size=(2,)), sg.randint(3, size=[2])):
        assert made.shape == (2,)
        assert made.numpy().min() >= 0 and made.numpy().max() < 3


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((5,), {}, TypeError, 'missing 1 required positional argument: "size"'),
        ((5, 2, (2,)), {}, RuntimeError, "expected low to be less than high, but got low=5 >= high=2"),
        (
            (0, 300, (2,)),
            {"dtype": sg.uint8},
            RuntimeError,
            r"\[0, 300\) is out of bounds for specgrad.uint8",
        ),
        ((0, 3, (2,)), {"dtype": sg.bool}, RuntimeError, "out of bounds for specgrad.bool"),
        ((0, 2**64, (2,)), {}, RuntimeError, "out of bounds"),
        ((1.5, (2,)), {}, TypeError, "must be int, not float"),
        ((5, 2), {"size": 3}, TypeError, "argument 'size' must be tuple of ints, not int"),
        ((5, (2,)), {"generator": 3}, TypeError, "argument 'generator' must be specgrad.Generator, not int"),
    ],
    ids=str,
)
def test_randint_errors(args: tuple, kwargs: dict, error: type[Exception], message: str) -> None:
    """Empty or unrepresentable ranges are refused."""
    with pytest.raises(error, match=message):
        sg.randint(*args, **kwargs)


def test_randperm() -> None:
    """Each permutation holds all numbers once, in any dtype that can."""
    assert sorted(sg.randperm(50).tolist()) == list(range(50))
    assert sg.randperm(0).tolist() == []
    assert sg.randperm(3, dtype=sg.float16).dtype is sg.float16
    with pytest.raises(RuntimeError, match="n=300 is too large for specgrad.uint8"):
        sg.randperm(300, dtype=sg.uint8)
    with pytest.raises(RuntimeError, match="negative dimension"):
        sg.randperm(-1)


@pytest.mark.parametrize("source", [sg.ones(2, 3, dtype=sg.float64), sg.ones(2, 3, dtype=sg.int32)])
def test_like_and_new(source: sg.Tensor) -> None:
    """`*_like` take shape and dtype, `new_*` the dtype of a tensor; both can be overridden."""
    for made in (
        sg.zeros_like(source),
        sg.ones_like(source),
        sg.empty_like(source),
        sg.full_like(source, 2),
        sg.randint_like(source, 5),
        sg.randint_like(source, 2, 5),
        sg.rand_like(source, dtype=source.dtype) if source.is_floating_point() else source,
        sg.randn_like(source, dtype=source.dtype) if source.is_floating_point() else source,
    ):
        assert (made.shape, made.dtype) == (source.shape, source.dtype)
    for made in (source.new_zeros(4), source.new_ones((4,)), source.new_empty([4]), source.new_full((4,), 1)):
        assert (made.shape, made.dtype) == ((4,), source.dtype)
    assert source.new_tensor([1, 2]).dtype is source.dtype
    assert sg.zeros_like(source, dtype=sg.bool).dtype is sg.bool
    assert source.new_ones(2, dtype=sg.float16, requires_grad=True).requires_grad
    assert sg.full_like(source, 2.5).tolist() == [[source.new_tensor(2.5).item()] * 3] * 2


def test_like_errors() -> None:
    """The source must be a tensor, the value a number that fits."""
    with pytest.raises(TypeError, match=r"zeros_like\(\): argument 'input' must be Tensor, not list"):
        sg.zeros_like([1])
    with pytest.raises(RuntimeError, match="value 1j cannot be converted to specgrad.int32"):
        sg.full_like(sg.ones(2, dtype=sg.int32), 1j)
    with pytest.raises(RuntimeError, match=r"randn_like\(\): expected a floating point"):
        sg.randn_like(sg.ones(2, dtype=sg.int32))


def test_unknown_device() -> None:
    """A device that does not exist is refused by each function."""
    for make in (sg.zeros, sg.randn, sg.arange, sg.tensor, sg.eye):
        with pytest.raises(RuntimeError, match="expected one of cpu, cuda"):
            make(3, device="gpu")
        assert make(3, device="cpu").device == sg.device("cpu")


@pytest.mark.parametrize("bounds", [(300_000,), (5, 1_000_003, 3), (10**6, -7, -2), (-(2**59), -(2**59) + 200_000)])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_long_ranges_by_several_threads(bounds: tuple[int, ...], threads: int) -> None:
    before = sg.get_num_threads()
    sg.set_num_threads(threads)
    try:
        found = sg.arange(*bounds)
    finally:
        sg.set_num_threads(before)
    assert found.dtype is sg.int64
    np.testing.assert_array_equal(found.numpy(), np.arange(*bounds))


def test_a_window_counts_its_arguments() -> None:
    """As Python does for a function with such a signature."""
    with pytest.raises(TypeError, match=r"hann_window\(\) takes from 1 to 2 positional arguments but 3 were given"):
        sg.hann_window(3, True, 4)
    with pytest.raises(TypeError, match=r"kaiser_window\(\) takes from 1 to 3 positional arguments but 4 were given"):
        sg.kaiser_window(3, True, 4.0, 5)
