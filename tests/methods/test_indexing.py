"""`x[key]` and `x[key] = value`: NumPy is the reference for values, PyTorch for views and errors."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

ARRAY = np.arange(24.0).reshape(2, 3, 4)
MASK = np.array([True, False, True])

VIEWS = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    (),
    ...,
    None,
    (..., 0),
    (0, ..., 1),
    (..., None),
    (None, 1, None, 2),
    slice(None),
    slice(1, None),
    (slice(None), slice(None, None, 2)),
    (slice(None), slice(-2, 100), slice(5, 1)),
    (slice(0, 2, 2), 1, ..., slice(1, 3)),
    np.int64(1),
    (np.array(1), 0),
]
COPIES = [
    ([0, 1],),
    (np.array([1, 0, 1]),),
    ([0, 1], [1, 2]),
    (slice(None), [0, 2]),
    (slice(None), [0, 2], [1, 1]),
    ([0, 1], slice(None), [1, 2]),
    ([[0], [1]], [0, 1, 2]),
    (..., [0, 3]),
    ([0, -1], None, [1, 2]),
    (None, [0, 1]),
    (slice(1, None), [0, 2], slice(1, 3)),
    (slice(None), MASK),
    (slice(None), MASK, [1, 3]),
    (np.ones((2, 3), bool), 0),
    (ARRAY > 20,),
    (np.zeros((2, 3, 4), bool),),
    True,
    False,
    (True, 0),
    ([],),
    (np.zeros((0, 2), np.int64), 1),
]


def as_tensors(key: Any) -> Any:
    """The key with its arrays as tensors."""
    if isinstance(key, tuple):
        return tuple(map(as_tensors, key))
    return sg.tensor(key) if isinstance(key, np.ndarray) else key


def for_numpy(key: Any) -> Any:
    """The key with an empty list as the integer array that it means here."""
    return (np.array([], np.int64),) if str(key) == "([],)" else key


def same(tensor: sg.Tensor, array: np.ndarray) -> bool:
    return tuple(tensor.shape) == array.shape and bool((tensor.numpy() == array).all())


@pytest.mark.parametrize("key", VIEWS, ids=str)
def test_basic_keys_are_views(key: Any) -> None:
    """Ints, slices, None and Ellipsis select what NumPy selects, as a view: writes reach the base."""
    x = sg.tensor(ARRAY)
    found = x[as_tensors(key)]
    assert same(found, ARRAY[key])
    assert found._base is x
    found.copy_(sg.full(tuple(found.shape), -1.0, dtype=sg.float64))
    expected = ARRAY.copy()
    expected[key] = -1
    assert same(x, expected)


@pytest.mark.parametrize("convert", [as_tensors, lambda key: key], ids=["tensors", "arrays"])
@pytest.mark.parametrize("key", COPIES, ids=str)
def test_advanced_keys_are_copies(key: Any, convert: Any) -> None:
    """Index tensors, arrays, lists, masks and bools select what NumPy selects, into new memory."""
    x = sg.tensor(ARRAY)
    found = x[convert(key)]
    assert same(found, ARRAY[for_numpy(key)])
    assert found._base is None
    assert same(x, ARRAY)


@pytest.mark.parametrize("key", [*VIEWS, *COPIES], ids=str)
def test_setitem(key: Any) -> None:
    """Assigning a number, or a tensor of the right shape, changes what NumPy changes, as one write."""
    numpy_key = for_numpy(key)
    for value in (-1.0, np.arange(ARRAY[numpy_key].size, dtype=np.float64).reshape(ARRAY[numpy_key].shape)):
        expected = ARRAY.copy()
        expected[numpy_key] = value
        x = sg.tensor(ARRAY)
        before = x._version
        x[as_tensors(key)] = sg.tensor(value) if isinstance(value, np.ndarray) else value
        assert same(x, expected)
        assert x._version == before + 1


def test_integers_are_applied_before_index_tensors() -> None:
    """As in PyTorch (not NumPy) an int selects first, so the index tensor's dimension stays in its place."""
    x = sg.tensor(ARRAY)
    assert same(x[0, :, [1, 2]], ARRAY[0][:, [1, 2]])
    assert same(x[sg.tensor(0), :, [1, 2]], ARRAY[0][:, [1, 2]])
    assert tuple(x[1:, 0, [1, 2, 3]].shape) == (1, 3)


def test_zero_dimensional_index_tensors() -> None:
    """A 0-d integer tensor is an int, a 0-d bool or byte tensor a bool."""
    v = sg.arange(3)
    assert v[sg.tensor(1)].tolist() == 1
    assert v[sg.tensor(1)]._base is v
    assert v[sg.tensor(True)].tolist() == v[sg.tensor(1, dtype=sg.uint8)].tolist() == [[0, 1, 2]]
    assert sg.tensor(5)[True].tolist() == [5]
    assert sg.tensor(5)[False].tolist() == []


