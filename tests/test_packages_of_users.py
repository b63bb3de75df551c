"""The packages of examples/ whose ops are their own: proved, tested, built, installed elsewhere, and trained with."""

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
from tests.repository import ROOT

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
PACKAGES = {  # what `verify` counts, and what the wheel holds besides the modules
    "activation_ops": ("11 ops, ", {"activation_ops.yaml", "generated/pictures/serf.svg"}),
    "physics_ops": ("5 ops, ", {"physics_ops.yaml", "generated/pictures/bent.svg"}),
    "norm_ops": ("2 ops, ", {"norm_ops.yaml", "generated/kernels/programs/cuda_gained_rms.py"}),
    "row_ops": ("3 ops, ", {"row_ops.yaml", "kernels.py"}),
}
PROVED = ("activation_ops", "norm_ops")  # by the other commands too: one of expressions, one of row programs


def run(folder: Path, *command: str | Path, python: str | Path = sys.executable) -> str:
    """What a Python program prints that finds specgrad here."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    done = subprocess.run([python, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A second environment, for all packages: its interpreter, and where packages are put that it finds."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(run(folder, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", python=python).strip())
    requirements = [path for path in sys.path if Path(path).name == "site-packages"]
    pth_encoding = "utf-8" if sys.version_info >= (3, 13) else "locale"  # as `site` reads it
    (site / "requirements.pth").write_text("\n".join(requirements), encoding=pth_encoding)
    return python, site


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package(name: str, elsewhere: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that its README promises, from the spec to a program in an environment that has its wheel alone.

    One test for each package: what a step makes is what the next one takes.
    """
    count, held = PACKAGES[name]
    folder, spec = tmp_path / name, f"src/{name}/{name}.yaml"
    ignored = shutil.ignore_patterns("generated", "__pycache__", "dist", "build")
    shutil.copytree(ROOT / "examples" / name, folder, ignore=ignored)
    assert main([str(folder / spec)]) == 0
    shown = capsys.readouterr().out
    assert count in shown and " 0 wrong, " in shown
    if name in PROVED:
        assert main([str(folder / spec), "--check"]) == 0
        assert main(["pictures", "--check", "--spec", str(folder / spec)]) == 0
        assert main(["prove", "--spec", str(folder / spec)]) == 0
        assert " 0 wrong" in capsys.readouterr().out
    seen = "not formulas and not fresh"  # which generating has checked
    run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", seen, "tests")
    python, site = elsewhere
    wheel = run(folder, "-c", BUILD, str(tmp_path)).split()[-1]
    zipfile.ZipFile(tmp_path / wheel).extractall(site)  # a wheel of plain Python is installed so
    assert run(tmp_path, folder / "train.py", python=python).startswith("loss ")
    where = run(tmp_path, "-c", f"import {name}; print({name}.__file__)", python=python).strip()
    assert Path(where) == site / name / "__init__.py"
    found = {path.relative_to(site / name).as_posix() for path in (site / name).rglob("*.*")}
    assert {"py.typed", "generated/ops/__init__.pyi", "generated/registry.jsonl", *held} <= found


def test_commands_take_a_spec_in_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`explain` and `verify` say of it what they say of specgrad's own spec."""
    folder = tmp_path / "physics_ops"
    ignored = shutil.ignore_patterns("generated", "__pycache__")
    shutil.copytree(ROOT / "examples" / "physics_ops" / "src" / "physics_ops", folder, ignore=ignored)
    spec = str(folder / "physics_ops.yaml")
    assert main([spec, "--no-verify"]) == 0
    assert main(["explain", "heat_step", "--spec", spec]) == 0
    shown = capsys.readouterr().out
    assert "by the kernel heat_step (physics_ops/kernels.py:" in shown and "(physics_ops/checks.py:" in shown
    assert main(["verify", "roughness", "--spec", spec]) == 0


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
