"""Memory that grows, shrinks or moves, under all tensors that share it."""

import gc
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.tensor import replace_memory


def test_a_storage_grows_and_shrinks(lib: Any) -> None:
    """All tensors follow; what there is place for stays."""
    x = lib.arange(4.0)
    views = [x.detach(), x.view(2, 2).t(), x[1:3], x.view(lib.int32)]
    storage = x.untyped_storage()
    assert storage.resize_(32) is storage and x._typed_storage().resize_(8) is None and storage.nbytes() == 32
    assert x.tolist() == [0, 1, 2, 3] and x.untyped_storage() is storage
    x.fill_(1)
    assert [v.sum().item() for v in views] == [4, 4, 2, 4 * 0x3F800000]
    views[1].zero_()
    assert x.tolist() == [0, 0, 0, 0] and all(v.data_ptr() - x.data_ptr() in (0, 4) for v in views)
    assert x.is_contiguous() and not views[1].is_contiguous()


def test_memory_can_be_given_up_and_taken_again(lib: Any) -> None:
    """The trick of reversible networks: no elements between forward and backward, then those that are computed anew."""
    x = lib.arange(4.0)
    y, shape = x.view(2, 2), x.shape
    x.untyped_storage().resize_(0)
    assert x.shape == shape == (4,) and x.untyped_storage().nbytes() == 0
    x.untyped_storage().resize_(16)
    x.copy_(lib.tensor([3.0, 2.0, 1.0, 0.0]))
    assert y.tolist() == [[3, 2], [1, 0]]


ATTEMPTS = [
    lambda x, y: x + 1,
    lambda x, y: y + y,
    lambda x, y: y.t() * x.view(3, 4),
    lambda x, y: x.sum(),
    lambda x, y: y.sum(0),
    lambda x, y: x.numpy(),
    lambda x, y: x.clone(),
    lambda x, y: y @ y.t(),
    lambda x, y: x.exp_(),
    lambda x, y: y.mul_(2),
    lambda x, y: x.fill_(1),
    lambda x, y: x.tolist(),
    lambda x, y: repr(y),
    lambda x, y: sg.softmax(y, 0),
    lambda x, y: sg.cat([x, x]),
    lambda x, y: x[sg.tensor([1, 11])],
    lambda x, y: y.contiguous(),
    lambda x, y: x.copy_(sg.ones(12)),
    lambda x, y: sg.ones(4, 3).copy_(y),
    lambda x, y: x.normal_(),
    lambda x, y: sg.where(y > 0, y, 1.0),
]


WRITING = (8, 9, 10)  # of these attempts, whose results those that follow would have to get over


@pytest.mark.parametrize("nbytes", [0, 20])
def test_elements_that_are_gone_are_not_read(nbytes: int) -> None:
    """Whoever reaches beyond the memory gets an error, in native code as in Python, whatever ran before."""
    x = sg.arange(12.0)
    y = x.view(3, 4).t()
    for number, attempt in enumerate(ATTEMPTS):
        if number not in WRITING:
            attempt(x, y)  # what has been found for these layouts must not be used
    x.untyped_storage().resize_(nbytes)
    for attempt in ATTEMPTS:
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            attempt(x, y)


def test_other_memory_is_left_alone() -> None:
    """Tensors over other arrays keep theirs, and NumPy's views of the old memory stay valid."""
    x, other = sg.arange(4.0), sg.arange(4.0)
    array = x.numpy()
    address = other.data_ptr()
    x.untyped_storage().resize_(4000)
    assert other.data_ptr() == address and array.tolist() == [0, 1, 2, 3]


def test_a_tensor_alone_is_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where references say that nobody shares the memory, the collector is not asked; with a view it is."""
    requested = []
    monkeypatch.setattr(
        replace_memory, "_holders", lambda arrays: requested.append(arrays) or gc.get_referrers(*arrays)
    )
    for make in (lambda: sg.ones(3), lambda: sg.ones(3) + 1, lambda: sg.tensor([1.0, 2.0, 3.0]), lambda: sg.rand(3)):
        x = make()
        x.numpy()
        x.resize_(5)
        assert requested == [] and x[:3].tolist() is not None and x.shape == (5,)
    x = sg.ones(3)
    view = x.detach()
    x.resize_(5).fill_(2)
    assert len(requested) == 1 and view.tolist() == [2, 2, 2]


SHARERS = [
    lambda x: x.detach(),
    lambda x: x.view(1, 3),
    lambda x: x[1:],
    lambda x: x.view(3, 1).t(),
    lambda x: x.untyped_storage(),
    lambda x: x.numpy(),
]


@pytest.mark.cpu("the memory of several processes is the host's")
@pytest.mark.parametrize("number", [None, *range(len(SHARERS))])
def test_who_else_holds_the_memory(monkeypatch: pytest.MonkeyPatch, number: int | None) -> None:
    """One who shares it is noticed however he holds it, and variables are not taken for one: not for more, not for
    fewer than they count as on this Python."""
    requested = []
    monkeypatch.setattr(
        replace_memory, "_holders", lambda arrays: requested.append(arrays) or gc.get_referrers(*arrays)
    )
    for count, change in enumerate((lambda x: x.resize_(5), lambda x: x.share_memory_()), 1):
        x = sg.ones(3)
        sharer = None if number is None else SHARERS[number](x)
        change(x)
        assert len(requested) == (0 if sharer is None else count) and x[:3].tolist() == [1, 1, 1]
        if isinstance(sharer, sg.Tensor):
            x.fill_(2)
            assert set(sharer.flatten().tolist()) == {2}


def test_tensors_that_the_collector_has_put_aside() -> None:
    """`gc.freeze`, as before a fork, hides tensors from the collector, and not from here."""
    x = sg.ones(3)
    view = x.detach()
    frozen = gc.get_freeze_count()
    gc.freeze()
    try:
        x.resize_(5).fill_(2)
        assert view.tolist() == [2, 2, 2] and gc.get_freeze_count() > 0
    finally:
        if not frozen:
            gc.unfreeze()


def test_growing_in_a_graph() -> None:
    """A saved tensor whose memory grows counts as written to."""
    w, x = sg.ones(3, requires_grad=True), sg.ones(3)
    y = (w * x).sum()
    x.resize_(10)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.cpu("the memory of files and processes is the host's")
def test_memory_of_one_size(tmp_path: Any) -> None:
    """That of files and of several processes has one size for ever."""
    shared, mapped = sg.ones(2).share_memory_(), sg.from_file(str(tmp_path / "file"), shared=True, size=2)
    for x in (shared, mapped):
        assert not x.untyped_storage().resizable() and x.resize_(1).shape == (1,)
        for attempt in (lambda x: x.resize_(5), lambda x: x.untyped_storage().resize_(4)):
            with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
                attempt(x)
    assert sg.ones(2).untyped_storage().resizable()
    with pytest.raises(RuntimeError, match="negative"):
        sg.ones(2).untyped_storage().resize_(-1)
