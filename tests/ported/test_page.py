"""The page of programs: rows of some that were run again, in the place of theirs, and counts of all."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "examples" / "ported" / "page.py"
pytestmark = pytest.mark.cpu("runs no op")


def _page() -> Any:
    spec = importlib.util.spec_from_file_location("ported_page", PAGE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _result(name: str, result: str, beside: float | None) -> Any:
    theirs = None if beside is None else SimpleNamespace(seconds=beside)
    return SimpleNamespace(
        name=name, version="1", what="w", result=result, specgrad=SimpleNamespace(seconds=2.0), torch=theirs
    )


def test_rows_are_added_and_replaced(tmp_path: Path) -> None:
    """Others stay in their order, what was written of suites too, and the counts are of all rows."""
    page, path = _page(), tmp_path / "ported.md"
    page.write_page([_result("a", "same", 1.0), _result("b", "stops: x|y", 1.0), _result("c", "runs", None)], path)
    path.write_text(path.read_text() + page.SUITES + "the suites\n")
    assert "1 of the 2 that run on PyTorch" in path.read_text() and "1 more were run" in path.read_text()
    page.add_to_page([_result("b", "same", 3.0), _result("d", "stops on PyTorch: no", 1.0)], path)
    text = path.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0] for row in rows] == ["| a", "| b", "| c", "| d"]
    assert rows[1] == "| b | 1 | w | same | 2.0 | 3.0 |"
    assert "2 of the 2 that run on PyTorch" in text and text.endswith("the suites\n")
