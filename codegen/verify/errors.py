"""Classifies an exception of a check: the key of the entry that it comes from, and its message in one line."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from dis import opmap
from itertools import pairwise
from pathlib import PurePath
from types import CodeType
from typing import Any

from ..spec.model import legible
from .entries import has_key

RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])
LONGEST = 400  # letters of what an error says
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SAME = re.compile(r"Failed in \w+ mode pipeline|^During: |^File |^This error may|^>>> |^There are \d+ candidate|^\W*$")


def key_of(op: Any, error: BaseException) -> str:
    """The key of what the op's function called last: its check, or how it is computed; empty where neither raised."""
    name = op.function.__name__
    codes = [code for each in _chain(error) for code in _codes(each)]
    file = op.function.__code__.co_filename  # a mutant's has no place on disk
    own = [i for i, code in enumerate(codes) if code.co_name in (name, f"_{name}") and code.co_filename == file]
    behind = codes[own[-1] + 1 :] if own else []
    if not behind:
        return ""
    key = "check" if _is_rule(_file(behind[0])) else str(op.kind)
    return key if has_key(op, key) else ""


def _is_rule(file: PurePath) -> bool:
    """Whether a file has checks of arguments: the runtime's, or those of a package outside the tree."""
    return file.parent.name == "checks" or file.stem.partition("_")[0] == "checks"


PROPER = (IndexError, RuntimeError, TypeError, ValueError)  # what a wrong call raises


def is_refusal(error: BaseException) -> bool:
    """Whether a call was refused as it should be: on purpose, and before anything was computed."""
    return on_purpose(error) and not computes(error)


def is_proper(error: BaseException) -> bool:
    """Whether an error is of a class for wrong calls; Python's own for recursion is none."""
    return isinstance(error, PROPER) and not isinstance(error, RecursionError)


def on_purpose(error: BaseException) -> bool:
    """Whether somebody wrote `raise` for a wrong call, be it in a kernel, rather than that an operation failed."""
    if not is_proper(error):
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_code[last.tb_lasti] in RAISES


def computes(error: BaseException) -> bool:
    """Whether an error comes from a kernel: from a file or folder of kernels."""
    return any("kernels" in (*_file(code).parts, _file(code).stem) for each in _chain(error) for code in _codes(each))


def error_message(error: BaseException) -> str:
    return f"{type(error).__name__}: {legible(' '.join(_essence(error).split()), LONGEST)}"


def _essence(error: BaseException) -> str:
    """The message; of one of numba's, which have many lines: what has no meaning for which types, and where."""
    of_numba = next((each for each in _chain(error) if type(each).__module__.startswith("numba")), None)
    if of_numba is None:
        return str(error)
    lines = [line.strip() for line in COLOURS.sub("", str(of_numba)).splitlines()]
    call = next((line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")), "")
    wrong = f"no implementation of {call}" if call else next((line for line in lines if not SAME.search(line)), "")
    error_line = next((before for before, line in pairwise(lines) if line and not line.strip("^~ ")), "")
    return f"numba: {wrong}{f', in {error_line}' if error_line else ''}"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _codes(error: BaseException) -> list[CodeType]:
    return [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]


def _file(code: CodeType) -> PurePath:
    return PurePath(code.co_filename)
