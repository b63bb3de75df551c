"""Indexing kernels against NumPy's indexing and against loops; places outside are refused."""

import numpy as np
import pytest

from specgrad.runtime.ops.indexing import cpu_gather, cpu_index, cpu_index_put, cpu_mask
from specgrad.runtime.ops.indexing import cpu_index as indexing

rng = np.random.default_rng(0)
A = rng.normal(size=(4, 3, 2))
MASK = np.array([True, False, True, True])

INDICES = [
    (np.array([3, 0, -1]),),
    (None, np.array([[0, 2], [1, 1]])),
    (np.array([[0], [3]]), np.array([0, 2, 2])),
    (np.array([0, 3, 0]), None, np.array([1, 1, 0])),
    (None, np.array([0, 2]), np.array([1, 1])),
    (MASK,),
    (None, np.array([False, True, False])),
    (A > 0,),
    (MASK, None, np.array([0, 1, 1])),
    (np.array(2),),
    (np.array(2), None, np.array(1)),
    (np.array(2), np.array(0), np.array(1)),
    (None, None),
    (np.zeros(0, np.int64),),
    (np.array([1, 1], np.int32),),
]


def as_numpy(indices):
    return tuple(slice(None) if item is None else item for item in indices)


@pytest.mark.parametrize("indices", INDICES, ids=str)
def test_index_and_its_transpose(indices):
    """index reads what NumPy reads, into new memory; <index_backward(g), x> = <g, index(x)>."""
    for a in (A, np.asfortranarray(A)):
        found = cpu_index.index(a, indices)
        expected = a[as_numpy(indices)]
        np.testing.assert_array_equal(found, expected)
        assert not np.may_share_memory(found, a)
    grad = rng.normal(size=found.shape)
    back = indexing.index_backward(grad, A.shape, indices)
    assert back.shape == A.shape
    np.testing.assert_allclose((back * A).sum(), (grad * found).sum(), atol=1e-12)


@pytest.mark.parametrize("indices", INDICES, ids=str)
def test_index_put_writes_and_adds(indices):
    """Written values read back; added ones add up where places repeat. The input stays as it was."""
    retained = A.copy()
    target = A[as_numpy(indices)]
    found = cpu_index_put.index_put(A, indices, np.array(5.0), False)
    assert (found[as_numpy(indices)] == 5).all()
    values = rng.normal(size=target.shape)
    added, expected = cpu_index_put.index_put(A, indices, values, True), A.copy()
    np.add.at(expected, as_numpy(indices), values)
    np.testing.assert_allclose(added, expected)
    np.testing.assert_array_equal(A, retained)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int64, np.int8])
def test_adding_works_in_every_dtype(dtype):
    """Rows added at repeated places, in order."""
    found = cpu_index_put.index_put(np.zeros((3, 2), dtype), (np.array([1, 1, 2]),), np.ones((3, 2), dtype), True)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [[0, 0], [2, 2], [1, 1]])


@pytest.mark.parametrize("indices", [(np.array([4]),), (np.array([0]), np.array([-4]))], ids=str)
def test_places_outside_are_refused(indices):
    """An IndexError names the index, the dimension and its size; nothing is written."""
    with pytest.raises(IndexError, match="out of bounds for dimension"):
        cpu_index.index(A, indices)
    with pytest.raises(IndexError, match="index_put.*out of bounds"):
        cpu_index_put.index_put(A, indices, np.array(1.0), False)


