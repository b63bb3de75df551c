"""Tensors as Python numbers, lists, NumPy arrays and DLPack capsules."""

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def test_numpy_shares_memory() -> None:
    """numpy() and NumPy's own functions see the tensor's memory without a copy, strided views too."""
    x = sg.arange(6.0).reshape((2, 3))
    for t in (x, x[:, ::2], x.permute((1, 0)), x[1]):
        array = t.numpy()
        assert array.tolist() == t.tolist()
        assert array.__array_interface__["data"][0] == t.data_ptr()
        assert np.shares_memory(np.asarray(t), array)
    x.numpy()[0, 0] = 9
    assert x[0, 0].item() == 9


def test_numpy_array_object_is_the_callers() -> None:
    """Reshaping or freezing the array that numpy() gave leaves the tensor as it was."""
    x = sg.zeros(4)
    array = x.numpy()
    array.shape = (2, 2)
    array.flags.writeable = False
    x += 1
    assert x.tolist() == [1, 1, 1, 1]
    assert x.numpy().shape == (4,)


def test_numpy_of_every_dtype() -> None:
    """Each dtype has the NumPy dtype that stores it, bfloat16 included."""
    for dtype in (sg.bool, sg.uint8, sg.int64, sg.float16, sg.bfloat16, sg.float32, sg.complex128):
        assert sg.ones(2, dtype=dtype).numpy().dtype == dtype.np


def test_numpy_of_what_requires_grad() -> None:
    """An array could be written to behind autograd's back, so it must be asked for with detach or force."""
    x = sg.ones(2, requires_grad=True)
    for make in (x.numpy, lambda: np.asarray(x), (x * 2).numpy):
        with pytest.raises(RuntimeError, match="Can't call numpy.* on Tensor that requires grad. Use tensor.detach"):
            make()
    assert x.numpy(force=True).tolist() == x.detach().numpy().tolist() == [1, 1]


def test_array_protocol() -> None:
    """np.array copies, np.asarray converts, and copy=False fails when a conversion needs a copy."""
    x = sg.arange(3.0)
    assert np.asarray(x, dtype=np.int32).dtype == np.int32
    assert not np.shares_memory(np.array(x), x.numpy())
    assert np.shares_memory(np.array(x, copy=False), x.numpy())
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype=np.int32, copy=False)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (sg.tensor(3), 3),
        (sg.tensor([[1.5]]), 1.5),
        (sg.tensor(True), True),
        (sg.tensor(1j), 1j),
        (sg.tensor(1.5, dtype=sg.bfloat16), 1.5),
        (sg.tensor(1.5, requires_grad=True), 1.5),
    ],
)
def test_item(made: sg.Tensor, expected: Any) -> None:
    """One element comes back as the Python number of its kind."""
    assert made.item() == expected
    assert type(made.item()) is type(expected)


@pytest.mark.parametrize(("shape", "count"), [((0,), 0), ((2,), 2), ((2, 3), 6)])
def test_item_of_several(shape: tuple[int, ...], count: int) -> None:
    """Only one element is a number; bool, float, int and index say so in PyTorch's words."""
    x = sg.ones(shape)
    with pytest.raises(RuntimeError, match=f"a Tensor with {count} elements cannot be converted to Scalar"):
        x.item()
    for convert in (float, int, complex):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            convert(x)
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with (more than one value|no values)"):
        bool(x)
    with pytest.raises(TypeError, match="only integer tensors of a single element"):
        x.__index__()


def test_conversions() -> None:
    """float, int, complex and bool of one element are those of its number."""
    assert float(sg.tensor([2])) == 2.0
    assert int(sg.tensor(-1.7)) == -1
    assert complex(sg.tensor(2.0)) == 2 + 0j
    assert bool(sg.tensor(float("nan"))) and not bool(sg.tensor([0]))
    assert math.floor(float(sg.tensor(2.5))) == 2
    for convert in (float, int):
        with pytest.raises(RuntimeError, match="value 1j cannot be converted"):
            convert(sg.tensor(1j))
        assert convert(sg.tensor(2 + 0j)) == 2


def test_index() -> None:
    """An integer or bool tensor of one element can be an index."""
    assert "abc"[sg.tensor(1)] == "b"
    assert list(range(sg.tensor([2]))) == [0, 1]
    assert sg.tensor(True).__index__() == 1
    with pytest.raises(TypeError, match="only integer tensors"):
        sg.tensor(1.0).__index__()


def test_tolist() -> None:
    """Nested lists of Python numbers, empty dimensions kept."""
    assert sg.tensor(3).tolist() == 3
    assert sg.zeros(0, 3).tolist() == []
    assert sg.zeros(2, 0).tolist() == [[], []]
    assert sg.tensor([[1.5]], dtype=sg.bfloat16, requires_grad=True).tolist() == [[1.5]]


def test_len_and_iteration() -> None:
    """A tensor is a sequence of its slices along the first dimension, with gradients."""
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert len(x) == 2
    first, second = x
    (first * second).sum().backward()
    assert x.grad.tolist() == [[3, 4], [1, 2]]
    assert list(sg.zeros(0, 3)) == []
    assert [t.tolist() for t in sg.zeros(2, 0)] == [[], []]
    for function, message in ((len, r"len\(\) of a 0-d tensor"), (iter, "iteration over a 0-d tensor")):
        with pytest.raises(TypeError, match=message):
            function(sg.tensor(1))


def test_contains() -> None:
    """`in` asks whether some element is equal, for numbers and tensors only."""
    x = sg.arange(6.0).reshape((2, 3))
    assert 1.0 in x and np.float32(1) in x and sg.tensor(1.0) in x and 9 not in x
    assert sg.tensor([0.0, 9.0, 9.0]) in x
    for wrong in ("a", None, [1]):
        with pytest.raises(RuntimeError, match=f"only supports Tensor or scalar.* a {type(wrong).__name__}"):
            wrong in x  # noqa: B015


def test_format() -> None:
    """A 0-d tensor formats as its number; others take no format."""
    assert f"{sg.tensor(1.5):.3f}" == "1.500"
    assert f"{sg.tensor(1.5, requires_grad=True)}" == "1.5"
    assert f"{sg.ones(1)}" == "tensor([1.])"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{sg.ones(1):.2f}"


def test_dlpack() -> None:
    """Other libraries share the memory through DLPack; what requires grad is refused."""
    x = sg.arange(3.0)
    assert np.shares_memory(np.from_dlpack(x), x.numpy())
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="can't export tensors that require gradient"):
        sg.ones(2, requires_grad=True).__dlpack__()
