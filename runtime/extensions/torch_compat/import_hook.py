"""Finding `torch.X.Y`: it is the module `specgrad.X.Y`, the same object, loaded when it is first imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

OWN = __name__.rpartition(".runtime.")[0]
NAME = "torch"
BESIDE = "functorch"  # a package that comes with PyTorch
VERSION = "2.13.0+specgrad"  # of PyTorch, whose API this is, and who answers for it
_METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: specgrad, which stands in for PyTorch
"""


def own_name(name: str) -> str:
    return OWN + (f".{name}" if name.partition(".")[0] == BESIDE else name.removeprefix(NAME))


def is_pytorchs(name: str) -> bool:
    return name.partition(".")[0] in (NAME, BESIDE)


class _SameModule(Loader):
    """Gives the module of another name, which stays what it is under its own."""

    def __init__(self, module: str) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = module_of(self._module)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put that of the other name there


class _Described(Distribution):
    def read_text(self, filename: str) -> str | None:
        return {"METADATA": _METADATA, "top_level.txt": f"{NAME}\n"}.get(str(filename))

    def locate_file(self, path: str | PathLike[str]) -> Any:
        return Path(str(sys.modules[OWN].__file__)).parent.parent / path


class Finder(DistributionFinder):
    """Finds torch and all below it, and says of both where specgrad has none."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module of PyTorch's that specgrad has; None for what is not PyTorch's.
        ModuleNotFoundError: an import names a module of PyTorch's that specgrad does not have.
        """
        if not is_pytorchs(fullname):
            return None
        name = own_name(fullname)
        if not exists(name):
            if not _is_spec_query():
                raise ModuleNotFoundError(
                    f"No module named {fullname!r}: {OWN}, which stands in for {NAME} here, has no {name!r}",
                    name=fullname,
                )
            return None
        spec = ModuleSpec(fullname, _SameModule(name), origin=OWN)
        own = sys.modules.get(name)
        spec.submodule_search_locations = list(getattr(own, "__path__", ())) or None
        return spec

    def find_distributions(self, context: DistributionFinder.Context = DistributionFinder.Context()) -> Iterator[Any]:  # noqa: B008
        return iter([_Described()] if context.name is None or context.name.lower() == NAME else [])


def exists(name: str) -> bool:
    """Whether specgrad has the module: a file, or a module that another one offers under this name."""
    if name in sys.modules:
        return True
    parent, _, last = name.rpartition(".")
    if not parent or not exists(parent):
        return False
    module = module_of(parent)
    if hasattr(module, "__path__") and find_spec(name) is not None:
        return True
    return isinstance(vars(module).get(last), ModuleType)  # not what is loaded when it is named, by this name


def module_of(name: str) -> ModuleType:
    parent, _, last = name.rpartition(".")
    if name in sys.modules or not parent or find_spec(name) is not None:
        return import_module(name)
    value = getattr(module_of(parent), last)
    assert isinstance(value, ModuleType)
    return value


def _is_spec_query() -> bool:
    """Whether `importlib.util.find_spec` asks, which has None for an answer, and no import."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") == "importlib.util"
