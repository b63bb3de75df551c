"""Extensions in C++ and CUDA: they are compiled against PyTorch's headers, which are not here."""

from __future__ import annotations

from typing import Any

_MESSAGE = (
    "specgrad.utils.cpp_extension.{}: extensions in C++ or CUDA need PyTorch's headers and libraries, which specgrad "
    "does not have; an op of your own is an entry of a spec (docs/adding-an-op.md) or a specgrad.autograd.Function"
)


def _refused(name: str, doc: str) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(_MESSAGE.format(name))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{doc}\n\nArgs:\n    *args, **kwargs: as in PyTorch.\n\nRaises:\n    RuntimeError: always.\n"
    return call


load = _refused("load", "Compile and load an extension: refused.")
load_inline = _refused("load_inline", "Compile and load an extension from text: refused.")
include_paths = _refused("include_paths", "The folders of PyTorch's headers: refused.")
library_paths = _refused("library_paths", "The folders of PyTorch's libraries: refused.")
CppExtension = _refused("CppExtension", "An extension in C++ for setuptools: refused.")
CUDAExtension = _refused("CUDAExtension", "An extension in CUDA for setuptools: refused.")
SyclExtension = _refused("SyclExtension", "An extension in SYCL for setuptools: refused.")


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


def is_ninja_available() -> bool:
    """Whether extensions could be compiled by ninja: they cannot be compiled."""
    return False