def test_dtypes_of_index_tensors() -> None:
    """int32 indices work as int64 ones do; uint8 tensors are masks."""
    v = sg.arange(3)
    assert v[sg.tensor([2, 0], dtype=sg.int32)].tolist() == [2, 0]
    assert v[sg.tensor([1, 0, 1], dtype=sg.uint8)].tolist() == [0, 2]
    assert v[range(2)].tolist() == [0, 1]


LISTS = [
    [[0, 1], [1, 2]],
    [slice(0, 1), slice(None)],
    [np.array([0, 1]), np.array([1, 2])],
    [0, [1, 2]],
    [None, 0],
    [..., 0],
    [(0, 1)],
    [[[0, 1], [1, 0]]],
]


@pytest.mark.filterwarnings("ignore:.*(non-tuple sequence|stands for a tuple)")
@pytest.mark.parametrize("key", LISTS, ids=lambda p: str(p)[:40])
def test_list_of_several_indices_is_a_tuple(lib: Any, key: list[Any]) -> None:
    """A list of lists, tensors, slices or the like is a tuple of these, to read and to write."""
    x = lib.tensor(ARRAY)
    given = [lib.tensor(part) if isinstance(part, np.ndarray) else part for part in key]
    expected = ARRAY.copy()
    expected[tuple(key)] = -1
    assert np.array_equal(x[given].numpy(), ARRAY[tuple(key)])
    x[given] = -1
    assert np.array_equal(x.numpy(), expected)


@pytest.mark.filterwarnings("ignore:.*(non-tuple sequence|stands for a tuple)")
def test_list_of_tensors_of_one_number(lib: Any) -> None:
    """Tensors without dimensions are numbers in such a list; a long list is one index whatever it has."""
    x = lib.tensor(ARRAY)
    assert x[[lib.tensor(1), lib.tensor(2)]].tolist() == ARRAY[1, 2].tolist()
    assert x[[[0]] * 32].shape == (32, 1, 3, 4)
    assert x[[0, 1]].shape == ARRAY.shape


