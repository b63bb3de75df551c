"""Text of sparse tensors, laid out as PyTorch lays it out: indices and values, then what the numbers do not show."""

from typing import Any

from ...methods.printing import format_numbers, history_of, with_suffixes
from ...tensor.dtypes import bool_, get_default_dtype, int64
from ...tensor.memory_format import sparse_coo, sparse_csr
from ...tensor.tensor import host_array

INDENT = len("tensor(")


def to_repr(tensor: Any) -> str:
    pattern = tensor.pattern
    names = {sparse_coo: ("indices",), sparse_csr: ("crow_indices", "col_indices")}
    parts = [
        _part(name, index)
        for name, index in zip(names.get(pattern.layout, ("ccol_indices", "row_indices")), pattern.index, strict=True)
    ]
    text = "tensor(" + (",\n" + " " * INDENT).join([*parts, _part("values", tensor.elements)])
    return with_suffixes(text, _suffixes(tensor), INDENT, pattern.layout is sparse_coo)


def _part(name: str, tensor: Any) -> str:
    start = f"{name}=tensor("
    size = "" if tensor.numel() else f", size={tuple(tensor._shape)}"
    return f"{start}{format_numbers(host_array(tensor), INDENT + len(start))}{size})"


def _suffixes(tensor: Any) -> list[str]:
    matches = [f"size={tuple(tensor._shape)}", f"nnz={tensor.pattern.count}"]
    if tensor.device.type != "cpu":
        matches.insert(0, f"device='{tensor.device}'")
    default = get_default_dtype()
    if tensor.dtype not in (default, int64, bool_, default.to_complex()):
        matches.append(f"dtype={tensor.dtype}")
    return [*matches, f"layout={tensor.layout}", *history_of(tensor)]
