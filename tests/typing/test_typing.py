"""Type checkers, and the editors built on them: nothing is found in right programs, each mistake in wrong ones."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repository import ROOT

pytestmark = pytest.mark.cpu("nothing is computed")
HERE = Path(__file__).parent
MODULES = """
nn nn.functional nn.init nn.utils optim optim.lr_scheduler utils utils.data distributions autograd autograd.functional
linalg fft special func amp cuda backends random profiler sparse jit overrides
"""
Found = dict[str, set[int]]  # lines with errors, by the name of a program


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two programs and one that uses every public name, where the package is installed as by `pip install -e`."""
    folder = tmp_path_factory.mktemp("programs")
    for name in ("ok.py", "bad.py"):
        (folder / name).write_text((HERE / name).read_text())
    (folder / "names.py").write_text(_names())
    packages = folder / "venv" / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    packages.mkdir(parents=True)
    (packages / "specgrad.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    (folder / "pyrightconfig.json").write_text(json.dumps({"venvPath": str(folder), "venv": "venv"}))
    return folder


def _names() -> str:
    """A line for each name that `__all__` of a module lists."""
    lines = []
    for module in ("", *MODULES.split()):
        full = f"specgrad.{module}".rstrip(".")
        names = importlib.import_module(full)
        lines += [f"import {full}", *(f"print({full}.{name})" for name in getattr(names, "__all__", dir(names)))]
    return "\n".join(lines)


def pyright(programs: Path) -> Found:
    """The lines that pyright has something to say of, warnings too."""
    command = [sys.executable, "-m", "pyright", "--outputjson", "ok.py", "bad.py", "names.py"]
    options = {"cwd": programs, "env": os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}}
    done = subprocess.run(command, capture_output=True, text=True, **options)
    found: Found = {}
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        if each.get("rule") != "reportUnusedExpression":
            print(each["file"], each["range"]["start"]["line"] + 1, each["message"])
            found.setdefault(Path(each["file"]).name, set()).add(each["range"]["start"]["line"] + 1)
    return found


def mypy(programs: Path) -> Found:
    """The lines in which mypy finds errors; what it knows of the package is kept from `make type`."""
    command = [sys.executable, "-m", "mypy", *(str(programs / name) for name in ("ok.py", "bad.py", "names.py"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    found: Found = {}
    for name, line in re.findall(r"(\w+\.py):(\d+): error:", done.stdout):
        found.setdefault(name, set()).add(int(line))
    return found


@pytest.mark.parametrize("checker", [pyright, mypy])
def test_programs(checker: Callable[[Path], Found], programs: Path) -> None:
    """What is marked as wrong is found, in the program in which it stands, and nothing else is."""
    lines = (programs / "bad.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# wrong: " in line}
    assert len(wrong) >= 30
    assert checker(programs) == {"bad.py": wrong}


def test_the_right_program_runs() -> None:
    """It is right at run time too."""
    subprocess.run([sys.executable, str(HERE / "ok.py")], cwd=ROOT, check=True)
