"""Reading by masks and by arrays of indices against NumPy's: blocks, layouts, dtypes, native calls, gradients."""

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.indexing import cpu_index, cpu_mask
from specgrad.runtime.ops.indexing.cpu_mask import BLOCK

rng = np.random.default_rng(0)
SHAPES = [(7,), (0, 3), (3, 0), (5, 4, 3), (BLOCK,), (BLOCK + 1,), (3, BLOCK), (2 * BLOCK, 2), (3, 4, 5, 6, 7, 2)]
DTYPES = [bool, np.int8, np.float16, np.float32, np.int64, np.complex128]


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_masks_choose_put_back_and_list_places(shape, share):
    """Elements where a mask is true, zeros elsewhere, and places, whatever the share of true elements."""
    mask = rng.random(shape) < share
    for dtype in DTYPES:
        a = rng.integers(0, 2, shape).astype(dtype)
        chosen = cpu_mask.chosen_by_mask(a, mask)
        assert chosen.dtype == a.dtype
        np.testing.assert_array_equal(chosen, a[mask])
        np.testing.assert_array_equal(cpu_mask.put_by_mask(chosen, mask), np.where(mask, a, np.zeros((), dtype)))
        np.testing.assert_array_equal(cpu_mask.nonzero(mask.astype(dtype)), np.argwhere(mask))
    assert cpu_mask.put_by_mask(np.zeros(mask.sum() + 1), mask) is None


def test_masks_in_several_threads():
    """Threads share blocks: the results are those of one."""
    a = rng.normal(size=(500, 1000)).astype(np.float32)
    a[0, :2] = np.nan, np.inf
    mask, before = a > 0.3, sg.get_num_threads()
    try:
        sg.set_num_threads(4)
        np.testing.assert_array_equal(cpu_mask.chosen_by_mask(a, mask), a[mask])
        np.testing.assert_array_equal(cpu_mask.put_by_mask(a[mask], mask), np.where(mask, a, 0))
        np.testing.assert_array_equal(cpu_mask.nonzero(mask), np.argwhere(mask))
        rows, columns = rng.integers(-500, 500, 300_000), rng.integers(-1000, 1000, 300_000)
        np.testing.assert_array_equal(cpu_index.index(a, (rows, columns)), a[rows, columns])
    finally:
        sg.set_num_threads(before)


KEYS = ["i", "_i", "ii", "iii", "i_i", "_i_i", "__ii", "iiii", "_ii", "i__i", "m", "_m", "M", "_M", "m_i", "0_0", "00"]


def key_for(shape, kinds):
    """Indices along dimensions: i an array, 0 a number, m a mask with one true element, M one of two dimensions."""
    dim, found = 0, []
    for kind in kinds:
        if kind == "_":
            found.append(None)
        elif kind == "M":
            found.append(rng.random(shape[dim : dim + 2]) < 0.5)
            dim += 1
        elif kind == "m":
            found.append(np.arange(shape[dim]) == rng.integers(shape[dim]))
        else:
            found.append(rng.integers(-shape[dim], shape[dim], (2, 3) if kind == "i" else ()))
        dim += 1
    return found


@pytest.mark.parametrize("kinds", KEYS)
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2), (1, 0, 3, 2)], ids=str)
def test_arrays_of_indices_in_any_layout(order, kinds):
    """Memory is read where it lies: transposed, in steps, and one column of it."""
    full = rng.normal(size=(4, 5, 6, 3)).transpose(order)
    for a in (full, full[::2], full[:, 1:3], full[..., :1]):
        indices = key_for(a.shape, kinds)
        expected = a[tuple(slice(None) if item is None else item for item in indices)]
        found = cpu_index.index(a, indices)
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(6,), (6, 5, 4), (6, 1, 4, 3)], ids=str)
@pytest.mark.parametrize("kinds", ["i", "ii", "iii", "_i", "_ii", "i_i", "i_i_", "iiii"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_keys_of_tensors_and_their_gradients(shape, kinds, dtype):
    """The first call finds a plan, which native code runs from then on: both give what NumPy gives."""
    if len(kinds) > len(shape):
        return
    a = rng.integers(-100, 100, shape).astype(dtype)
    for _ in range(3):
        indices = [slice(None) if item is None else item for item in key_for(shape, kinds)]
        x = sg.tensor(a)
        key = tuple(item if isinstance(item, slice) else sg.tensor(item) for item in indices)
        np.testing.assert_array_equal(x[key].numpy(), a[tuple(indices)])
        if x.is_floating_point():
            x.requires_grad_(True)
            grad = rng.normal(size=a[tuple(indices)].shape)
            x[key].backward(sg.tensor(grad, dtype=x.dtype))
            expected = np.zeros(shape)
            np.add.at(expected, tuple(indices), grad)
            np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_what_native_code_keeps_of_indices():
    """An index that was written to after it was read by is an error in backward, as in the general path."""
    x, rows = sg.randn(6, 5, requires_grad=True), sg.tensor([0, 1])
    for _ in range(3):
        y = x[rows].sum()
    rows.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*'indices' of index"):
        y.backward()


@pytest.mark.parametrize("wrong", [6, -7])
def test_native_code_refuses_places_outside(wrong):
    """Each time, by the general path, which says which."""
    x = sg.randn(6, 5)
    for _ in range(3):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for dimension 0 with size 6"):
            x[sg.tensor([0, wrong])]
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for dimension 0 with size 6"):
            x[sg.tensor([0, wrong]), sg.tensor([1, 2])]
