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

from specgrad.runtime.spec_lines import generated_package

from ..library.op_library import OpLibrary
from .calls.findings import Finding, Report
from .calls.interpreted import all_plain
from .checks.bounds import check_bounds, concerned
from .checks.errors_and_examples import check_example
from .checks.kernels import simulate
from .isolation import limit_memory, spoil
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
    """Facts on an op that is to be checked: where its entry stands, and whether hand-written kernels compute it."""

    location: str
    by_hand: bool


def known_ops(package: Package) -> dict[str, Known]:
    return {name: Known(op.where, concerned(op)) for name, op in registry(package).items()}


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
    from .isolation import damage, last_size

    gc.collect()  # arrays are looked at when they are freed
    gc.freeze()  # what is left are the compiler's tables, which the next collection need not walk through
    for how, count in damage().items():
        if count:
            text = f"{how}: {count} arrays, of {last_size()} bytes the last" if "outside" in how else f"{how}: {count}"
            spoil(f"{op.name}: memory is not as it should be")  # first: some reports end at their first finding
            report.add(Finding(op.where, op.name, "memory", text))
    return report


@functools.cache
def prepared(package: Package) -> dict[str, Any]:
    from .isolation import guard

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
    return {op.name: op for op in importlib.import_module(f"{name}.registry").OPS}


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
