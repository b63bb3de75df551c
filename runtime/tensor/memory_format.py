"""Names of memory layouts, for programs that pass them: every tensor here is strided, in the order of its strides."""

from __future__ import annotations

from .package_name import known


class Named:
    """A constant that is known by its name, alone and after pickling."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"{known.name}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(Named):
    """The storage layout of a tensor: `specgrad.strided` is the only one.

    Args:
        name: as in `specgrad.strided`.
    """


class memory_format(Named):
    """The order of dimensions in memory that a copy is asked to have; a request without effect.

    Args:
        name: as in `specgrad.channels_last`.
    """


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
