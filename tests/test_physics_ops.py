"""examples/physics_ops: a package with kernels of its own is proved, built, installed elsewhere, and trained with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "physics_ops"
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


def run(folder: Path, *command: str | Path, python: str | Path = sys.executable) -> str:
    """What a Python program prints that finds specgrad here."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([python, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with its generated part, of which every formula has been proved."""
    folder = tmp_path_factory.mktemp("copy") / "physics_ops"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("generated", "__pycache__", "dist", "build"))
    shown = run(folder, "-m", "specgrad.codegen", "src/physics_ops/physics_ops.yaml")
    assert "5 ops, " in shown and " 0 wrong, " in shown and "wrote pictures/squareplus.svg" in shown
    return folder


def test_its_wheel_works_in_a_second_environment(package: Path, tmp_path: Path) -> None:
    """An interpreter that has only what the wheel holds, specgrad and its requirements learns conductivities."""
    name = run(package, "-c", BUILD, str(tmp_path)).split()[-1]
    venv.create(tmp_path / "env", symlinks=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(run(tmp_path, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", python=python).strip())
    requirements = [path for path in sys.path if Path(path).name == "site-packages"]
    (site / "requirements.pth").write_text("\n".join(requirements), encoding="utf-8")
    zipfile.ZipFile(tmp_path / name).extractall(site)  # a wheel of plain Python is installed so
    shown = run(tmp_path, package / "train.py", python=python)
    assert shown.startswith("loss ")
    where = run(tmp_path, "-c", "import physics_ops; print(physics_ops.__file__)", python=python).strip()
    assert Path(where) == site / "physics_ops" / "__init__.py"
    held = {path.relative_to(site / "physics_ops").as_posix() for path in (site / "physics_ops").rglob("*.*")}
    assert {"py.typed", "physics_ops.yaml", "generated/ops.pyi", "generated/pictures/bent.svg"} <= held


def test_its_own_tests_pass(package: Path) -> None:
    """Examples, freshness, values and errors, as the package itself tests them; its formulas were proved above."""
    run(package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not formulas", "tests")


def test_every_command_takes_its_spec(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`explain`, `verify`, `pictures` and `--check` say of it what they say of specgrad's own spec."""
    spec = str(package / "src" / "physics_ops" / "physics_ops.yaml")
    assert main([spec, "--check"]) == 0
    assert main(["explain", "heat_step", "--spec", spec]) == 0
    shown = capsys.readouterr().out
    assert "by the kernel heat_step (physics_ops/kernels.py)" in shown and "(physics_ops/checks.py)" in shown
    assert main(["verify", "roughness", "--spec", spec]) == 0
    assert main(["pictures", "--check", "--spec", spec]) == 0


def test_new_makes_a_package_that_is_ready(tmp_path: Path) -> None:
    """Its two ops are proved, its tests pass, and what is there is not overwritten."""
    shown = run(tmp_path, "-m", "specgrad.codegen", "new", "my_ops")
    assert "2 ops, " in shown and " 0 wrong, " in shown
    run(tmp_path / "my_ops", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("mine\n", encoding="utf-8")
    assert main(["new", "my_ops", str(tmp_path / "other")]) == 1
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["README.md"]


@pytest.mark.parametrize("name", ["my-ops", "specgrad", "json", "class"])
def test_a_name_that_a_package_cannot_have_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written for it."""
    assert main(["new", name, str(tmp_path / "new")]) == 1
    assert not (tmp_path / "new").exists()
