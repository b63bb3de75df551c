"""The tasks of `verify`'s processes: the checks of one op, with guard words around arrays and a limit of memory."""

import functools
import gc
import importlib
import importlib.util
import os
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

from specgrad.runtime.compiler.jit import CHECKED
from specgrad.runtime.spec_lines import generated_package

from ..library.op_library import OpLibrary
from .calls.findings import Report
from .calls.interpreted import all_plain
from .checks.bounds import check_bounds, concerned
from .checks.errors_and_examples import check_example
from .checks.kernels import simulate
from .checks.memory import report_damage
from .guards import guard
from .isolation import limit_memory
from .op import verify_op

MEMORY = 6 << 30  # bytes that one op's checks may take, those of the compiler and of its threads included


class Package(NamedTuple):
    """A package to check: its import name, or the folder where it lies."""

    location: str
    spec: str = ""  # its spec, if that lies elsewhere than the package says
    op_library: str = ""  # the folder of the package that its hand-written parts are in, if there are any

    @classmethod
    def of(cls, root: Path, op_library: OpLibrary | None = None, spec: Path | None = None) -> "Package":
        own = str(op_library.folder) if op_library else ""
        return cls(str(root.resolve()), str(spec.resolve()) if spec else "", own)


class Known(NamedTuple):
    """Facts on an op: where its entry stands, whether hand-written kernels compute it, and why it is not checked."""

    location: str
    by_hand: bool
    unverified: str


def known_ops(package: Package) -> dict[str, Known]:
    ops = registry(package).items()
    return {name: Known(op.where, concerned(op), op.unverified) for name, op in ops if not op.derived_from}


def check_op(package: Package, name: str) -> Report:
    op = prepared(package)[name]
    report = verify_op(op)
    simulate(op, generated_package(op.function.__module__), report)
    with all_plain(op):  # the tests run examples by compiled kernels
        check_example(op, report)
    return guarded(op, report)


def check_op_bounds(package: Package, name: str) -> Report:
    op = prepared(package)[name]
    return guarded(op, check_bounds(op))


def guarded(op: Any, report: Report) -> Report:
    gc.collect()  # arrays are looked at when they are freed
    gc.freeze()  # what is left are the compiler's tables, which the next collection need not walk through
    report_damage(op, "some call", report)
    return report


@functools.cache
def prepared(package: Package) -> dict[str, Any]:
    ops = registry(package)
    guard()
    gc.collect()
    gc.freeze()
    limit_memory(MEMORY)
    return ops


def registry(package: Package) -> dict[str, Any]:
    importlib.import_module("specgrad")
    name = package.location
    if os.sep in name:
        name = import_folder(Path(name), package.spec, package.op_library)
    ops = {op.name: op for op in importlib.import_module(f"{name}.registry").OPS}
    if CHECKED and package.op_library:
        look_at_indices(Path(package.op_library))
    return ops


def look_at_indices(folder: Path) -> None:
    """Let the numba functions of a user's modules raise IndexError where they would leave an array, as ours do."""
    from numba.core.caching import NullCache
    from numba.core.dispatcher import Dispatcher

    own = [module for module in list(sys.modules.values()) if _is_in(folder, module)]
    kernels: list[Any] = [value for module in own for value in vars(module).values() if isinstance(value, Dispatcher)]
    for kernel in kernels:
        kernel.targetoptions["boundscheck"] = True
        kernel._cache = NullCache()  # which knows nothing of the option
        if kernel.overloads:
            kernel.recompile()


def _is_in(folder: Path, module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and folder in Path(file).parents


def import_folder(folder: Path, spec_file: str = "", op_library: str = "") -> str:
    name = f"{stand_in(Path(op_library))}.{folder.name}" if op_library else f"verified_{folder.name}"
    if name not in sys.modules:
        location = folder / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, location, submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        if spec_file:
            vars(sys.modules[name])["_spec_file"] = spec_file
    return name


def stand_in(op_library: Path) -> str:
    """The name of the package in a folder, of which modules can be imported from now on.

    Its own first lines are not run: they may want the generated package, which is not there yet. The name is the real
    one, for what is compiled is kept under it.
    """
    above = op_library.parent
    name = f"{stand_in(above)}.{op_library.name}" if (above / "__init__.py").is_file() else op_library.name
    if name not in sys.modules:
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__ = [str(op_library)]
    return name
