"""Puts the modules of `torch_names.py` into `sys.modules`; a name of one is found when it is first asked for.

The import system looks there after it has imported the package, so that statements, `import_module` and pickles find
them, and importing specgrad loads nothing for them. They are packages: what else lies below one is in a folder of its
name, where there is one.
"""

import sys
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from .later import home, published
from .runtime.unknown_names import no_attribute
from .torch_names import BORROWERS, NAMES
from .unavailable import SETTINGS, WHY, named

_PACKAGE = __name__.rpartition(".")[0]
_PYTHON = "python."  # homes that are modules of Python's
_UNLISTED = ("distributed",)  # `import *` of it brings none of its modules: one has the name nn


def attach(package: str) -> None:
    """Make the modules of the table that lie in a package of files its attributes, where it has none of the name.

    Args:
        package: its `__name__`.
    """
    inside = vars(sys.modules[package])
    for name in _below(package.removeprefix(f"{_PACKAGE}.")):
        inside.setdefault(name, sys.modules[f"{package}.{name}"])


def _made(name: str) -> ModuleType:
    full = f"{_PACKAGE}.{name}"
    module = ModuleType(full, f"PyTorch's `torch.{name}`: names of modules that `specgrad/torch_names.py` lists.")
    module.__spec__ = ModuleSpec(full, None, is_package=True)
    module.__package__, module.__path__ = full, [str(Path(__file__).parent.joinpath(*name.split(".")))]
    vars(module).update(SETTINGS.get(name, {}), __getattr__=partial(_pending, name), __dir__=partial(_names, name))
    return module


def _pending(module: str, name: str) -> Any:
    full = f"{_PACKAGE}.{module}"
    if name == "__all__":
        return _public(module)
    value = vars(sys.modules[full])[name] = published(full, name, _cached(module, full, name))
    return value


def _cached(module: str, full: str, name: str) -> Any:
    """What a name stands for: one of the entry, one that is not here, a module below, or one that a home answers.
    AttributeError: nothing.
    """
    if name in (homes := _homes(module)):
        module_name, there = homes[name]
        return getattr(_home(module_name), there)
    if name.startswith("__"):  # Python asks for these, also while it walks over all modules: nothing is imported
        raise no_attribute(full, name)
    from .generated.registry import BY_NAME

    if function := BY_NAME.placed(module, name):
        return function
    if f"{module}.{name}" in WHY:
        return named(f"{module}.{name}")
    if f"{full}.{name}" in sys.modules:
        return sys.modules[f"{full}.{name}"]
    for find in _finders(module, full):
        try:
            return find(name)
        except AttributeError:
            continue
    raise no_attribute(full, name)


@cache
def _homes(module: str) -> dict[str, tuple[str, str]]:
    entries = [(module_name, *word.partition("=")[::2]) for module_name, word in _listed(module)]
    return {name: (module_name, there or name) for module_name, name, there in entries if name.isidentifier()}


def _finders(module: str, full: str) -> Iterator[Any]:
    """Functions that find a name or raise an AttributeError, for homes that offer more than an entry lists."""
    for module_name in _integral(module):
        yield partial(getattr, _home(module_name))
    for module_name, name in _listed(module):
        if name.endswith("()"):
            yield getattr(_home(module_name), name.removesuffix("()"))
    if module in BORROWERS:
        from .nn.modules.torch_imports import borrowed

        yield borrowed(full, module.rpartition(".")[0])


def _integral(module: str) -> list[str]:
    return [module_name for module_name, name in _listed(module) if name == "*"]


@cache
def _listed(module: str) -> list[tuple[str, str]]:
    parts = [entry.partition(":") for entry in NAMES[module]]
    return [(module_name, word) for module_name, _, names in parts for word in names.split()]


def _home(name: str) -> ModuleType:
    if name.startswith(_PYTHON):
        return import_module(name.removeprefix(_PYTHON))
    return home(f"{_PACKAGE}.{name}".removesuffix("."))


def _below(module: str) -> list[str]:
    return [name.rpartition(".")[2] for name in NAMES if name.rpartition(".")[0] == module]


def _own(module: str) -> list[str]:
    absent = [name.rpartition(".")[2] for name in WHY if name.rpartition(".")[0] == module]
    return [*_homes(module), *absent, *SETTINGS.get(module, ())]


def _public(module: str) -> list[str]:
    """The `__all__` of a module: what the entry names and homes list, and what lies in it if it has no such home."""
    own, whole = _own(module), _integral(module)
    listed = sum(
        (getattr(module_name, "__all__", []) for module_name in map(_home, whole)),
        [] if whole or module in _UNLISTED else _below(module),
    )
    handed_on = {name for name, value in SETTINGS.get(module, {}).items() if isinstance(value, ModuleType)}
    return sorted({name for name in own + listed if not name.startswith("_")} - handed_on)


def _names(module: str) -> list[str]:
    own = {*vars(sys.modules[f"{_PACKAGE}.{module}"]), *_own(module), *_below(module)}
    return sorted(own.union(*(dir(_home(module_name)) for module_name in _integral(module))))


for _name in NAMES:
    _module = sys.modules[f"{_PACKAGE}.{_name}"] = _made(_name)
    if "." not in _name:
        vars(sys.modules[_PACKAGE])[_name] = _module
