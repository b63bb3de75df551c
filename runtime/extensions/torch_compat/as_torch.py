"""`as_torch`: from here on, for a block or for a program (`python -m specgrad.as_torch`), `import torch` means
specgrad.
"""

import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import find_spec
from io import open_code
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from ...namespace import known
from .version import TorchVersion

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


_ROOMS = {"nn.optim": "optim", "nn.data": "utils.data"}  # whose modules PyTorch keeps elsewhere
_CHILDREN = str(Path(str(sys.modules[OWN].__file__)).parent / "torch_for_children")


class StandIn:
    """What `as_torch` gives: used by `with`, it ends with the block; otherwise it lasts as long as the program.

    Blocks may lie in one another; the last one to end takes everything back.
    """

    def __enter__(self) -> ModuleType:
        return sys.modules[OWN]

    def __exit__(self, *_: object) -> None:
        _state.leave()


class _State:
    def __init__(self) -> None:
        self._depth = 0
        self._finder = Finder()
        self._version = ""
        self._modules: dict[type, str] = {}

    def enter(self) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        package = sys.modules[OWN]
        self._version, package.__version__ = package.__version__, TorchVersion(VERSION)  # type: ignore[attr-defined]
        spaces = [module for name, module in sys.modules.items() if name == OWN or name.startswith(f"{OWN}.nn.")]
        values = [value for space in spaces for value in list(vars(space).values()) if isinstance(value, type)]
        self._modules = {cls: cls.__module__ for cls in values if _has_public_module(cls)}
        for cls, module in self._modules.items():
            _resolve_annotations(cls)
            cls.__module__ = _public_module(module)
        package.__name__ = known.name = NAME
        sys.meta_path.insert(0, self._finder)

    def leave(self) -> None:
        self._depth -= 1
        if self._depth:
            return
        sys.meta_path.remove(self._finder)
        for name in [*filter(is_pytorchs, sys.modules)]:
            del sys.modules[name]
        package = sys.modules[OWN]
        package.__name__, package.__version__ = OWN, self._version  # type: ignore[attr-defined]
        known.name = OWN
        for cls, module in self._modules.items():
            cls.__module__ = module


_state = _State()


def as_torch(*, children: bool = False) -> StandIn:
    """Make `import torch` mean specgrad, with all that lies below it.

    `torch.X.Y` is the module `specgrad.X.Y`, the same object, so `isinstance` sees no difference; it is loaded when a
    program imports it. `torch.__version__` and `importlib.metadata.version("torch")` say 2.13.0+specgrad: the version
    of PyTorch whose API this is. The module and classes say that they are torch's, as some libraries ask them.

    Used by `with`, it ends with the block. Modules that were imported meanwhile keep what they imported.

    Args:
        children: whether Python processes that this one starts find specgrad under the name as well, by PYTHONPATH,
            which stays so. `python -m specgrad.as_torch` asks for it.

    Raises:
        RuntimeError: PyTorch itself has been imported; two libraries cannot have one name.

    Example:
        >>> import specgrad
        >>> with specgrad.as_torch():
        ...     import torch
        ...     import torch.nn.functional as F
        ...     print(F.relu(torch.tensor([-1.0, 2.0])), torch is specgrad)
        tensor([0., 2.]) True
    """
    there = sys.modules.get(NAME)
    is_for_children = str(getattr(there, "__file__", "")).startswith(_CHILDREN)
    if there is not None and there is not sys.modules[OWN] and not is_for_children:
        raise RuntimeError(
            f"as_torch(): {NAME} itself has been imported already (from {getattr(there, '__file__', 'somewhere')}): "
            "call as_torch() before anything imports it"
        )
    _state.enter()
    if children:
        _tell_children()
    return StandIn()


def _tell_children() -> None:
    """New processes look along PYTHONPATH before all that is installed, those of multiprocessing along our sys.path."""
    if _CHILDREN not in sys.path:
        sys.path.insert(1, _CHILDREN)
    package_dir = str(Path(str(sys.modules[OWN].__file__)).parent.parent)
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [_CHILDREN, *(p for p in known if p not in ("", _CHILDREN, package_dir)), package_dir]
    )


def _resolve_annotations(cls: type) -> None:
    """Make objects of a class's annotations, as `typing.get_type_hints` looks names up in the module that it names."""
    own, names = vars(cls).get("__annotations__", {}), vars(sys.modules[cls.__module__])
    for name, attribute in own.items():
        if isinstance(attribute, str):
            with suppress(NameError):  # of what is imported for type checkers alone
                own[name] = eval(attribute, names, dict(vars(cls)))


def _has_public_module(cls: Any) -> bool:
    if not cls.__module__.startswith(OWN + "."):
        return False
    package_dir = own_name(_public_module(cls.__module__))
    return exists(package_dir) and getattr(module_of(package_dir), cls.__name__, None) is cls


def _public_module(module: str) -> str:
    short = module.removeprefix(OWN + ".")
    if not short.startswith("nn."):
        return NAME
    for package_prefix, public in _ROOMS.items():
        if short == package_prefix or short.startswith(package_prefix + "."):
            return f"{NAME}.{public}{short.removeprefix(package_prefix)}"
    return f"{NAME}.{short}"


USAGE = """usage: python -m specgrad.as_torch SCRIPT [ARGUMENT ...]
       python -m specgrad.as_torch -m MODULE [ARGUMENT ...]
       python -m specgrad.as_torch -c CODE [ARGUMENT ...]

Runs a program that was written for PyTorch: `import torch`, and every module below it, means specgrad, also in Python
processes that the program starts."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the program ends as it would end by itself.

    Args:
        arguments: those of the command line, which are read where none are given.
    """
    rest = list(sys.argv[1:] if arguments is None else arguments)
    if rest[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    needed = 2 if rest[:1] in (["-m"], ["-c"]) else 1
    if len(rest) < needed or (needed == 1 and rest[0].startswith("-")):
        print(USAGE, file=sys.stderr)
        return 2
    as_torch(children=True)
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path[0] = os.getcwd()
        top, _, below = rest[1].partition(".")
        module = f"{OWN}.{below}" if top == NAME and below else rest[1]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif rest[0] == "-c":
        sys.argv = ["-c", *rest[2:]]
        sys.path[0] = ""
        exec(compile(rest[1], "<string>", "exec"), _main_module().__dict__)
    else:
        if not os.path.exists(rest[0]):
            print(f"{OWN}.as_torch: there is no file {rest[0]!r}", file=sys.stderr)
            return 2
        sys.argv = rest
        _run_script(rest[0])
    return 0


def _run_script(path: str) -> None:
    if os.path.isdir(path) or not path.endswith((".py", ".pyw")):
        runpy.run_path(path, run_name="__main__")  # a folder or an archive with a `__main__`, or any other file
        return
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    with open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    module = _main_module()
    module.__file__ = path
    module.__loader__ = SourceFileLoader("__main__", path)
    exec(code, module.__dict__)


def _main_module() -> ModuleType:
    """A new `__main__`: what a program defines is pickled by this name, and lives as long as the process."""
    module = ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    return module
