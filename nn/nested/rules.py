"""The ops that have a rule of their own, each by the op's name: those that move dimensions, and layers."""

from collections.abc import Sequence
from typing import Any

from ...runtime.namespace import op
from ...runtime.shapes import Size
from .. import functional as F
from .operands import first_nested, nested_in, pointwise, repacked
from .tensor import NestedSize, NestedTensor, pack


def size(self: NestedTensor, dim: int | None = None) -> Any:
    return tuple.__new__(Size, self._sizes) if dim is None else self._sizes[dim]


def dim(self: NestedTensor) -> int:
    return len(self._sizes)


ndimension = dim


def numel(self: NestedTensor) -> int:
    return int(self._packed.numel())


def is_contiguous(self: NestedTensor, memory_format: Any = None) -> bool:
    return self._ragged_dim == 1 and bool(self._packed.is_contiguous())


def unbind(input: NestedTensor, dim: int = 0) -> tuple[Any, ...]:
    if dim != 0:
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    return tuple(input.parts())


def getitem(x: NestedTensor, key: Any) -> Any:
    first, *others = key if isinstance(key, tuple) else (key,)
    if not isinstance(first, int):
        raise RuntimeError("slice(): not supported for NestedTensor on dim=0")
    part = x.parts()[first]
    return part[tuple(others)] if others else part


def select(input: NestedTensor, dim: int, index: int) -> Any:
    count, where = len(input._sizes), dim % len(input._sizes)
    if where == 0:
        return input.parts()[index]
    if where == input._ragged_dim or not -count <= dim < count:
        raise RuntimeError(f"select(): not supported for NestedTensor on dim={dim}")
    return pack(input._packed.select(where - 1, index), input._ragged, input._ragged_dim - (where < input._ragged_dim))


