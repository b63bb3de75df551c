"""Constructors of older programs: `Tensor(...)`, `LongTensor(...)`, and types by their names."""

import pickle
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def test_tensor_of_sizes() -> None:
    """Sizes give an uninitialised tensor of the default dtype; nothing gives an empty one."""
    assert [sg.Tensor(2, 3).shape, sg.Tensor(3).shape, sg.Tensor().shape] == [(2, 3), (3,), (0,)]
    assert sg.Tensor(sg.Size([2, 2])).shape == (2, 2)
    assert sg.Tensor(2).dtype is sg.float32


def test_tensor_of_data() -> None:
    """Sequences and arrays are converted to the default dtype."""
    assert sg.Tensor([1, 2]).tolist() == [1.0, 2.0]
    assert sg.Tensor([[True], [False]]).dtype is sg.float32
    assert sg.Tensor(np.ones(2)).dtype is sg.float32


def test_tensor_of_a_tensor_shares_memory() -> None:
    """`Tensor(x)` is another tensor over the memory of x."""
    x = sg.zeros(2)
    sg.Tensor(x).fill_(3)
    assert x.tolist() == [3.0, 3.0]


def test_subclass() -> None:
    """A subclass is made in the same ways."""

    class Mine(sg.Tensor):
        pass

    made = Mine([1.0, 2.0])
    assert type(made) is Mine and made.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("wrong", ["a", 2.5, None, object()])
def test_wrong_argument(wrong: object) -> None:
    """What is neither size nor data is a TypeError that names the class and the type."""
    with pytest.raises(TypeError, match=rf"Tensor\(\): expected .* got {type(wrong).__name__}"):
        sg.Tensor(wrong)


def test_types_make_tensors() -> None:
    """Each class makes tensors of its dtype, from data or sizes."""
    made = [sg.LongTensor([1]), sg.DoubleTensor([1]), sg.BoolTensor([1]), sg.HalfTensor(2), sg.ByteTensor([1, 2])]
    assert [x.dtype for x in made] == [sg.int64, sg.float64, sg.bool, sg.float16, sg.uint8]
    with pytest.raises(TypeError, match=r"LongTensor\(\): expected a Tensor of specgrad.int64"):
        sg.LongTensor(sg.ones(1))


@pytest.mark.cpu("the classes are those of the CPU")
def test_isinstance_asks_for_the_dtype() -> None:
    """`isinstance(x, FloatTensor)` is true for tensors of float32 only."""
    assert isinstance(sg.ones(1), sg.FloatTensor)
    assert not isinstance(sg.ones(1), sg.LongTensor) and not isinstance(1.0, sg.FloatTensor)


@pytest.mark.cpu("the names are those of the CPU")
def test_type_by_name() -> None:
    """`type()` gives a name that `type(name)` takes, as it takes PyTorch's names, the classes and dtypes."""
    x = sg.ones(2)
    assert x.type() == "specgrad.FloatTensor" and sg.ones(1, dtype=sg.int64).type(x.type()).dtype is sg.float32
    assert [x.type(t).dtype for t in ("torch.LongTensor", sg.LongTensor, sg.int64)] == [sg.int64] * 3
    assert x.type(sg.float32) is x
    with pytest.raises(ValueError, match="invalid type: 'torch.FooTensor'"):
        x.type("torch.FooTensor")


def test_new_has_the_dtype() -> None:
    """`x.new(...)` is the constructor of the class of x."""
    assert sg.ones(1, dtype=sg.int64).new([1.0]).dtype is sg.int64
    assert sg.ones(1).new(2, 2).shape == (2, 2)


def test_constructors_by_name() -> None:
    """One argument may have PyTorch's name; several, or another name, are refused."""
    assert sg.Tensor(size=(2, 3)).shape == (2, 3) and sg.Tensor(data=[1, 2]).tolist() == [1, 2]
    x = sg.ones(2)
    assert sg.Tensor(other=x).data_ptr() == x.data_ptr() and x.new(size=(3,)).shape == (3,)
    for wrong in ({"dtype": sg.int64}, {"size": (2,), "data": [1]}):
        with pytest.raises(TypeError, match="received an invalid combination of arguments"):
            sg.Tensor(**wrong)
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        sg.Tensor(2, data=[1])


def test_more_sequences_and_sizes() -> None:
    """Ranges are sequences, tensors of one whole number sizes, and nested lists may hold tensors."""
    assert sg.Tensor(range(3)).tolist() == [0, 1, 2] and sg.Tensor([sg.tensor(1), 2]).tolist() == [1, 2]
    assert sg.Tensor(sg.tensor(2), sg.tensor(3)).shape == (2, 3) and sg.Tensor(np.int64(3)).shape == (3,)
    assert sg.Tensor(np.array(3.5)).shape == () and sg.LongTensor([1.7]).tolist() == [1]
    with pytest.raises(RuntimeError, match="negative dimension"):
        sg.Tensor(-1)


def test_types_are_classes() -> None:
    """They can stand in annotations, alone, in unions and in generic types, and have dtype, name and module."""
    assert isinstance(sg.FloatTensor, type) and sg.FloatTensor | None == sg.FloatTensor | None
    assert repr(sg.LongTensor) == "<class 'specgrad.LongTensor'>" and sg.LongTensor.__module__ == "specgrad"
    assert sg.LongTensor.dtype is sg.int64 and not sg.LongTensor.is_cuda and sg.cuda.LongTensor.is_cuda
    assert repr(sg.cuda.HalfTensor) == "<class 'specgrad.cuda.HalfTensor'>"
    assert not isinstance(sg.zeros(1, device="cpu"), sg.cuda.FloatTensor)
    assert pickle.loads(pickle.dumps([sg.LongTensor, sg.cuda.LongTensor])) == [sg.LongTensor, sg.cuda.LongTensor]


@pytest.mark.cpu("the default device is the CPU")
def test_default_tensor_type() -> None:
    """The class, or its name, says which dtype tensors have that are made without one."""
    try:
        sg.set_default_tensor_type("torch.DoubleTensor")
        assert sg.get_default_dtype() is sg.float64 is sg.Tensor([1]).dtype is sg.tensor(1.5).dtype
    finally:
        sg.set_default_tensor_type(sg.FloatTensor)
    assert sg.get_default_dtype() is sg.float32
    for wrong in ("torch.LongTensor", sg.IntTensor, sg.float32, 3):
        with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
            sg.set_default_tensor_type(wrong)


def test_names_of_types() -> None:
    """Tensors by their class, all else by its own name or that of its type."""
    assert sg.typename(sg.LongTensor) == "specgrad.LongTensor" and sg.typename("a") == "str"
    assert (
        sg.typename(np.ones(1)) == "numpy.ndarray" and sg.typename(sg.nn.Linear) == "specgrad.nn.modules.linear.Linear"
    )


@pytest.mark.cpu("the default type is one of the CPU")
def test_the_class_of_tensors_is_the_default_type(lib: Any) -> None:
    """`x.type(Tensor)` converts to the default dtype."""
    assert (lib.arange(3) < 2).type(lib.Tensor).tolist() == [1.0, 1.0, 0.0]
    assert lib.arange(3).type(lib.Tensor).dtype is lib.float32
