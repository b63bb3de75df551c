"""Extensions in C++ and CUDA: they are compiled against PyTorch's headers, which are not here."""

from __future__ import annotations

from typing import Any

_MESSAGE = (
    "specgrad.utils.cpp_extension.{}: extensions in C++ or CUDA need PyTorch's headers and libraries, which specgrad "
    "does not have; an op of your own is an entry of a spec (docs/adding-an-op.md) or a specgrad.autograd.Function"
)


class BuildExtension:
    """The command of setuptools by which extensions are compiled: refused.

    Raises:
        RuntimeError: one is made.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(_MESSAGE.format("BuildExtension"))

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """The class itself, whatever the `options`: setup scripts name it before they build."""
        return cls