GET_ERRORS = [
    (ARRAY, 5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (ARRAY, -3, IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    (ARRAY, (0, 7), IndexError, "index 7 is out of bounds for dimension 1 with size 3"),
    (ARRAY, (None, 0, 7), IndexError, "index 7 is out of bounds for dimension 1 with size 3"),
    (ARRAY, (..., 4), IndexError, "index 4 is out of bounds for dimension 2 with size 4"),
    (ARRAY, 2**70, IndexError, "is out of bounds for dimension 0"),
    (ARRAY, (0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
    (ARRAY, (slice(None),) * 4, IndexError, "too many indices for tensor of dimension 3"),
    (ARRAY, (np.ones((2, 3, 4, 1), bool),), IndexError, "too many indices for tensor of dimension 3"),
    (ARRAY, slice(None, None, -1), ValueError, "step must be greater than zero"),
    (ARRAY, slice(None, None, 0), ValueError, "slice step cannot be zero"),
    (ARRAY, slice(0, 1.5), TypeError, "slice indices must be integers"),
    (ARRAY, 1.0, IndexError, r"only integers, slices \(`:`\), ellipsis .* are valid indices \(got float\)"),
    (ARRAY, "a", TypeError, r"are valid indices \(got str\)"),
    (ARRAY, {}, IndexError, r"are valid indices \(got dict\)"),
    (ARRAY, [0.5], IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
    (ARRAY, np.array([1, 0], np.int8), IndexError, "tensors used as indices must be long"),
    (ARRAY, [[0, 1]] * 32 + [[1]], ValueError, "expected sequence of length 2 at dim 1"),
    (ARRAY, np.array([True, False, True]), IndexError, r"shape of the mask \[3\] at index 0 does not match"),
    (ARRAY, [5], IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (ARRAY, ([0, 1], [0, 1, 2]), IndexError, r"could not be broadcast together with shapes \[2\], \[3\]"),
    (np.array(1.0), 0, IndexError, r"invalid index of a 0-dim tensor. Use `tensor.item\(\)`"),
    (np.array(1.0), slice(None), IndexError, "invalid index of a 0-dim tensor"),
    (np.zeros((0, 3)), 0, IndexError, "index 0 is out of bounds for dimension 0 with size 0"),
]


@pytest.mark.parametrize(("array", "key", "error", "message"), GET_ERRORS, ids=lambda p: str(p)[:40])
def test_getitem_errors(array: np.ndarray, key: Any, error: type[Exception], message: str) -> None:
    """A bad key is PyTorch's exception with PyTorch's words, for reading and for writing."""
    x = sg.tensor(array)
    with pytest.raises(error, match=message):
        x[as_tensors(key)]
    with pytest.raises(error, match=message):
        x[as_tensors(key)] = 1


SET_ERRORS = [
    (sg.float32, 0, [1.0, 2.0], TypeError, "can't assign a list to a Tensor of specgrad.float32"),
    (sg.float32, 0, None, TypeError, "can't assign a NoneType"),
    (sg.float32, 0, 1j, RuntimeError, "cannot be converted to specgrad.float32 without overflow"),
    (sg.uint8, 0, 300, RuntimeError, "300 cannot be converted to specgrad.uint8 without overflow"),
    (sg.float32, slice(0, 2), sg.ones(3), RuntimeError, "3"),
    (sg.float32, [0, 1], sg.ones(3), RuntimeError, "shape mismatch|cannot be broadcast"),
    (sg.float32, [0], sg.ones(1, dtype=sg.float64), RuntimeError, "float64"),
]


@pytest.mark.parametrize(("dtype", "key", "value", "error", "message"), SET_ERRORS, ids=lambda p: str(p)[:40])
def test_setitem_errors(dtype: Any, key: Any, value: Any, error: type[Exception], message: str) -> None:
    """A value that does not fit is refused, and nothing is written."""
    x = sg.zeros(3, dtype=dtype)
    with pytest.raises(error, match=message):
        x[key] = value
    assert x.tolist() == [0, 0, 0]


def test_setitem_converts_and_broadcasts() -> None:
    """A tensor of another dtype is converted, arrays are taken, and leading ones are dropped."""
    x = sg.zeros(2, 3, dtype=sg.int64)
    x[0] = sg.tensor(1.7)
    x[1] = np.array([4, 5, 6])
    assert x.tolist() == [[1, 1, 1], [4, 5, 6]]
    x[0] = sg.tensor([[[7, 8, 9]]])
    x[[1]] = sg.tensor([[[7, 8, 9]]])
    assert x.tolist() == [[7, 8, 9]] * 2


def test_gradients_flow_through_indexing() -> None:
    """Reading sends the gradient back to the places read, added up where a place was read twice."""
    x = sg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    (x[1:3] * 2).sum().backward()
    x[[0, 0, 3]].sum().backward()
    x[...].sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0, 2.0]


def test_gradients_flow_through_assignment() -> None:
    """An assigned value gets the gradient of its place; what was there before gets none."""
    x = sg.ones(3, requires_grad=True)
    value = sg.tensor([5.0], requires_grad=True)
    y = x * 2
    y[0:1] = value
    y[[2]] = value
    (y * sg.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [0.0, 20.0, 0.0]
    assert value.grad.tolist() == [101.0]


@pytest.mark.parametrize("key", [0, ..., [0], slice(0, 2)], ids=str)
def test_assignment_to_a_leaf_is_refused(key: Any) -> None:
    """A leaf that requires grad has no history to extend."""
    x = sg.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x[key] = 1.0


KEYS = [
    slice(1, 3),
    2,
    -1,
    ...,
    np.array([0, 2]),
    np.array([[0, 3], [3, 1]]),
    np.array([True, False, True, False]),
    (slice(None), 1),
    (1, slice(0, 2)),
    (np.array([0, 2]), np.array([1, 1])),
]
WRITTEN = [sg.bool, sg.uint8, sg.int8, sg.int16, sg.int32, sg.int64, sg.bfloat16, sg.float16, sg.float32, sg.float64]


@pytest.mark.parametrize("dtype", WRITTEN)
@pytest.mark.parametrize("number", range(len(KEYS)))
def test_written_to_every_dtype(number: int, dtype: Any) -> None:
    """Numbers, and tensors of one dtype and of another, as NumPy writes them; from the second time natively."""
    array_key = KEYS[number]
    parts = array_key if isinstance(array_key, tuple) else (array_key,)
    key: Any = tuple([sg.tensor(part) if isinstance(part, np.ndarray) else part for part in parts])
    start = np.arange(20).reshape(4, 5) % 2
    chosen = np.arange(start[array_key].size).reshape(start[array_key].shape)
    given = [1, 0, True, 3, sg.tensor(chosen).to(dtype), sg.tensor(2).to(dtype)]
    if not any(isinstance(part, np.ndarray) for part in parts):  # by indices only those of one dtype are written
        given.append(sg.tensor(chosen, dtype=sg.float64))
    for value in given:
        for columns in (False, True):  # also of a tensor that lies in every second column of another
            expected = start.astype(bool if dtype is sg.bool else np.float64)
            expected[array_key] = value.to(sg.float64).numpy() if isinstance(value, sg.Tensor) else value
            for _ in range(3):
                x = sg.tensor(start).to(dtype)
                x = sg.stack([x, x], -1)[..., 0] if columns else x
                x[key if isinstance(array_key, tuple) else key[0]] = value
                np.testing.assert_array_equal(x.to(sg.float64).numpy(), expected.astype(np.float64))


@pytest.mark.parametrize("dtype", [sg.uint8, sg.int8, sg.int32])
def test_numbers_that_a_dtype_has_not(dtype: Any) -> None:
    """Fractions are cut off, and what is too large is refused, written to all or by a key."""
    x = sg.zeros(3, dtype=dtype)
    x[1] = 2.75
    assert x.tolist() == [0, 2, 0]
    for key in (0, slice(0, 2), sg.tensor([0]), x > 0):
        with pytest.raises(RuntimeError):
            x[key] = 1 << 40
    assert x.tolist() == [0, 2, 0]
