"""In-place ops: what is refused, version counters, aliases, and errors that say which op overwrote what."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.examples import leaf

WRITES: dict[str, Any] = {
    "mul_": lambda x: x.mul_(2),
    "iadd": lambda x: x.__iadd__(1),
    "exp_": lambda x: x.exp_(),
    "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(3),
    "copy_": lambda x: x.copy_(sg.zeros(2)),
    "setitem": lambda x: x.__setitem__(0, 1.0),
    "masked_fill_": lambda x: x.masked_fill_(sg.tensor([True, False]), 0),
    "index_put_": lambda x: x.index_put_((sg.tensor([0]),), sg.zeros(1, dtype=x.dtype)),
    "view": lambda x: x[:1].add_(1),
}


@pytest.mark.parametrize("name", WRITES)
def test_leaf_that_requires_grad_is_refused(name: str) -> None:
    """Writing to a leaf that requires grad, or to a view of it, is an error; the values stay."""
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        WRITES[name](x)
    assert x.tolist() == [1.0, 2.0] and x._version == 0


@pytest.mark.parametrize("name", WRITES)
def test_every_write_counts(name: str) -> None:
    """Each in-place op raises the version of the tensor and of all that share its memory, once or more."""
    x = sg.tensor([1.0, 2.0], dtype=sg.float64)
    alias, view = x.detach(), x.view(2, 1)
    WRITES[name](x)
    assert x._version >= 1
    assert alias._version == view._version == view[0]._version == x._version
    assert alias.tolist() == x.tolist()


def test_in_place_returns_the_tensor_itself() -> None:
    """x.op_() is x, and the augmented assignments keep the object."""
    x = sg.ones(2)
    y = x
    assert x.add_(1) is x and x.exp_() is x
    x += 1
    x *= 2
    assert x is y


def test_versions_start_at_zero_and_are_not_raised_by_reading() -> None:
    """Reading, views and out-of-place ops leave the version alone; a clone has its own."""
    x = sg.ones(2)
    _ = x + 1, x[0], x.view(1, 2), x.detach(), x.T
    assert x._version == 0
    x.add_(1)
    assert (x._version, x.clone()._version, (x * 1)._version) == (1, 0, 0)


MODIFIED: dict[str, Any] = {
    "mul": (lambda x: x * x, "mul"),
    "exp": (lambda x: x.exp(), "exp"),
    "matmul": (lambda x: x.view(1, 2) @ x.view(2, 1), "mm"),
    "index": (lambda x: x * sg.ones(2, dtype=sg.float64)[sg.tensor([0, 1])] * x, "mul"),
}


def test_saved_input_modified() -> None:
    """The error names the op that saved, the shape, both versions, and the op that wrote last."""
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y.sin()
    y.add_(1)
    y.clamp_(min=0)
    with pytest.raises(
        RuntimeError,
        match=r"modified by an inplace operation: 'self' of sin\(\) \(derivatives.yaml:\d+\).*\[2\].*"
        r"clamp_?\(\).* version 2; expected version 0",
    ):
        z.sum().backward()


def test_saved_output_modified() -> None:
    """An op that saved its result notices that the result was changed."""
    y = leaf(1.0).exp()
    y.mul_(2)
    with pytest.raises(
        RuntimeError, match=r"inplace operation: 'result' of exp\(\).*mul_\(\).*version 1; expected version 0"
    ):
        y.backward()


def test_saved_list_modified() -> None:
    """Index tensors that were saved are watched too."""
    index = sg.tensor([0, 1])
    y = (leaf(1.0, 2.0) * 1)[index]
    index.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*'indices'.*zero_"):
        y.sum().backward()


def test_modified_through_a_view_or_alias() -> None:
    """Writing through a view, a detached alias or NumPy's face of it: the first two are noticed."""
    for write in (lambda t: t[:1].zero_(), lambda t: t.detach().zero_(), lambda t: t.view(2, 1).T.zero_()):
        y = leaf(1.0, 2.0) * 1
        z = y * y
        write(y)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()


