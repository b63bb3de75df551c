"""The plugin of `examples/ported/suites`: what becomes of each test of a suite is written down, one line each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[2] / "examples" / "ported" / "suites"
SUITE = """
import time
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2, "a\\tb"
def test_is_skipped(): pytest.skip("why")
def test_lasts():
    try:
        time.sleep(20)
    except Exception:
        pass
@pytest.fixture
def broken():
    yield
    raise ValueError("late")
def test_breaks_at_the_end(broken): pass
"""

pytestmark = pytest.mark.cpu("runs no op")


def outcomes(folder: Path, **variables: str) -> dict[str, list[str]]:
    """What the plugin writes of SUITE: name to outcome and message."""
    (folder / "test_suite.py").write_text(SUITE)
    notified = {
        "OUTCOMES": str(folder / "outcomes"),
        "SECONDS": "5",
        "PYTHONPATH": str(PLUGINS),
        "PYTEST_ADDOPTS": "",
        **variables,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "outcomes", "-p", "no:cacheprovider"]
    subprocess.run([*command, "test_suite.py"], cwd=folder, env={**os.environ, **notified}, capture_output=True)
    lines = (folder / "outcomes").read_text().splitlines()
    return {name.partition("::")[2]: rest for name, *rest in (line.split("\t") for line in lines)}


def test_each_test_has_one_line(tmp_path: Path) -> None:
    """Errors, skips, tests that last too long and those whose end fails have not passed, and their line says why."""
    found = outcomes(tmp_path)
    assert {name: outcome for name, (outcome, _) in found.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_is_skipped": "skipped",
        "test_lasts": "failed",
        "test_breaks_at_the_end": "failed",
    }
    assert "a b" in found["test_fails"][1] and "more than 5 s" in found["test_lasts"][1]
    assert "ValueError: late" in found["test_breaks_at_the_end"][1]


def test_some_tests_alone(tmp_path: Path) -> None:
    """ONLY names those that are to be run."""
    only = tmp_path / "only"
    only.write_text("test_suite.py::test_passes\n")
    assert list(outcomes(tmp_path, ONLY=str(only))) == ["test_passes"]
