"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _modules_with_examples() -> list[str]:
    files = [path for folder in ("runtime", "nn", "generated") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = [path.relative_to(ROOT).with_suffix("").parts for path in files if ">>> " in path.read_text()]
    return [".".join(["specgrad", *name]).removesuffix(".__init__") for name in names]


@pytest.mark.parametrize("name", _modules_with_examples())
def test_examples_of_docstrings(name: str) -> None:
    """The module's examples give the output that they show."""
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert tried > 0
    assert failed == 0
