"""Constructors of older programs: `Tensor(...)`, `LongTensor(...)`, and types by their names."""

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
    with pytest.raises(RuntimeError, match=r"LongTensor\(\): expected a Tensor of specgrad.int64"):
        sg.LongTensor(sg.ones(1))


def test_isinstance_asks_for_the_dtype() -> None:
    """`isinstance(x, FloatTensor)` is true for tensors of float32 only."""
    assert isinstance(sg.ones(1), sg.FloatTensor)
    assert not isinstance(sg.ones(1), sg.LongTensor) and not isinstance(1.0, sg.FloatTensor)


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