def test_shapes_that_do_not_fit_are_refused():
    """Index arrays must broadcast together, and values to the places."""
    with pytest.raises(IndexError, match="could not be broadcast together"):
        cpu_index.index(A, (np.array([0, 1]), np.array([0, 1, 2])))
    with pytest.raises(RuntimeError, match="cannot be broadcast to indexing result of shape"):
        cpu_index_put.index_put(A, (np.array([0, 1]),), np.ones(5), False)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_index_select_and_index_add_are_transposes(dim):
    """Slices read and slices added along each dimension."""
    positions = np.array([1, 0, 1])
    found = cpu_index.index_select(A, dim, positions)
    np.testing.assert_array_equal(found, np.take(A, positions, dim))
    grad = rng.normal(size=found.shape)
    back = cpu_index_put.index_add(np.zeros_like(A), dim, positions, grad, 2)
    np.testing.assert_allclose((back * A).sum(), 2 * (grad * found).sum())


@pytest.mark.parametrize("dim", [0, 1])
def test_gather_and_scatter_by_loops(dim):
    """gather, scatter and scatter_add are the loops of their definitions; the index may be smaller."""
    a = rng.normal(size=(4, 3))
    positions = np.array([[0, 2], [1, 1], [2, 0]])
    src = rng.normal(size=(3, 3))
    expected, added, written = np.empty((3, 2)), a.copy(), a.copy()
    for i, j in np.ndindex(3, 2):
        at = (positions[i, j], j) if dim == 0 else (i, positions[i, j])
        expected[i, j] = a[at]
        added[at] += src[i, j]
        written[at] = src[i, j]
    np.testing.assert_array_equal(cpu_gather.gather(a, dim, positions, False), expected)
    np.testing.assert_allclose(cpu_gather.scatter_add(a, dim, positions, src), added)
    np.testing.assert_allclose(cpu_gather.scatter(a, dim, positions, src), written)
    assert (cpu_gather.scatter(a, dim, positions, 7.0) == 7).sum() == (written != a).sum()


def test_gather_and_scatter_of_one_number_and_of_nothing():
    """0-d arrays count as having one dimension; an empty index changes nothing."""
    one, zero = np.array(3.0), np.array(0)
    assert cpu_gather.gather(one, 0, zero, False).shape == ()
    assert cpu_gather.gather(one, 0, np.array([0, 0]), False).tolist() == [3, 3]
    assert cpu_gather.scatter(one, 0, zero, np.array(5.0)) == 5
    assert cpu_gather.scatter_add(one, 0, zero, np.array(5.0)) == 8
    empty = np.zeros((0, 3), np.int64)
    np.testing.assert_array_equal(cpu_gather.scatter_add(A[:, :, 0], 0, empty, np.zeros((0, 3))), A[:, :, 0])
    assert cpu_gather.gather(A[:, :, 0], 0, empty, False).shape == (0, 3)
    assert cpu_index.index_select(one, 0, np.array([0])) == 3


@pytest.mark.parametrize("wrong", [-1, 4])
def test_gather_scatter_and_select_refuse_places_outside(wrong):
    """Negative places do not count from the end here."""
    positions, a = np.array([[wrong]]), A[:, :, 0]
    for call in (
        lambda: cpu_gather.gather(a, 0, positions, False),
        lambda: cpu_gather.scatter(a, 0, positions, 1.0),
        lambda: cpu_gather.scatter_add(a, 0, positions, np.ones((1, 1))),
        lambda: cpu_index_put.index_add(a, 0, positions[0], np.ones((1, 3)), 1),
    ):
        with pytest.raises(RuntimeError, match=f"index {wrong} is out of bounds for dimension 0 with size 4"):
            call()
    with pytest.raises(IndexError, match="index_select"):
        cpu_index.index_select(a, 0, positions[0])


def test_nonzero_lists_places_by_row():
    """One row of places for each element that is not zero; of a 0-d array rows without columns."""
    np.testing.assert_array_equal(cpu_mask.nonzero(np.array([[0, 2], [3, 0]])), [[0, 1], [1, 0]])
    assert cpu_mask.nonzero(np.array(1.0)).shape == (1, 0) and cpu_mask.nonzero(np.array(0)).shape == (0, 0)
    assert cpu_mask.nonzero(np.zeros((0, 2))).shape == (0, 2)
