"""pickle, copy and deepcopy of tensors."""

import copy
import pickle

import pytest

import specgrad as sg


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("clone", [through_pickle, copy.deepcopy])
@pytest.mark.parametrize("dtype", [sg.bool, sg.uint8, sg.int64, sg.bfloat16, sg.float32, sg.complex128])
def test_values_survive(clone, dtype) -> None:
    """Values, dtype, strides and requires_grad are kept; the memory is new."""
    x = sg.ones(2, 3, dtype=dtype)
    for t in (x, x[:, ::2], x.permute((1, 0)), x[0, 0], x[:0]):
        made = clone(t)
        assert (made.dtype, made.tolist(), made.stride()) == (dtype, t.tolist(), t.stride())
        assert type(made) is sg.Tensor
        assert not made.requires_grad and made.is_leaf
    assert clone(x).data_ptr() != x.data_ptr()


@pytest.mark.parametrize("clone", [through_pickle, copy.deepcopy])
def test_requires_grad_and_attributes_survive(clone) -> None:
    """A leaf stays a leaf that requires grad, and keeps the attributes that were set on it."""
    x = sg.ones(2, requires_grad=True)
    x.label = ["a"]
    made = clone(x)
    assert made.requires_grad and made.is_leaf
    assert made.label == ["a"]
    assert made.label is not x.label


@pytest.mark.parametrize("clone", [through_pickle, copy.deepcopy])
def test_sharing_survives(clone) -> None:
    """Tensors that shared memory share it in the copy; one tensor twice is one tensor twice."""
    x = sg.zeros(4)
    a, b, c = clone([x, x[1:], x])
    assert a is c
    a[1] = 5
    assert b[0].item() == 5
    assert x[1].item() == 0


def test_copy_shares_memory() -> None:
    """copy.copy makes another leaf over the same memory."""
    x = sg.zeros(2, requires_grad=True)
    made = copy.copy(x)
    assert made is not x and made.requires_grad and made.is_leaf
    x.detach()[0] = 3
    assert made.tolist() == [3, 0]
    assert copy.copy(x * 2).is_leaf


def test_deepcopy_copies_grad() -> None:
    """deepcopy copies the gradient too, into its own memory."""
    x = sg.ones(2, requires_grad=True)
    x.sum().backward()
    made = copy.deepcopy(x)
    assert made.grad.tolist() == [1, 1]
    assert made.grad is not x.grad


def test_deepcopy_of_a_result_is_refused() -> None:
    """A tensor with history cannot be copied with it."""
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly|only Tensors created explicitly"):
        copy.deepcopy(sg.ones(2, requires_grad=True) * 2)


def test_pickle_of_a_result_is_a_leaf() -> None:
    """Pickling keeps values and requires_grad, not history."""
    made = through_pickle(sg.ones(2, requires_grad=True) * 2)
    assert made.is_leaf and made.requires_grad and made.tolist() == [2, 2]
