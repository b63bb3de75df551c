"""What is loaded when it is first named: files with PyTorch's names, and functions that few programs ask for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from .later_names import LATER
from .torch_names import homes

MODULES = "_C", "_utils", "as_torch", "cuda", "hub", "multiprocessing", "onnx", "return_types", "storage", "types"
FAMILIES = {"_foreach_": "runtime.ops.numeric.foreach"}  # by what names begin with: a module whose `named` has them all
_NO_FAMILIES: Mapping[str, str] = {}
NAMES = {name: home for home, names in homes(LATER).items() for name in names}


def finder(
    package: str, modules: tuple[str, ...], names: Mapping[str, str], families: Mapping[str, str] = _NO_FAMILIES
) -> Callable[[str], Any]:
    """The `__getattr__` of a package that loads some of what it offers when that is first named.

    Args:
        package: its name.
        modules: modules of the package.
        names: the modules, from the top of specgrad, that other names are found in.
        families: modules with a function `named`, by what the names that it answers begin with.
    """
    top = package.partition(".")[0]

    def find(name: str) -> Any:
        if name in names:
            return getattr(import_module(f".{names[name]}", top), name)
        if name in modules:
            return import_module(f".{name}", package)
        for prefix, module_name in families.items():
            if name.startswith(prefix):
                return import_module(f".{module_name}", top).named(name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def listing(package: str, *names: str) -> Callable[[], list[str]]:
    """The `__dir__` of a package: what it has, and what is loaded when it is first named.

    Args:
        package: its name.
        *names: the latter.
    """
    return lambda: sorted({*vars(sys.modules[package]), *names})
