"""What a check rejects, and what a function writes in place, is what decorators say; names say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.library.op_library import Library, OpLibrary, runtime_library
from specgrad.runtime.dispatch.argument_checks import REJECTABLE, rejects

CHECKS = """\
from specgrad.runtime.dispatch.argument_checks import rejects


@rejects("bools")
def plain(op, self):
    return (self,)


def numeric_sum(op, self):
    return (self,)
"""


def test_the_decorator_is_read(tmp_path: Path) -> None:
    """Of a package's checks, which are not imported; a name that once meant the same means nothing."""
    (tmp_path / "checks.py").write_text(CHECKS, encoding="utf-8")
    library = Library((OpLibrary(tmp_path, "", relative=True, label="own"),))
    assert {part.name: part.rejects for part in library.parts["check"].values()} == {
        "plain": "bools",
        "numeric_sum": "",
    }


def test_the_runtime_says_words_that_there_are() -> None:
    """Each of them somewhere."""
    message = {part.rejects for part in Library((runtime_library(),)).parts["check"].values()}
    assert message == {"", *REJECTABLE}


WRITERS = """\
from specgrad.runtime.kernels.declarations import writes


@writes("spun")
def spun_into(out, dim): ...


def turned_(out, dim): ...
"""


def test_functions_that_write_in_place_are_found(tmp_path: Path) -> None:
    """By the function whose result they write, whatever their own name is."""
    (tmp_path / "kernels.py").write_text(WRITERS, encoding="utf-8")
    library = Library((OpLibrary(tmp_path, "", relative=True, label="own"),))
    assert {key: part.name for key, part in library.writers.items()} == {("kernel", "spun"): "spun_into"}


def test_another_word_is_an_error() -> None:
    """When the module is imported; else the function is given back as it is."""
    assert rejects("bools")(len) is len
    with pytest.raises(ValueError, match="rejects\\(\\) takes one of 'bools', 'integers', .*, not 'floats'"):
        rejects("floats")
