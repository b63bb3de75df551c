"""Names of layouts and of memory formats: a tensor is strided, in the order of its strides, or sparse."""

from __future__ import annotations


class Named:
    """A constant that is known by its name, alone and after pickling."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"specgrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(Named):
    """How the elements of a tensor are kept: `specgrad.strided`, `specgrad.sparse_coo`, `specgrad.sparse_csr`, ...

    Args:
        name: as in `specgrad.strided`.
    """


class memory_format(Named):
    """The order of dimensions in memory that a copy is asked to have; a request without effect.

    Args:
        name: as in `specgrad.channels_last`.
    """


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