def transpose(input: NestedTensor, dim0: int, dim1: int) -> NestedTensor:
    order = list(range(len(input._sizes)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return permute(input, order)


swapaxes = swapdims = transpose


def permute(input: NestedTensor, *dims: Any) -> NestedTensor:
    value: Sequence[int] = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    order = [each % len(input._sizes) for each in value]
    if order[0] != 0:
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    return pack(input._packed.permute([each - 1 for each in order[1:]]), input._ragged, order.index(input._ragged_dim))


def unsqueeze(input: NestedTensor, dim: int) -> NestedTensor:
    where = dim % (len(input._sizes) + 1)
    if where == 0:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    return pack(input._packed.unsqueeze(where - 1), input._ragged, input._ragged_dim + (where <= input._ragged_dim))


def squeeze(input: NestedTensor, dim: int) -> NestedTensor:
    where = dim % len(input._sizes)
    if where in (0, input._ragged_dim):
        raise RuntimeError(f"squeeze(): not supported for NestedTensor on dim={dim}")
    packed = input._packed.squeeze(where - 1)
    gone = packed.ndim < input._packed.ndim and where < input._ragged_dim
    return pack(packed, input._ragged, input._ragged_dim - gone)


def unflatten(input: NestedTensor, dim: int, sizes: Any) -> NestedTensor:
    where = dim % len(input._sizes)
    if where in (0, input._ragged_dim):
        raise RuntimeError(f"unflatten(): not supported for NestedTensor on dim={dim}")
    added = (len(sizes) - 1) * (where < input._ragged_dim)
    return pack(input._packed.unflatten(where - 1, sizes), input._ragged, input._ragged_dim + added)


def flatten(input: NestedTensor, start_dim: int = 0, end_dim: int = -1) -> NestedTensor:
    first, last = start_dim % len(input._sizes), end_dim % len(input._sizes)
    if first == 0 or first <= input._ragged_dim <= last:
        raise RuntimeError("flatten(): not supported for NestedTensor on ragged dim")
    gone = (last - first) * (last < input._ragged_dim)
    return pack(input._packed.flatten(first - 1, last - 1), input._ragged, input._ragged_dim - gone)


def view(self: NestedTensor, *shape: Any) -> NestedTensor:
    """The elements of each part in another shape; the size that parts differ in is its own, or -1, in its old place."""
    sizes = list(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
    positions = [k for k, each in enumerate(sizes) if isinstance(each, NestedSize) or (k and each == -1)]
    if sizes[0] not in (-1, len(self._ragged)) or len(positions) != 1:
        raise RuntimeError(
            f"view(): expected {len(self._ragged)} parts and one size -1 or {self._ragged.size}, got {sizes}"
        )
    ragged, own = positions[0], self._packed.shape
    sizes[ragged] = self._ragged.starts[-1]
    inner = 1
    for each in sizes[1:ragged]:
        inner *= each
    outer = 1
    for each in own[: self._ragged_dim - 1]:
        outer *= each
    if inner != outer:
        raise RuntimeError("view(): sizes before the ragged dimension of a NestedTensor have to stay what they are")
    return pack(self._packed.reshape(sizes[1:]), self._ragged, ragged)


reshape = view


def expand(self: NestedTensor, *sizes: Any) -> NestedTensor:
    """Dimensions of size 1 as larger ones; the number of parts, and the size that they differ in, stay."""
    args = list(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)
    if len(args) != len(self._sizes) or args[0] not in (-1, len(self._ragged)):
        raise RuntimeError(
            f"expand(): expected {len(self._sizes)} sizes, the first of them {len(self._ragged)}, got {args}"
        )
    args[self._ragged_dim] = -1
    return repacked(self._packed.expand(args[1:]), self)


def cat(tensors: Sequence[Any], dim: int = 0) -> NestedTensor:
    first = first_nested(tensors)
    where = dim % len(first._sizes)
    if where in (0, first._ragged_dim) or len(nested_in(tensors)) < len(tensors):
        raise RuntimeError(f"cat(): not supported for NestedTensor on dim={dim}")
    if any(each._ragged is not first._ragged for each in tensors):
        raise RuntimeError("cat(): expected nested tensors with the same ragged size")
    return repacked(op.cat([each._packed for each in tensors], where - 1), first)


def where(condition: Any, input: Any, other: Any) -> NestedTensor:
    return pointwise(op.where, (condition, input, other), {})


def masked_fill(input: NestedTensor, mask: Any, value: Any) -> NestedTensor:
    return pointwise(op.masked_fill, (input, mask, value), {})


def linear(input: NestedTensor, weight: Any, bias: Any = None) -> NestedTensor:
    if input._ragged_dim == len(input._sizes) - 1:
        raise RuntimeError("linear(): the last dimension of a NestedTensor is ragged")
    return repacked(F.linear(input._packed, weight, bias), input)


def matmul(input: Any, other: Any) -> NestedTensor:
    like = first_nested((input, other))
    plain = not isinstance(other, NestedTensor) and other.ndim <= 2
    if plain and like._ragged_dim < len(like._sizes) - 1:
        return repacked(input._packed @ other, like)
    pairs = zip(_parts(input, like), _parts(other, like), strict=True)
    products = [one @ two for one, two in pairs]
    for ragged in range(1, len(like._sizes)):
        lengths = [product.shape[ragged - 1] for product in products]
        if (
            tuple(lengths) == like._ragged.lengths
            and len({p.shape[: ragged - 1] + p.shape[ragged:] for p in products}) == 1
        ):
            return pack(op.cat(products, ragged - 1), like._ragged, ragged)
    if len({product.shape for product in products}) > 1:
        raise RuntimeError("matmul(): products of these parts differ in several sizes")
    return op.stack(products)


bmm = matmul


def _parts(value: Any, like: NestedTensor) -> list[Any]:
    if isinstance(value, NestedTensor):
        return value.parts()
    return list(value) if value.ndim == len(like._sizes) else [value] * len(like._ragged)


def layer_norm(
    input: NestedTensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> NestedTensor:
    _last_dims("layer_norm", input, len(normalized_shape))
    return repacked(F.layer_norm(input._packed, normalized_shape, weight, bias, eps), input)


def rms_norm(input: NestedTensor, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> NestedTensor:
    _last_dims("rms_norm", input, len(normalized_shape))
    return repacked(F.rms_norm(input._packed, normalized_shape, weight, eps), input)


def _last_dims(name: str, input: NestedTensor, count: int) -> None:
    if len(input._sizes) - count <= input._ragged_dim:
        raise RuntimeError(f"{name}(): not supported for NestedTensor over its ragged dimension")


def softmax(input: NestedTensor, dim: int, _stacklevel: int = 3, dtype: Any = None) -> NestedTensor:
    where, options = dim % len(input._sizes), {} if dtype is None else {"dtype": dtype}
    if where == 0:
        raise RuntimeError("softmax(): not supported for NestedTensor on dim=0")
    if where != input._ragged_dim:
        return repacked(op.softmax(input._packed, where - 1, **options), input)
    parts = [op.softmax(part, where - 1, **options) for part in input.parts()]
    return repacked(op.cat(parts, where - 1), input)


def embedding(input: NestedTensor, weight: Any, *args: Any, **kwargs: Any) -> NestedTensor:
    return repacked(F.embedding(input._packed, weight, *args, **kwargs), input)


def scaled_dot_product_attention(query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> NestedTensor:
    """Attention within each part: of (heads, length, features), where the length is ragged."""
    if args or kwargs.get("attn_mask") is not None:
        raise NotImplementedError("scaled_dot_product_attention(): nested tensors take no attn_mask")
    zipped = zip(query.parts(), key.parts(), value.parts(), strict=True)
    return repacked(
        op.cat([F.scaled_dot_product_attention(*each, **kwargs) for each in zipped], query._ragged_dim - 1), query
    )


def to_padded_tensor(
    self: NestedTensor, padding: float, output_size: Sequence[int] | None = None, mask: Any = None
) -> Any:
    longest = max(self._ragged.lengths)
    dim = self._ragged_dim - 1
    if output_size is not None:
        if output_size[self._ragged_dim] < longest:
            raise RuntimeError(f"Value in output_size is less than NestedTensor padded size. Needed {longest}")
        longest = output_size[self._ragged_dim]
    behind = [0, 0] * (self._packed.ndim - 1 - dim)
    pairs = zip(self.parts(), self._ragged.lengths, strict=True)
    return op.stack([F.pad(part, [*behind, 0, longest - length], value=padding) for part, length in pairs])
