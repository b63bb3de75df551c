"""Finding the compiled element-wise kernels of generated ops."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any

from . import rows
from .compile import building, cpu_library, rebuilt
from .loading import load_compiler
from .placewise import placewise


class ElementKernels:
    """The compiled kernels of one element-wise op: `forward`, `backward_3`, and `forward_complex`, `forward_rows`, ...

    An attribute is compiled when it is first asked for and is a plain attribute from then on.
    """

    def __init__(self, package: str, name: str) -> None:
        self.module = f"{package}.kernels.cpu.{name}"

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        module = importlib.import_module(self.module)
        with building:
            if attribute not in self.__dict__:  # no other thread has made it meanwhile
                setattr(self, attribute, self.compiled(module, attribute))
        return self.__dict__[attribute]

    def compiled(self, module: Any, attribute: str) -> Any:
        """A kernel of flat arrays, or the loop over rows around one."""
        if not attribute.endswith("_rows"):
            return _compiled(module, attribute)
        name = attribute.removesuffix("_rows")
        return _row_by_row(getattr(self, name), self.module, Path(module.__file__))

    def get(self, name: str, is_complex: bool) -> Any:
        """The kernel for real or for complex arrays."""
        return getattr(self, f"{name}_complex" if is_complex else name)


def _compiled(module: Any, attribute: str) -> Any:
    load_compiler()
    from numba import njit

    written = getattr(module, attribute.removesuffix("_complex"))
    library = cpu_library(attribute.endswith("_complex"))
    rows.register()
    function = rebuilt(written, library.used_by(written))
    function.__qualname__ += "-placewise"  # numba's cache looks at the name, not at the compiler
    return njit(cache=True, nogil=True, error_model="numpy", fastmath=False, pipeline_class=placewise())(function)


def _row_by_row(kernel: Any, module: str, path: Path) -> Any:
    """`over_rows` of a kernel, cached under a name that changes with the kernel's own and with its file."""
    from numba import njit

    rows.register()
    function = rebuilt(rows.over_rows, {"kernel": kernel})
    name = f"{module}.{kernel.py_func.__qualname__}"
    function.__qualname__ += f"-{name}-{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    return njit(cache=True, nogil=True, error_model="numpy", fastmath=False)(function)
