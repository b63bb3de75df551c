"""Everything public: the functions, classes, methods and properties that a user reaches from `specgrad`."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from types import FunctionType, ModuleType
from typing import Any

import specgrad
import specgrad.autograd.profiler  # loaded when they are first named, which is now
import specgrad.cuda
import specgrad.graph
import specgrad.masked
import specgrad.nn.modules
import specgrad.profiler
from specgrad import later
from specgrad.torch_names import NAMES

# What no package lists, and libraries import.
UNLISTED = (
    *("fx._compatibility", "fx._symbolic_trace", "fx.graph_module._CodeOnlyModule", "fx.graph_module._copy_attr"),
    *("optim.optimizer", "utils.data.datapipes"),
)


@dataclass(frozen=True)
class Public:
    """A function, class, method or property, under the name by which a user reaches it."""

    path: str
    object: Any
    kind: str

    @property
    def doc(self) -> str:
        own = inspect.getdoc(self.object) or ""  # of a property perhaps that of the one that it takes the place of
        start = inspect.getdoc(self.object.__init__) or "" if self.kind == "class" else ""
        return f"{own}\n\n{start}" if "Args:" in start else own

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters that a caller gives; what `*args` and `**kwargs` take has no name."""
        if self.kind == "property":
            return []
        function = self.object.__init__ if self.kind == "class" else self.object
        if not isinstance(function, FunctionType):
            return []
        parameters = list(inspect.signature(function).parameters.values())[self.kind != "function" :]
        named = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        return [name for name in named if not name.startswith("_")]

    @property
    def generated(self) -> bool:
        return getattr(self.object, "__module__", "").startswith("specgrad.generated")


def public_objects() -> list[Public]:
    """Each object once, under its shortest path."""
    load_all()
    seen: set[int] = set()
    result = list(walk("specgrad", specgrad, seen))
    for name in UNLISTED:
        result += walk(f"specgrad.{name}", reduce(getattr, name.split("."), specgrad), seen)
    return result


def load_all() -> None:
    """Load what is loaded when it is first named: else the result depends on what the program has used."""
    for info in pkgutil.iter_modules(specgrad.nn.modules.__path__, "specgrad.nn.modules."):
        importlib.import_module(info.name)
    packages = (specgrad.backends, specgrad.nn, specgrad.nn.functional, specgrad.nn.utils, specgrad.utils)
    listed = [*packages, specgrad.utils.checkpoint, *(importlib.import_module(f"specgrad.{name}") for name in NAMES)]
    for package, names in [(specgrad, (*later.MODULES, *later.NAMES)), *((each, each.__all__) for each in listed)]:
        for name in names:
            vars(package).setdefault(name, getattr(package, name))


def walk(path: str, value: Any, seen: set[int]) -> Iterator[Public]:
    """Everything public below a value, each object once."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    if id(value) in seen or not str(module).startswith("specgrad"):
        return
    seen.add(id(value))
    if isinstance(value, ModuleType):
        for name, member in members(value):
            yield from walk(f"{path}.{name}", member, seen)
    elif isinstance(value, type):
        yield Public(path, value, "class")
        yield from class_members(path, value, seen)
    elif callable(value):
        yield Public(path, value, "function")


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public names of a module: those in `__all__`, or without it those that it defines."""
    names = getattr(module, "__all__", None)
    # What several modules offer has the first path: functions come before modules. `nn` defines what PyTorch has in
    # `optim` and `utils.data`, so it comes last.
    for name, value in sorted(vars(module).items(), key=lambda item: depth(item[1])):
        own = getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
        if name in names if names is not None else own:
            yield name, value


def depth(value: Any) -> int:
    return 0 if not isinstance(value, ModuleType) else 2 if value is specgrad.nn else 1


def class_members(path: str, cls: type, seen: set[int]) -> Iterator[Public]:
    """The public methods and properties of a class and of its bases."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("specgrad")]
    for name, value in [item for base in bases for item in vars(base).items()]:
        value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if name.startswith("_") or id(value) in seen:
            continue
        if isinstance(value, property | FunctionType):
            seen.add(id(value))
            yield Public(f"{path}.{name}", value, "property" if isinstance(value, property) else "method")
