"""Tensors of more than 64 dimensions, which NumPy has not: PyTorch sets no limit."""

import io
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

import specgrad as sg

MANY = [1] * 70 + [2]
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + 1,
    "broadcast": lambda x: x + sg.ones(2),
    "exp": sg.exp,
    "compare": lambda x: x > 0,
    "where": lambda x: sg.where(x > 0, x, 0.0),
    "mixed dtypes": lambda x: x + x.double(),
    "half": lambda x: x.half() + x.half(),
    "to": lambda x: x.long(),
    "contiguous": lambda x: x.transpose(0, -1).contiguous().transpose(0, -1),
    "copy_": lambda x: sg.empty(MANY).copy_(x),
    "softmax": lambda x: x.softmax(-1),
    "cumsum": lambda x: x.cumsum(-1),
    "sort": lambda x: x.sort().values,
    "flip": lambda x: x.flip(-1),
    "keepdim": lambda x: x.sum(0, keepdim=True),
    "clone": lambda x: x.clone().mul_(2),
    "grad": lambda x: sg.autograd.grad((x.requires_grad_() * sg.arange(2.0)).exp().sum(), x)[0],
}


def many() -> Any:
    """[1, 2] in 71 dimensions."""
    return sg.tensor([1.0, 2.0]).reshape(MANY)


@pytest.mark.parametrize("name", ANSWERS)
def test_ops_are_those_of_two_dimensions(name: str) -> None:
    """The same numbers as without the dimensions of size 1."""
    result, expected = ANSWERS[name](many()), sg.tensor([[1.0, 2.0]])
    assert result.dim() == 71
    if name == "copy_":
        assert result.flatten().tolist() == [1.0, 2.0]
    else:
        assert result.flatten().tolist() == ANSWERS[name](expected).flatten().tolist()


def test_creation_and_reductions() -> None:
    """Shapes of 70 ones, and 70 times unsqueeze."""
    assert sg.ones([1] * 70).sum().item() == 1.0 and sg.zeros([1] * 200).dim() == 200
    x = reduce(lambda made, _: made.unsqueeze(0), range(70), sg.ones(2))
    assert x.dim() == 71 and (x + 1).sum().item() == 4.0 and x.sum(-1).shape == (1,) * 70
    assert (x.mean().item(), x.max().item(), x.norm().item()) == (1.0, 1.0, pytest.approx(2**0.5))
    assert x.expand([3, *MANY[1:]]).contiguous().numel() == 6
    assert sg.equal(x, x.clone()) and sg.allclose(x, x)


def test_reading() -> None:
    """Nested lists, text, files; NumPy says what it has not."""
    x = many()
    assert x.tolist() == reduce(lambda inner, _: [inner], range(70), [1.0, 2.0])
    assert repr(x).startswith("tensor([1., 2.],") and "size=(1, 1," in repr(x)
    file = io.BytesIO()
    sg.save(x, file)
    file.seek(0)
    assert sg.equal(sg.load(file), x)
    with pytest.raises(ValueError, match="at most 64 dimensions, but got 71"):
        x.numpy()
