"""`python -m codegen wheel`: a wheel for this platform and this Python, which carries machine code."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path

from specgrad.runtime.kernels.cache.store import PREBUILT, SUFFIX
from specgrad.runtime.kernels.cache.target import levels

from .compiling import ROOT, archive_of

SOURCES = ("codegen", "generated", "nn", "runtime", "specgrad", "tests/spec")
FILES = ("LICENSE", "MANIFEST.in", "README.md", "derivatives.yaml", "pyproject.toml")
CUBIN_FOLDER = PREBUILT.relative_to(PREBUILT.parents[3])
SETUP = """from setuptools import Distribution, setup

setup(distclass=type("Binary", (Distribution,), {"has_ext_modules": lambda self: True}))
"""
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


def wheel_command(argv: Sequence[str]) -> int:
    known = {level.name: level for level in reversed(levels())}
    parser = argparse.ArgumentParser(prog="python -m codegen wheel", description=__doc__)
    parser.add_argument(
        "recipes", nargs="*", metavar="NAME", help="ops and workloads whose kernels it has; else of all"
    )
    parser.add_argument("--levels", nargs="+", default=[*known], choices=[*known], help="those that this processor has")
    parser.add_argument("--out", type=Path, default=Path("out"), help="the folder of the wheel")
    parser.add_argument("--retained", type=Path, default=Path("out/wheel"), help="where compiled kernels are kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes compile at once")
    options = parser.parse_args(argv)
    from .recipes import recipes

    wrong = options.recipes and set(options.recipes) - recipes().keys()
    if wrong:
        parser.error(f"no recipe named {', '.join(sorted(wrong))}")
    names = options.recipes or [*recipes()]
    retained = options.retained.resolve()
    archives = {name: archive_of(known[name], names, retained / name, options.jobs) for name in options.levels}
    for name, data in archives.items():
        print(f"{name}: {len(data) / 1e6:.1f} MB")
    path = build(archives, options.out.resolve(), retained / "tree")
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def build(archives: Mapping[str, bytes], out: Path, tree: Path) -> Path:
    shutil.rmtree(tree, ignore_errors=True)
    for name in SOURCES:
        shutil.copytree(
            ROOT / name, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "llvm_modules", ".*")
        )
    for name in FILES:
        shutil.copy(ROOT / name, tree / name)
    (tree / CUBIN_FOLDER).mkdir(exist_ok=True)
    for name, data in archives.items():
        (tree / CUBIN_FOLDER / f"{name}{SUFFIX}").write_bytes(data)
    (tree / "setup.py").write_text(SETUP, encoding="utf-8")
    (tree / "setup.cfg").write_text(f"[bdist_wheel]\nplat_name = {platform()}\n", encoding="utf-8")
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=tree, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the wheel cannot be built:\n{done.stderr}")
    return out / done.stdout.split()[-1]


def platform() -> str:
    """The oldest platform that the compiler's own wheel is for: the code calls no more of the system than that does."""
    lines = (distribution("llvmlite").read_text("WHEEL") or "").splitlines()
    tags = [line.rpartition("-")[2] for line in lines if line.startswith("Tag:")]
    return min(tags)