def test_not_saved_may_be_modified() -> None:
    """What no formula needs may be overwritten: add keeps nothing, and mul keeps only what it needs."""
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y + 5
    y.zero_()
    z.sum().backward()
    constant = sg.tensor([3.0, 4.0], dtype=sg.float64)
    other = x * 1
    w = other * constant
    other.zero_()
    w.sum().backward()
    assert x.grad.tolist() == [4.0, 5.0]


def test_data_is_untracked() -> None:
    """x.data shares memory and nothing else: writing through it raises no version."""
    x = leaf(1.0, 2.0)
    y = x * x
    x.data.mul_(10)
    assert x.tolist() == [10.0, 20.0] and x._version == 0 and not x.data.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]


def test_data_assignment() -> None:
    """Assigning to x.data gives x other memory, also of another shape; x stays the leaf it was."""
    x = leaf(1.0, 2.0)
    x.data = sg.zeros(3, dtype=sg.float64)
    assert x.shape == (3,) and x.requires_grad and x.is_leaf
    with pytest.raises(TypeError, match="data.*Tensor"):
        x.data = 3


def test_detach() -> None:
    """detach shares memory and version, and is out of the graph; detach_ takes the tensor itself out."""
    x = leaf(1.0, 2.0)
    y = x * 2
    d = y.detach()
    assert d.is_leaf and not d.requires_grad
    d[0] = 9.0
    assert y.tolist() == [9.0, 4.0] and y._version == d._version == 1
    y.detach_()
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None
    with pytest.raises(RuntimeError, match="detach_?.*views"):
        (x * 1)[0].detach_()


@pytest.mark.cpu("shares memory with NumPy")
def test_numpy_shares_memory() -> None:
    """An array from numpy() and a tensor from from_numpy() see each other's writes."""
    x = sg.zeros(3)
    x.numpy()[1] = 5
    array = np.zeros(3)
    sg.from_numpy(array).add_(1)
    assert x.tolist() == [0.0, 5.0, 0.0] and array.tolist() == [1.0, 1.0, 1.0]


def test_deepcopy() -> None:
    """A deep copy has its own memory and gradient; sharing inside the copied object is kept; non-leaves are refused."""
    x = leaf(1.0, 2.0)
    x.grad = sg.ones(2, dtype=sg.float64)
    x.note = ["mine"]
    base, view = sg.zeros(4), None
    view = base[1:3]
    y, (b, v) = copy.deepcopy((x, [base, view]))
    assert y.requires_grad and y.is_leaf and y.grad.tolist() == [1.0, 1.0] and y.grad is not x.grad
    assert y.note == ["mine"] and y.note is not x.note
    v.fill_(7)
    assert b.tolist() == [0.0, 7.0, 7.0, 0.0] and base.tolist() == [0.0] * 4
    with pytest.raises(RuntimeError, match="deepcopy.*leaves|leaves.*deepcopy"):
        copy.deepcopy(x * 2)


def test_copy_shares_memory() -> None:
    """copy.copy is another leaf over the same memory."""
    x = sg.zeros(2)
    copy.copy(x).add_(1)
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickle(protocol: int) -> None:
    """Pickling keeps values, dtype, layout, sharing and requires_grad, whatever the dtype."""
    dtypes = [sg.float16, sg.bfloat16, sg.float32, sg.complex64, sg.int8, sg.uint8, sg.bool]
    tensors = [sg.tensor([[0, 1, 2]]).to(dtype).T for dtype in dtypes]
    again = pickle.loads(pickle.dumps(tensors, protocol))
    assert [(t.dtype, t.shape, t.stride(), t.tolist()) for t in again] == [
        (t.dtype, t.shape, t.stride(), t.tolist()) for t in tensors
    ]
    x = leaf(1.0)
    loaded = pickle.loads(pickle.dumps([x, x, x * 2], protocol))
    assert loaded[0] is loaded[1] and loaded[0].requires_grad and loaded[2].is_leaf


def test_writes_without_gradients_cut_the_history() -> None:
    """What a comparison writes over values does not depend on them: they get zeros, their neighbours in memory all."""
    x = leaf(1.0, 2.0, 3.0)
    y = (x * 2).eq_(x)
    assert y.grad_fn.name() == "EqBackward1"
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    x.grad = None
    y = x * 2
    y[1:].gt_(5)
    assert y.tolist() == [2.0, 0.0, 1.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]
