"""Sees that rendered files can be imported: each is Python, and no module gives one name two meanings.

The checks of a spec should have found whatever is wrong here. This is what stands between a hole in them and a package
that breaks where it is imported.
"""

from __future__ import annotations

import dis
import re
import types
import warnings
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ..spec.model import Entry, Problem, Where

DEFINITION = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
FAMILIES = ("ops", "functions")  # packages of which each module is one of a family
FileLine = tuple[str, int]  # a file and its line


class NotPython(Exception):
    """Rendered files that cannot be written, with the entries that make them so."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def check_python(files: Mapping[str, str], owners: Mapping[str, Entry], spec: str) -> None:
    """See that the files are Python; `owners` are the entries of functions, classes and modules by name.

    Raises:
        NotPython: some are not.
    """
    problems = []
    for name, text in files.items():
        if name.endswith((".py", ".pyi")):
            for line, message in _faults(name, text):
                entry = owners.get(_nearest(text, line)) or owners.get(PurePosixPath(name).stem)
                where, op = (entry.where, entry.name) if entry else (Where(spec, 1, 1), "")
                problems.append(Problem(where, op, "", f"the generated {name} would be no Python: {message}"))
    for name, first, other in _duplicate_modules(files):
        entry = owners[name]
        problems.append(Problem(entry.where, entry.name, "", f"both {first} and {other} would define '{name}'"))
    if problems:
        raise NotPython(problems)


def _duplicate_modules(files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Functions of ops/ and classes of functions/ that two of their modules define: the package offers one of them."""
    op_libraries: dict[str, str] = {}
    for file, text in files.items():
        if PurePosixPath(file).parent.name in FAMILIES and file.endswith(".py"):
            for name in DEFINITION.findall(text):
                if op_libraries.setdefault(name, file) != file:
                    yield name, op_libraries[name], file


def _faults(name: str, text: str) -> Iterator[tuple[int, str]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nor anything that Python warns of, as of `x is 1`
            module = compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        yield 1, str(error) or type(error).__name__
    else:
        if name.endswith(".py"):  # a stub names overloads again and again
            yield from _second_meanings(module)


def _second_meanings(module: types.CodeType) -> Iterator[tuple[int, str]]:
    """Names that a module binds twice, read off its code: there no syntax tree has to be made."""
    bound: set[str] = set()
    line = 1
    for instruction in dis.get_instructions(module):
        line = getattr(instruction, "line_number", instruction.starts_line) or line
        if instruction.opname == "STORE_NAME":
            if instruction.argval in bound:
                yield line, f"'{instruction.argval}' would have two meanings"
            bound.add(instruction.argval)


def _nearest(text: str, line: int) -> str:
    """The function or class that begins last before the end of a line."""
    end = len("".join(text.splitlines(keepends=True)[:line]))
    matches = [match for match in DEFINITION.finditer(text) if match.start() < end]
    return matches[-1][1] if matches else ""
