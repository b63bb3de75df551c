"""What is loaded when it is first named: files with PyTorch's names, and functions that few programs ask for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from .later_names import LATER
from .runtime.unknown_names import no_attribute
from .torch_names import homes

MODULES = "_C", "_utils", "as_torch", "cuda", "hub", "multiprocessing", "onnx", "return_types", "storage", "types"
FAMILIES = {"_foreach_": "runtime.ops.numeric.foreach"}  # by what names begin with: a module whose `named` has them all
_NO_FAMILIES: Mapping[str, str] = {}
NAMES = {name: home for home, names in homes(LATER).items() for name in names}


def home(name: str) -> ModuleType:
    """A module that has names of others; its functions explain their errors from their annotations."""
    from .runtime.methods.argument_guard import guard_module  # loaded when the package is

    module = import_module(name)
    guard_module(name)
    return module


def published(module: str, name: str, value: Any) -> Any:
    """What stands for a name of a module: a function written by hand explains its errors, whatever its home lists."""
    from .runtime.methods.argument_guard import guarded

    return guarded(value, module, name)


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
            return published(package, name, getattr(home(f"{top}.{names[name]}"), name))
        if name in modules:
            return home(f"{package}.{name}")
        for prefix, module_name in families.items():
            if name.startswith(prefix):
                return published(package, name, home(f"{top}.{module_name}").named(name))
        raise no_attribute(package, name)

    return find


def listing(package: str, *names: str) -> Callable[[], list[str]]:
    """The `__dir__` of a package: what it has, and what is loaded when it is first named.

    Args:
        package: its name.
        *names: the latter.
    """
    return lambda: sorted({*vars(sys.modules[package]), *names})
