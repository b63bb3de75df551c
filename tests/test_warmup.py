"""`python -m specgrad.warmup` fills the cache: what was warmed up is not compiled again."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT

SCRIPT = """
import sys
import specgrad as torch

if __name__ == "__main__":
    x = torch.ones(5, dtype=getattr(torch, sys.argv[1]), requires_grad=True)
    (x.hypot(x * 2) * x).sum().backward()
    with torch.no_grad():
        x.mul_(3)
    sys.exit()
"""


def warmup(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a cache of its own."""
    command = [sys.executable, "-m", "specgrad.warmup", *arguments]
    environment = {**os.environ, "SPECGRAD_CACHE_DIR": str(cache)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def compiled(done: subprocess.CompletedProcess[str]) -> int:
    """How many kernels the command says that it compiled."""
    assert done.returncode == 0, done.stderr
    found = re.search(r"^(\d+) kernels compiled in [\d.]+ s$", done.stdout, re.MULTILINE)
    assert found, done.stdout
    return int(found[1])


def test_named_ops_are_compiled_once(tmp_path: Path) -> None:
    """A script that uses the ops in the dtype that was named finds every kernel; in another one it does not."""
    script = tmp_path / "train.py"
    script.write_text(SCRIPT, encoding="utf-8")
    cache = tmp_path / "cache"
    ops = ["hypot", "mul", "sum", "--dtypes", "float64"]
    assert compiled(warmup(cache, *ops)) > 4
    assert compiled(warmup(cache, *ops)) == 0
    assert compiled(warmup(cache, "--script", str(script), "float64")) == 0
    assert compiled(warmup(cache, "--script", str(script), "float32")) > 0
    assert compiled(warmup(cache, "--script", str(script), "float32")) == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["rleu"], "no op named 'rleu' (did you mean 'relu'?)"),
        (["relu", "--dtypes", "float31"], "invalid choice: 'float31'"),
        (["--script"], "expected ops, or --script with the path of a script"),
        (["relu", "--script", "train.py"], "expected ops, or --script with the path of a script"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: list[str], message: str) -> None:
    """What is not known is named, with exit status 2."""
    done = warmup(tmp_path, *arguments)
    assert done.returncode == 2 and message in done.stderr


def test_a_failing_script_fails(tmp_path: Path) -> None:
    """The script's error and exit status are the command's."""
    script = tmp_path / "broken.py"
    script.write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    assert warmup(tmp_path, "--script", str(script)).returncode == 3
