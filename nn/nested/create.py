"""Making nested tensors: of lists, of packed elements, and of parts of plain tensors."""

from collections.abc import Sequence
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from ...runtime.namespace import op
from ...runtime.ops.creation.from_data import tensor
from ...runtime.tensor.memory_format import jagged, strided
from ...runtime.tensor.tensor import TensorBase
from .rules import to_padded_tensor as padded
from .tensor import NestedTensor, Ragged, pack


def nested_tensor(
    tensor_list: Sequence[Any],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> NestedTensor:
    """A nested tensor of copies of tensors, or of what `tensor` takes, that differ in one size at most.

    Args:
        tensor_list: the parts.
        dtype: of the elements; that of the first part when not given.
        layout: `jagged`, or `strided`, which is the same here.
        device: where the elements are.
        requires_grad: whether the nested tensor is a leaf that gets a gradient.
        pin_memory: whether the memory is pinned for copies to a device.

    Raises: RuntimeError: there are no parts, or they differ in several sizes.

    Example:
        >>> sg.nested.nested_tensor([sg.zeros(2, 3), sg.zeros(4, 3)], layout=sg.jagged).offsets()
        tensor([0, 2, 6])
    """
    _check_layout("nested_tensor", layout)
    parts = [_detached(part) for part in tensor_list]
    made = _concatenated("nested_tensor", parts, dtype, device)
    packed = made._packed.detach().clone()
    packed = packed.pin_memory() if pin_memory else packed
    return pack(packed._requiring_grad(requires_grad), made._ragged, made._ragged_dim)


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> NestedTensor:
    """A nested tensor of tensors, through which gradients pass to them.

    Args:
        ts: the parts: a list of tensors, or a tensor, whose rows are the parts.
        dtype, device: of the elements.
        layout: `jagged`, or `strided`, which is the same here.

    Example:
        >>> x = sg.ones(2, requires_grad=True)
        >>> sg.nested.as_nested_tensor([x, sg.ones(3)], layout=sg.jagged).sum().backward()
        >>> x.grad
        tensor([1., 1.])
    """
    _check_layout("as_nested_tensor", layout)
    if isinstance(ts, NestedTensor):
        return ts
    if isinstance(ts, TensorBase):
        ts = list(op.unbind(ts))
    for part in ts:
        if not isinstance(part, TensorBase):
            raise ArgumentError(
                f"as_nested_tensor(): Expected first argument to be a list of tensors, not {type_name(part)}"
            )
    return _concatenated("as_nested_tensor", list(ts), dtype, device)


def _detached(part: Any) -> Any:
    return part.detach() if isinstance(part, TensorBase) else tensor(part)  # type: ignore[attr-defined]


def _check_layout(name: str, layout: Any) -> None:
    if layout not in (None, jagged, strided):
        raise RuntimeError(f"{name}(): Specified layout is unsupported for nested tensors: {layout}")


def _concatenated(name: str, parts: list[Any], dtype: Any, device: Any) -> NestedTensor:
    if not parts:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    if not parts[0].ndim:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    if len({part.ndim for part in parts}) > 1:
        raise RuntimeError("All Tensors given to nested_tensor must have the same dimension.")
    differing = [dim for dim in range(parts[0].ndim) if len({part.shape[dim] for part in parts}) > 1]
    if len(differing) > 1:
        shapes = ", ".join(str(list(part.shape)) for part in parts)
        raise RuntimeError(f"{name}(): parts may differ in one size, got shapes {shapes}")
    dim = differing[0] if differing else 0
    kind = parts[0].dtype if dtype is None else dtype
    moved = [part.to(device=parts[0].device if device is None else device, dtype=kind) for part in parts]
    return pack(op.cat(moved, dim), Ragged([part.shape[dim] for part in parts]), dim + 1)


def nested_tensor_from_jagged(
    values: Any,
    offsets: Any = None,
    lengths: Any = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> NestedTensor:
    """A nested tensor over elements that are there; gradients pass to them.

    Args:
        values: the elements.
        offsets: where each part begins, and where the last one ends.
        lengths: the lengths of parts; with `offsets` too, parts may have gaps between them.
        jagged_dim: the dimension of the nested tensor that parts differ in; 1 when not given.
        min_seqlen, max_seqlen: not looked at: lengths are known.

    Raises: RuntimeError: neither offsets nor lengths are given, or they do not fit the elements.

    Example:
        >>> x = sg.nested.nested_tensor_from_jagged(sg.arange(5), sg.tensor([0, 2, 5]))
        >>> x.unbind()
        (tensor([0, 1]), tensor([2, 3, 4]))
    """
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    dim = 1 if jagged_dim is None else jagged_dim
    ends: Any = offsets.tolist() if offsets is not None else None
    counts = lengths.tolist() if lengths is not None else [b - a for a, b in zip(ends, ends[1:], strict=False)]
    size = values.shape[dim - 1]
    if ends is None or all(b - a == n for a, b, n in zip(ends, ends[1:], counts, strict=False)):
        if sum(counts) != size or min(counts, default=0) < 0 or (ends is not None and ends[0] != 0):
            raise RuntimeError(f"nested_tensor_from_jagged(): parts of {counts} do not make up {size} elements")
        return pack(values, Ragged(counts), dim)
    parts = [values.narrow(dim - 1, start, count) for start, count in zip(ends, counts, strict=False)]
    return pack(op.cat(parts, dim - 1), Ragged(counts), dim)


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout: Any = strided) -> NestedTensor:
    """Of each row of a tensor some elements, as copies: from `start` on `length` of them.

    Args:
        tensor: the rows.
        dim: the dimension to take elements of: 1.
        start, length: a number, or one for each row.
        layout: `jagged`, or `strided`, which is the same here.

    Raises: RuntimeError: `dim` is not 1, or there are no such elements.

    Example:
        >>> sg.nested.narrow(sg.arange(6).view(2, 3), 1, 0, sg.tensor([1, 3]), layout=sg.jagged).unbind()
        (tensor([0]), tensor([3, 4, 5]))
    """
    _check_layout("narrow", layout)
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    count = tensor.shape[0]
    starts, lengths = _numbers(start, count), _numbers(length, count)
    rows = [row.narrow(0, *each) for row, each in zip(tensor, zip(starts, lengths, strict=True), strict=True)]
    return _concatenated_rows(rows, lengths)


def _numbers(value: Any, count: int) -> list[int]:
    return value.tolist() if isinstance(value, TensorBase) else [value] * count  # type: ignore[attr-defined]


def masked_select(tensor: Any, mask: Any) -> NestedTensor:
    """Of each row of a tensor the elements where a mask is true.

    Args:
        tensor: the rows.
        mask: true where an element is taken.

    Example:
        >>> sg.nested.masked_select(sg.eye(2), sg.tensor([[True, False], [True, True]])).unbind()
        (tensor([1.]), tensor([0., 1.]))
    """
    if tensor.layout is not strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    rows, masks = op.broadcast_to(tensor, mask.shape), op.broadcast_to(mask, tensor.shape)
    lengths = masks.sum(dim=list(range(1, masks.ndim))).tolist()
    return _concatenated_rows([row[chosen] for row, chosen in zip(rows, masks, strict=True)], lengths)


def _concatenated_rows(rows: list[Any], lengths: list[int]) -> NestedTensor:
    return pack(op.cat(rows, 0), Ragged(lengths), 1)


def to_padded_tensor(input: Any, padding: float, output_size: Sequence[int] | None = None, out: Any = None) -> Any:
    """One tensor of all parts, with a number behind the elements of shorter ones.

    Args:
        input: the nested tensor.
        padding: the number.
        output_size: the sizes of the result; when not given, as large as the longest part needs.
        out: takes the result.

    Example:
        >>> sg.nested.to_padded_tensor(sg.nested.nested_tensor([[1.0], [2.0, 3.0]], layout=sg.jagged), 0.0)
        tensor([[1., 0.],
                [2., 3.]])
    """
    if not isinstance(input, NestedTensor):
        raise ArgumentError(f"to_padded_tensor(): expected a nested tensor, but got {type_name(input)}")
    result = padded(input, padding, output_size)
    return result if out is None else out.resize_(result.shape).copy_(result)
