"""Writes by index and by mask into tensors of any layout: what NumPy writes, and nothing where a call is refused."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
ROWS, COLUMNS = rng.permutation(9)[:5], rng.permutation(8)[:5]
MASK = rng.random((9, 8)) > 0.5

LAYOUTS = {
    "contiguous": lambda x: x,
    "columns": lambda x: x[:, 2:10],
    "steps": lambda x: x[::2, ::2],
    "transposed": lambda x: x.T[:9, :8],
}


def both(layout, kind=np.float32):
    """A tensor and an array of nine rows and eight columns of equal elements, views of larger ones."""
    shape = (9, 8) if layout == "contiguous" else (18, 17)
    base = (rng.normal(size=shape) * 5).astype(kind)
    full, expected = sg.tensor(base), base.copy()
    view = LAYOUTS[layout]
    return full, expected, view(full)[:9, :8], view(expected)[:9, :8]


def written(layout, write, written_by_numpy, kind=np.float32):
    """Write both, and compare the memory around it as well."""
    full, expected, x, y = both(layout, kind)
    before = x._version
    write(x)
    written_by_numpy(y)
    np.testing.assert_array_equal(full.numpy(), expected)
    assert x._version == before + 1


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8, np.complex128])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_columns_and_elements_are_written(layout, kind):
    """Each way to index, with rows of values and with one value."""
    rows, columns = sg.tensor(ROWS), sg.tensor(COLUMNS)
    values = (rng.normal(size=(5, 8)) * 5).astype(kind)
    given = sg.tensor(values)
    keys = [((rows,), (ROWS,), values), ((slice(None), columns), (slice(None), COLUMNS), values[0, :5])]
    keys += [((rows, columns), (ROWS, COLUMNS), values[:, 0]), ((sg.tensor(MASK),), (MASK,), values[0, 0])]
    for ours, theirs, new in keys:
        assign = partial(sg.Tensor.__setitem__, key=ours, value=sg.tensor(new))
        written(layout, assign, lambda y, theirs=theirs, new=new: y.__setitem__(theirs, new), kind)
    reserved = rng.normal(size=MASK.sum()).astype(kind)
    written(
        layout,
        lambda x: x.__setitem__(sg.tensor(MASK), sg.tensor(reserved)),
        lambda y: y.__setitem__(MASK, reserved),
        kind,
    )
    written(layout, lambda x: x.index_copy_(0, rows, given), lambda y: y.__setitem__(ROWS, values), kind)
    written(layout, lambda x: x.index_fill_(1, columns, 3), lambda y: y.__setitem__((slice(None), COLUMNS), 3), kind)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_equal_indices_add_up(layout):
    """Added in order, in the same place several times."""
    index = np.array([3, 0, 3, 3, -1])
    values = rng.normal(size=(5, 8)).astype(np.float32)
    rows, given = sg.tensor(index), sg.tensor(values)
    written(layout, lambda x: x.index_put_((rows,), given, True), lambda y: np.add.at(y, index, values))
    retained = sg.tensor(index % 9)
    written(layout, lambda x: x.index_add_(0, retained, given), lambda y: np.add.at(y, index, values))
    along = rng.integers(0, 8, (9, 5))
    source = rng.normal(size=(9, 5)).astype(np.float32)
    key = (np.arange(9)[:, None], along)
    written(
        layout,
        lambda x: x.scatter_add_(1, sg.tensor(along), sg.tensor(source)),
        lambda y: np.add.at(y, key, source),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_put_and_masked_scatter(layout):
    """Places of the flattened tensor, and elements one after the other."""
    positions, values = rng.permutation(72)[:20], rng.normal(size=20).astype(np.float32)
    key = np.unravel_index(positions, (9, 8))
    written(layout, lambda x: x.put_(sg.tensor(positions), sg.tensor(values)), lambda y: y.__setitem__(key, values))
    source = rng.normal(size=(9, 8)).astype(np.float32)
    reserved = source.ravel()[: MASK.sum()]
    written(
        layout,
        lambda x: x.masked_scatter_(sg.tensor(MASK), sg.tensor(source)),
        lambda y: y.__setitem__(MASK, reserved),
    )


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.index_put_((sg.tensor([0, 99]),), sg.tensor(1.0)),
        lambda x: x.index_put_((sg.tensor([0, 1]), sg.tensor([0, -9])), sg.tensor(1.0), True),
        lambda x: x.index_put_((sg.tensor([0, 1]),), sg.ones(3, 8)),
        lambda x: x.__setitem__(sg.tensor(MASK), sg.ones(int(MASK.sum()) + 1)),
        lambda x: x.index_add_(0, sg.tensor([0, 9]), sg.ones(2, 8)),
        lambda x: x.index_copy_(1, sg.tensor([0, 8]), sg.ones(9, 2)),
        lambda x: x.index_fill_(0, sg.tensor([0, 9]), 1.0),
        lambda x: x.scatter_(0, sg.tensor([[0], [9]]), 1.0),
        lambda x: x.scatter_add_(1, sg.tensor([[0, -1]]), sg.ones(1, 2)),
        lambda x: x.put_(sg.tensor([0, 72]), sg.ones(2)),
        lambda x: x.masked_scatter_(sg.tensor(MASK), sg.ones(3)),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_refused_writes_nothing(layout, write):
    """An index or a shape that does not fit is found before the first element is written."""
    full, expected, x, _ = both(layout)
    with pytest.raises((IndexError, RuntimeError)):
        write(x)
    np.testing.assert_array_equal(full.numpy(), expected)


def test_a_source_in_the_same_memory_is_read_before_it_is_written_over():
    """Rows moved within one tensor, and a tensor written over the next of its own columns."""
    base = rng.normal(size=(6, 7)).astype(np.float32)
    x, expected = sg.tensor(base), base.copy()
    x[:, 1:].copy_(x[:, :-1])
    expected[:, 1:] = base[:, :-1]
    np.testing.assert_array_equal(x.numpy(), expected)
    x, order = sg.tensor(base), np.array([1, 2, 3, 4, 5, 0])
    x[:, :3].index_copy_(0, sg.tensor(order), x[:, 1:4])
    expected = base.copy()
    expected[order, :3] = base[:, 1:4]
    np.testing.assert_array_equal(x.numpy(), expected)
    x = sg.tensor(base)
    x[:, 1:] += x[:, :-1]
    np.testing.assert_array_equal(x.numpy(), np.concatenate([base[:, :1], base[:, 1:] + base[:, :-1]], 1))


def test_threads_write_the_same_bits():
    """Large writes shared by threads, with equal indices, give what one thread gives."""
    rows, index = sg.tensor(rng.integers(0, 700, 1500)), sg.tensor(rng.integers(0, 512, (1000, 512)))
    values, source = sg.randn(1500, 512), sg.randn(1000, 512)
    mask = sg.tensor(rng.random((1000, 512)) > 0.5)
    writes = [
        lambda x: x.index_add_(0, rows, values),
        lambda x: x.index_put_((rows,), values, True),
        lambda x: x.index_put_((rows,), values),
        lambda x: x.scatter_add_(1, index, source),
        lambda x: x.masked_scatter_(mask, source),
        lambda x: x.__setitem__((slice(None), slice(None, None, 2)), source[:, 1::2]),
    ]
    count = sg.get_num_threads()
    for write in writes:
        found = []
        for threads in (1, 2, 3):
            sg.set_num_threads(threads)
            x = sg.ones(1000, 512)
            write(x)
            found.append(x.numpy().tobytes())
        sg.set_num_threads(count)
        assert found[0] == found[1] == found[2]


def test_views_that_are_written_and_given_back(lib: Any) -> None:
    """`x[key] *= 2` writes once to the memory and counts twice; in a graph it is one product of that region."""
    x = lib.arange(12.0).reshape(3, 4)
    before = x._version
    x[:, :2] *= 2.0
    assert x.tolist() == [[0.0, 2.0, 2.0, 3.0], [8.0, 10.0, 6.0, 7.0], [16.0, 18.0, 10.0, 11.0]]
    assert x._version == before + 2
    x[0] = x[1]
    assert x[0].tolist() == [8.0, 10.0, 6.0, 7.0]
    weight = lib.ones(2, 3, requires_grad=True)
    product = weight * 1.0
    product[:, 1:] *= 3.0
    product.sum().backward()
    assert weight.grad.tolist() == [[1.0, 3.0, 3.0], [1.0, 3.0, 3.0]]


@pytest.mark.parametrize("width", [1, 3, 40])
@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.int64, sg.bfloat16])
def test_scattered_rows_whose_index_was_expanded(width: int, dtype: Any) -> None:
    """An index of rows, of which others follow in memory, expanded to all elements of a row; in place and not."""
    every = sg.tensor(rng.integers(0, 7, 90))
    values = rng.integers(-5, 6, (30, width))
    for first in (0, 30, 60):
        index, source = every[first : first + 30], sg.tensor(values).to(dtype)
        expected = np.ones((7, width))
        np.add.at(expected, index.numpy(), values)
        expanded, ones = index[:, None].expand(30, width), sg.ones(7, width, dtype=dtype)
        np.testing.assert_array_equal(ones.scatter_add(0, expanded, source).double().numpy(), expected)
        assert ones.scatter_add_(0, expanded, source) is ones
        np.testing.assert_array_equal(ones.double().numpy(), expected)
    every[0] = 7
    for add in (sg.Tensor.scatter_add, sg.Tensor.scatter_add_):
        retained = sg.zeros(7, width, dtype=dtype)
        with pytest.raises(RuntimeError, match="index 7 is out of bounds"):
            add(retained, 0, every[:30, None].expand(30, width), source)
        assert not retained.any()
