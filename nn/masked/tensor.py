"""MaskedTensor: numbers with a mask that is true where one counts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import ArgumentError, type_name
from ...runtime.namespace import op
from ...runtime.tensor.dtypes import bool_
from ...runtime.tensor.overrides import DisableTorchFunctionSubclass
from ...runtime.tensor.tensor import TensorBase
from ..docstrings import completed_from


class MaskedTensor(Tensor):
    """Numbers with a mask: element-wise ops keep it, reductions look at what it keeps, views have both.

    Args:
        data: the numbers.
        mask: bools of the same shape, true where a number counts.
        requires_grad: whether the tensor is a leaf that gets a gradient.

    Raises:
        TypeError: the data is no plain tensor, or the mask has no bools.
        ValueError: data and mask have different shapes.

    Example:
        >>> x = sg.masked.MaskedTensor(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([True, False, True]))
        >>> x.sum().to_tensor(0), (x + 1).to_tensor(0)
        (tensor(4.), tensor([2., 0., 4.]))
    """

    _data: Any
    _mask: Any

    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
        check(data, mask)
        return made(data.detach().requires_grad_(requires_grad), mask)

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        pass  # all is done where it is made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        answer: Any = import_module(f"{__package__}.dispatch").answer  # which knows this class
        return answer(func, args, kwargs or {})

    def get_data(self) -> Any:
        """The numbers, those that do not count too."""
        return self._data

    def get_mask(self) -> Any:
        """The mask."""
        return self._mask

    def to_tensor(self, value: Any) -> Any:
        """A plain tensor with `value` where no number counts."""
        return self._data.masked_fill(~self._mask, value)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        with DisableTorchFunctionSubclass():
            shown = lines(self._data.tolist(), self._mask.tolist(), "  ")
        if self._data.ndim == 0:
            return f"MaskedTensor({shown}, {bool(self._mask)})"
        return f"MaskedTensor(\n{shown}\n)"


def made(data: Any, mask: Any) -> MaskedTensor:
    """The masked tensor of these numbers and bools."""
    with DisableTorchFunctionSubclass():
        result = data.detach().as_subclass(MaskedTensor)
    result.__dict__.update(_data=data, _mask=mask)
    return result


def check(data: Any, mask: Any) -> None:
    if not isinstance(data, TensorBase) or isinstance(data, MaskedTensor):
        raise ArgumentError("data must be a Tensor")
    if not isinstance(mask, TensorBase) or isinstance(mask, MaskedTensor):
        raise ArgumentError(f"mask must be a Tensor, not {type_name(mask)}")
    if mask.dtype is not bool_:
        raise ArgumentError("mask must have dtype bool.")
    if data.ndim != mask.ndim:
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def lines(data: Any, mask: Any, indent: str) -> str:
    if not isinstance(data, list):
        text = f"{data:8.4f}" if isinstance(data, float) else str(data)
        return text if mask else "      --"
    if not data or not isinstance(data[0], list):
        return f"{indent}[{', '.join(lines(x, m, '') for x, m in zip(data, mask, strict=True))}]"
    inner = ",\n".join(lines(x, m, f"{indent}  ") for x, m in zip(data, mask, strict=True))
    return f"{indent}[\n{inner}\n{indent}]"


@completed_from(MaskedTensor)
def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A masked tensor of copies of numbers and bools.

    Args:
        requires_grad: whether the masked tensor is a leaf that gets a gradient, which is masked too.

    Example:
        >>> sg.masked.masked_tensor(sg.tensor([1.0, 2.0]), sg.tensor([True, False]))
        MaskedTensor(
          [  1.0000,       --]
        )
    """
    check(data, mask)
    return made(data.detach().clone().requires_grad_(requires_grad), mask.clone())


@completed_from(MaskedTensor)
def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """A masked tensor of numbers that are there; gradients pass to those that count, and zeros to the others.

    Example:
        >>> x = sg.tensor([4.0, -1.0], requires_grad=True)
        >>> sg.masked.as_masked_tensor(x, x > 0).sqrt().sum().to_tensor(0).backward()
        >>> x.grad
        tensor([0.2500, 0.0000])
    """
    check(data, mask)
    return made(op.where(mask, data, data.detach()) if data.requires_grad else data, mask)


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a masked tensor.

    Args:
        obj: what is asked about.

    Example:
        >>> sg.masked.is_masked_tensor(sg.ones(2))
        False
    """
    return isinstance(obj, MaskedTensor)
