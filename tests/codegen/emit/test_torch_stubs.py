"""Stubs of modules that exist by name only: one for each entry of the tables, of what type checkers need to know."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.codegen.emit.torch_stubs import torch_stubs
from tests.repository import ROOT

TABLE = """
NAMES = {
    "data": ("nn.data:Sampler *", "nn.data.base:_private=plain old=plain"),
    "data.sampler": ("nn.data:Sampler", "python.typing:Any"),
    "sparse": ("runtime.sparse:mm named()",),
}
SETTINGS = {"sparse": {"enabled": True, "home": None, "names": ["none"]}}
BORROWERS = frozenset(("data.sampler",))
"""
ABSENT = """
def mark(): ...
def block(): ...
def absent(): ...
class Question: ...  # what takes no arguments
WHY = {"sparse.keep": (mark, "", 0), "sparse.DTensor": (absent, "", 1), "sparse.load": (RuntimeError, "", 2)}
"""
LATER = """
LATER = "nn.data: _first second"
def entries(text): return tuple(text.replace(": ", ":").split(";"))
"""


@pytest.fixture
def stubs(tmp_path: Path) -> dict[str, str]:
    """Those of a small table."""
    (tmp_path / "specgrad").mkdir()
    (tmp_path / "specgrad/torch_names.py").write_text(TABLE)
    (tmp_path / "specgrad/unavailable.py").write_text(ABSENT)
    (tmp_path / "specgrad/later_names.py").write_text(LATER)
    return torch_stubs(tmp_path / "specgrad/torch_names.py")


def test_a_file_for_each_entry(stubs: dict[str, str]) -> None:
    """A folder, so that an editor does not look for the module beside the stub; and one of what is loaded later."""
    names = ["data/__init__.pyi", "data/sampler/__init__.pyi", "sparse/__init__.pyi", "named_later.pyi"]
    assert [*stubs] == names
    written = torch_stubs(ROOT / "specgrad" / "torch_names.py")
    assert {str(path.relative_to(ROOT / "specgrad")) for path in (ROOT / "specgrad").rglob("*.pyi")} >= {*written}


def test_names(stubs: dict[str, str]) -> None:
    """A name of its own is offered by the import, another is given to what is imported; modules below are names too."""
    lines = stubs["data/__init__.pyi"].splitlines()
    assert "from specgrad.nn.data import Sampler as Sampler" in lines and "from specgrad.nn.data import *" in lines
    assert "from specgrad.nn.data.base import plain" in lines and "from . import sampler as sampler" in lines
    assert {"_private = plain", "old = plain"} <= {*lines}
    assert "from typing import Any as Any" in stubs["data/sampler/__init__.pyi"]


def test_names_that_no_entry_lists(stubs: dict[str, str]) -> None:
    """Where a home or a package answers them, a type checker asks for no more."""
    answers = [name for name, text in stubs.items() if "def __getattr__(name: str) -> Any: ..." in text]
    assert answers == ["data/sampler/__init__.pyi", "sparse/__init__.pyi"]


def test_private_names_that_are_loaded_later(stubs: dict[str, str]) -> None:
    """`import *` takes them too, into the package where they are found."""
    assert stubs["named_later.pyi"].splitlines()[-1] == "__all__ = ['_first', 'second']"


def test_settings_and_what_is_not_here(stubs: dict[str, str]) -> None:
    """Each has a type; a mark returns the type that it is given."""
    text = stubs["sparse/__init__.pyi"]
    assert "enabled: bool\nhome: str | None\nnames: list[str]\n" in text
    assert "def keep(fn: _Same, /) -> _Same: ..." in text and '_Same = TypeVar("_Same")' in text
    assert "class DTensor:\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ..." in text
    assert "def load(*args: Any, **kwargs: Any) -> NoReturn: ..." in text and "import NoReturn" in text
