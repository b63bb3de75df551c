"""Sparse tensors in pickles: PyTorch's names for them, over tensors of indices and values."""

from __future__ import annotations

from typing import Any

from ..tensor import memory_format
from ..tensor.base import TensorBase
from ..tensor.memory_format import layout, sparse_coo, sparse_csc, sparse_csr
from .archive import Damage
from .pickle_reader import Named

REBUILD, LAYOUT = ("torch._utils", "_rebuild_sparse_tensor"), ("torch.serialization", "_get_layout")
_READ = (sparse_coo, sparse_csr, sparse_csc)


def described(tensor: Any) -> tuple[str, tuple[Any, ...]]:
    """The name of a sparse tensor's layout, and what it is made of, in the order that files have."""
    pattern, values = tensor.pattern, tensor._values()
    rest = (pattern.is_coalesced,) if pattern.layout is sparse_coo else ()
    return f"torch.{pattern.layout.name}", (*pattern.index, values, tensor.shape, *rest)


def _layout(name: Any) -> layout:
    result = getattr(memory_format, name.removeprefix("torch."), None) if isinstance(name, str) else None
    if not isinstance(result, layout):
        raise Damage("a sparse tensor has no layout")
    return result


def _sparse(kind: Any, content: Any) -> Any:
    """A sparse tensor, whose indices are checked as all are that a program gives."""
    from ..representations.sparse.create import sparse_compressed_tensor, sparse_coo_tensor

    count = 2 if kind is sparse_coo else 3
    if kind not in _READ or type(content) is not tuple or not count < len(content) <= 4:
        raise Damage("a sparse tensor is not made of indices, values and a size")
    tensors = content[:count]
    if not all(isinstance(t, TensorBase) and t.layout is memory_format.strided for t in tensors):  # type: ignore[attr-defined]
        raise Damage("a sparse tensor has indices or values that are no tensors")
    size: Any = content[count]
    try:
        if kind is sparse_coo:
            is_coalesced = bool(content[3]) if len(content) == 4 else None
            return sparse_coo_tensor(tensors[0], tensors[1], size, is_coalesced=is_coalesced)
        return sparse_compressed_tensor(tensors[0], tensors[1], tensors[2], size, layout=kind)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise Damage(f"a sparse tensor has parts that do not go together: {error}") from None


_SPARSE_FUNCTIONS = {".".join(REBUILD): Named(_sparse, _sparse), ".".join(LAYOUT): Named(_layout, _layout)}


def find_sparse_name(full: str) -> Named | None:
    """What one of PyTorch's names for sparse tensors stands for; None for others."""
    return _SPARSE_FUNCTIONS.get(full)
