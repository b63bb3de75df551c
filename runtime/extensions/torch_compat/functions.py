"""Methods of tensors that are functions too, and older functions that programs still call.

Of `Variable` programs older than PyTorch 0.4 ask for gradients. Functions that PyTorch has removed say what to call in
their place. Libraries also call some whose names begin with `_`.
"""

import builtins
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from ...dispatch import argument_checks
from ...errors import type_name, warn_user
from ...namespace import op
from ...ops.creation import empty
from ...ops.creation.from_data import tensor
from ...ops.creation.options import written
from ...ops.creation.ranges import arange
from ...tensor.dtypes import get_default_dtype, int64
from ...tensor.tensor import TensorBase
from ..storage import legacy_constructors


def _conj(input: Any) -> Any:
    return op.conj(argument_checks.tensor("_conj", "input", input))


def _neg_view(input: Any) -> Any:
    return op._neg_view(argument_checks.tensor("_neg_view", "input", input))


def _of_tensor(name: str, what: str) -> Callable[[Any], Any]:
    """The method of a name as a function; `what` says what it gives."""

    def function(input: Any) -> Any:
        return getattr(argument_checks.tensor(name, "input", input), name)()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}\n\nArgs:\n    input: the tensor.\n"
    return function


detach = _of_tensor("detach", "The tensor outside of the graph: `input.detach()`.")
detach_ = _of_tensor("detach_", "Take a tensor out of the graph: `input.detach_()`.")
get_device = _of_tensor("get_device", "The index of the CUDA device that a tensor lies on; -1 on the CPU.")
is_inference = _of_tensor("is_inference", "Whether a tensor was made in `inference_mode`: `input.is_inference()`.")
is_distributed = _of_tensor("is_distributed", "Whether a tensor is spread over processes: never.")
is_signed = _of_tensor("is_signed", "Whether the dtype of a tensor has negative numbers.")


def fill(input: Any, value: Any) -> Any:
    """A tensor like another, all of whose elements are a value, through which its gradient goes.

    Args:
        input: the tensor to be like.
        value: a number, or a tensor without dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.fill(sg.zeros(2), 3)
        tensor([3., 3.])
    """
    return argument_checks.tensor("fill", "input", input).clone().fill_(value)


def resize_as_(input: Any, the_template: Any) -> Any:
    """Give a tensor the sizes of another: `input.resize_as_(the_template)`.

    Args:
        input: the tensor.
        the_template: the other.
    """
    return argument_checks.tensor("resize_as_", "input", input).resize_as_(the_template)


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norms of a tensor's slices along a dimension, with the other dimensions kept as ones.

    Args:
        v: the tensor.
        pow: which norm.
        dim: the dimension; -1 for one norm of all.

    Example:
        >>> import specgrad as sg
        >>> sg.norm_except_dim(sg.ones(2, 4), 2, 0)
        tensor([[2.],
                [2.]])
    """
    if dim == -1:
        return op.norm(argument_checks.tensor("norm_except_dim", "v", v), pow)
    others = [d for d in builtins.range(v.dim()) if d != dim]
    return op.norm(v, pow, others, True) if others else v.abs()


def typename(obj: Any, /) -> str:
    """The name of an object's class with its module; of a class its own; of a tensor `specgrad.FloatTensor`.

    Args:
        obj: the object.

    Example:
        >>> import specgrad as sg
        >>> sg.typename(sg.ones(1)), sg.typename(3)
        ('specgrad.FloatTensor', 'int')
    """
    if isinstance(obj, TensorBase):
        return legacy_constructors.type_of(obj)
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    return named.__qualname__ if module in ("", "builtins") else f"{module}.{named.__qualname__}"


def range(
    start: Any, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, device: Any = None, **kwargs: Any
) -> Any:
    """The numbers from `start` to `end`, which is one of them: deprecated, for Python's range ends before.

    Args:
        start: the first; 0 where only one number is given.
        end: the last.
        step: the distance.
        out: a tensor to write to.
        dtype: floats by default.
        device: where the tensor is made.
        **kwargs: `requires_grad` and others, as of `arange`.

    Raises:
        RuntimeError: the step is 0 or leads away.

    Example:
        >>> import warnings, specgrad as sg
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     sg.range(1, 3)
        tensor([1., 2., 3.])
    """
    if out is not None:
        return written(partial(range, start, end, step), out, dtype, kwargs.get("requires_grad"), reshaped=True)
    warn_user(
        "specgrad.range is deprecated and will be removed in a future release because its behavior is inconsistent "
        "with Python's range builtin. Instead, use specgrad.arange, which produces values in [start, end)."
    )
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and larger bound inconsistent with step sign")
    count = math.floor((end - start) / step) + 1
    result = arange(count, dtype=dtype or get_default_dtype(), device=device) * step + start
    return result._requiring_grad() if kwargs.get("requires_grad") else result


class _AllTensors(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TensorBase)


class Variable(metaclass=_AllTensors):
    """A leaf of the graph over the memory of a tensor. The result is a Tensor, and every tensor counts as a Variable.

    Args:
        data: the tensor; an empty one when left out.
        requires_grad: whether gradients are computed for it.
        volatile: has no effect; use `no_grad`.

    Raises:
        TypeError: `data` is not a Tensor.
        RuntimeError: gradients are required but `data` is neither floating-point nor complex.

    Example:
        >>> import specgrad as sg
        >>> sg.autograd.Variable(sg.ones(2), requires_grad=True)
        tensor([1., 1.], requires_grad=True)
        >>> isinstance(sg.ones(2), sg.autograd.Variable)
        True
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if data is None:
            data = empty(0)
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        if volatile:
            warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        source: Any = data
        return source.detach()._requiring_grad(bool(requires_grad))


