"""`python -m specgrad.as_torch`: a program run with specgrad in the place of torch."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from io import open_code
from types import ModuleType

from .active import as_torch

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
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
    elif rest[0] == "-c":
        sys.argv = ["-c", *rest[2:]]
        sys.path[0] = ""
        exec(compile(rest[1], "<string>", "exec"), _main_module().__dict__)
    else:
        sys.argv = rest
        _run_script(rest[0])
    return 0


def _run_script(path: str) -> None:
    """Run a file as `python path` does: its folder comes first where modules are looked for."""
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
