"""`Tensor.set_` and `data`: other memory for a tensor."""

from typing import Any

import pytest

import specgrad as sg


def test_memory_of_a_storage(lib: Any) -> None:
    """All of a storage, or a part of it in any layout; both see writes of the other."""
    x = lib.arange(6.0)
    for source in (x.untyped_storage(), x._typed_storage(), x):
        entire = lib.empty(0).set_(source)
        part = lib.empty(2, 2).set_(source, 1, (2, 2), (1, 2))
        assert entire.tolist() == [0, 1, 2, 3, 4, 5] and part.tolist() == [[1, 3], [2, 4]]
        assert part.storage_offset() == 1 and part.stride() == (1, 2) and part.data_ptr() == x.data_ptr() + 4
        assert lib.empty(0).set_(source, storage_offset=2, size=(3,)).tolist() == [2, 3, 4]
        entire.mul_(2)
        assert x.tolist() == [0, 2, 4, 6, 8, 10] and part[1, 1] == 8
        x.copy_(lib.arange(6.0))


def test_a_storage_grows_for_its_tensors(lib: Any) -> None:
    """A size beyond the storage makes it larger, for who has it already as well."""
    x = lib.ones(2)
    y = lib.empty(0).set_(x.untyped_storage(), 0, (2, 3))
    y.fill_(4)
    assert x.tolist() == [4, 4] and x.untyped_storage().nbytes() == 24 and x.data_ptr() == y.data_ptr()


def test_a_view_leaves_its_base(lib: Any) -> None:
    """Who has been given other memory shares none with its base, which is as it was."""
    x = lib.ones(4)
    view = x[:2]
    view.set_(lib.zeros(3))
    assert view.tolist() == [0, 0, 0] and (lib is not sg or not view._is_view())
    view.fill_(5)
    x.mul_(2)
    assert x.tolist() == [2, 2, 2, 2] and view.tolist() == [5, 5, 5]


def test_nothing_is_an_empty_tensor(lib: Any) -> None:
    """Without a source there are no elements; the result is the tensor itself."""
    x = lib.ones(2)
    assert x.set_() is x and x.shape == (0,)


def test_counts_of_writes(lib: Any) -> None:
    """`set_` counts as a write of the tensor, and later writes to the same memory are counted apart."""
    x, y = lib.ones(2), lib.zeros(2)
    before = x._version
    x.set_(y)
    assert x._version > before and y._version == 0
    x.fill_(1)
    assert y._version == 0 and y.tolist() == [1, 1]


def test_what_was_saved_is_no_longer_there(lib: Any) -> None:
    """A tensor that backward needs is found to have changed."""
    w = lib.ones(2, requires_grad=True)
    x = lib.ones(2)
    y = (w * x).sum()
    x.set_(lib.zeros(2))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_what_is_refused(lib: Any) -> None:
    """Dtypes differ, the tensor is a leaf that learns, the source is no memory."""
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        lib.ones(2, dtype=lib.int64).set_(lib.ones(2))
    with pytest.raises(RuntimeError, match="Expected a Storage of type"):
        lib.ones(2, dtype=lib.int64).set_(lib.ones(2)._typed_storage())
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        lib.ones(2, requires_grad=True).set_(lib.ones(2))
    for wrong in (3, [1.0]):
        with pytest.raises(TypeError):
            lib.ones(2).set_(wrong)
    with pytest.raises(RuntimeError):
        lib.ones(2).set_(lib.ones(4).untyped_storage(), 0, (2,), (1, 1))
    with pytest.raises(RuntimeError):
        lib.ones(2).set_(lib.ones(4).untyped_storage(), 0, (2,), (-1,))


def test_a_leaf_outside_of_graphs(lib: Any) -> None:
    """Under `no_grad` a parameter gets other memory, and stays the leaf that it is."""
    w = lib.ones(2, requires_grad=True)
    with lib.no_grad():
        w.set_(lib.full((2,), 3.0))
    (w * w).sum().backward()
    assert w.is_leaf and w.requires_grad and w.grad.tolist() == [6, 6]


def test_data_takes_memory(lib: Any) -> None:
    """Assigned to `data`, memory is shared, in whatever shape; gradients that are computed later fit it."""
    w, other = lib.ones(2, requires_grad=True), lib.zeros(3)
    w.data = other
    other.fill_(2)
    (w * w).sum().backward()
    assert w.tolist() == [2, 2, 2] and w.grad.tolist() == [4, 4, 4] and w.data_ptr() == other.data_ptr()
    with pytest.raises(TypeError):
        w.data = 3
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        w.data = lib.ones(2, dtype=lib.int64)


def test_tensor_of_a_parameter_is_a_view(lib: Any) -> None:
    """`Tensor(x)` is a view of x in the graph."""
    w = lib.ones(2, requires_grad=True)
    (lib.Tensor(w) * 3).sum().backward()
    assert w.grad.tolist() == [3, 3] and lib.FloatTensor(w).requires_grad and not lib.Tensor(w).is_leaf


def test_aliasing_is_found_through_storages() -> None:
    """Ops see that tensors made over one storage share memory: what is read while it is written to is copied."""
    x = sg.arange(5.0)
    ahead = sg.empty(0).set_(x.untyped_storage(), 1, (4,))
    behind = sg.empty(0).set_(x.untyped_storage(), 0, (4,))
    with pytest.raises(RuntimeError, match="memory"):
        ahead.add_(behind)
    ahead.copy_(behind.clone())
    assert x.tolist() == [0, 0, 1, 2, 3]