def _removed(name: str, instead: str) -> Callable[..., NoReturn]:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"This function was deprecated since version 1.9 and is now removed. {instead}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Removed: {instead}"
    return function


solve = _removed("solve", "X = torch.solve(B, A).solution should be replaced with: X = torch.linalg.solve(A, B)")
lstsq = _removed("lstsq", "X, _ = torch.lstsq(B, A) should be replaced with: X = torch.linalg.lstsq(A, B).solution")
eig = _removed("eig", "L, V = torch.eig(A, eigenvectors=True) should be replaced with: L, V = torch.linalg.eig(A)")
symeig = _removed(
    "symeig",
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with: "
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",
)
matrix_rank = _removed(
    "matrix_rank",
    "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'.",
)


def _assert_async(input: Any, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raise an error where a tensor of one element is zero; it is looked at at once, also on a device."""
    if not bool(argument_checks.tensor("_assert_async", "input", input)):
        raise RuntimeError(assert_msg)


def _shape_as_tensor(input: Any) -> Any:
    """The sizes of a tensor as a tensor of int64."""
    return tensor(list(argument_checks.tensor("_shape_as_tensor", "input", input)._shape), dtype=int64)


def _convert_indices_from_coo_to_csr(input: Any, size: int, *, out_int32: bool = False) -> Any:
    """Where each row begins, of the rows of elements in order."""
    starts = op.searchsorted(input, op.arange(size + 1, device=input.device, dtype=input.dtype))
    return starts.int() if out_int32 else starts


def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False
) -> Any:
    """The row and the column of each element, of where each row begins."""
    count = crow_indices.shape[0] - 1
    rows = op.repeat_interleave(op.arange(count, device=col_indices.device), crow_indices.diff())
    pair = (col_indices.to(rows.dtype), rows) if transpose else (rows, col_indices.to(rows.dtype))
    result = op.stack(pair)
    return result.int() if out_int32 else result


Grouped = dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]]


def group_tensors_by_device_and_dtype(tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False) -> Grouped:
    """Lists of tensors that belong together, cut into those of each device and dtype.

    Args:
        tensorlistlist: lists of one length; the first decides where the tensors of all of them go.
        with_indices: whether the places in these lists are wanted.

    Returns:
        For each device and dtype the lists, and the places.

    Raises:
        TypeError: there are no lists.

    Example:
        >>> import specgrad as sg
        >>> found = group_tensors_by_device_and_dtype([[sg.ones(1), sg.ones(1).double(), sg.zeros(1)]], True)
        >>> [(dtype, places) for (_, dtype), (_, places) in found.items()]
        [(specgrad.float32, [0, 2]), (specgrad.float64, [1])]
    """
    if not isinstance(tensorlistlist, list | tuple) or not all(isinstance(row, list | tuple) for row in tensorlistlist):
        raise TypeError("_group_tensors_by_device_and_dtype(): expected a list of lists of tensors")
    groups: Grouped = {}
    for position, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = next(one for one in row if one is not None)
        lists, positions = groups.setdefault((first.device, first.dtype), ([[] for _ in row], []))
        for result, one in zip(lists, row, strict=True):
            result.append(one)
        if with_indices:
            positions.append(position)
    return groups


def foreach_devices() -> list[str]:
    """The kinds of devices on which PyTorch prefers ops of several tensors."""
    return ["cuda", "xpu", "mtia"]


def fused_devices() -> list[str]:
    """The kinds of devices that have optimizers of one kernel."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def device_has_foreach(device: Any) -> bool:
    """Whether ops of several tensors are preferred on a device."""
    return device.type in (*foreach_devices(), "cpu")


def has_foreach(tensors: Sequence[Any], device: Any) -> bool:
    """Whether ops of several tensors take these."""
    return device_has_foreach(device) and all(tensor is None or hasattr(tensor, "dtype") for tensor in tensors)
