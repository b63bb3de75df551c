"""An environment of its own with public packages that want torch: pip finds a torch there, which is only a name."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
TORCH = "2.13.0"
# torchvision's wheel on PyPI wants CUDA's libraries; without them one op is missing, and it cannot be imported.
WITHOUT_CUDA = """
import torch
library = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""
OWN = ["numba", "ml_dtypes", "numpy", "scipy", "pyyaml", "jinja2"]  # what specgrad needs
BESIDE = ["sympy", "networkx", "filelock", "fsspec", "typing_extensions", "setuptools"]  # what PyTorch needs


class Environment:
    """A folder made by `venv`, and the ways to run a program in it."""

    def __init__(self, folder: Path, torch: Path | None) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        self._torch = torch

    @property
    def has_torch(self) -> bool:
        """Whether PyTorch itself can be run here."""
        return self._torch is not None

    def make(self) -> None:
        """Make the folder where it is not there, with what specgrad needs."""
        if not self.python.exists():
            venv.create(self.folder, with_pip=True)
        named = self._packages() / f"torch-{TORCH}.dist-info"
        named.mkdir(exist_ok=True)
        (named / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH}\n")
        (named / "INSTALLER").write_text("specgrad\n")
        (named / "RECORD").write_text("")
        if self._torch is not None:
            self._link_torch(self._torch)
        self.install([f"{name}=={version(name)}" for name in OWN] + BESIDE)

    def _packages(self) -> Path:
        return next((self.folder / "lib").glob("python*/site-packages"))

    def _link_torch(self, packages: Path) -> None:
        """A folder with PyTorch and nothing else of where it is installed: all other packages are the same for both."""
        links = self.folder / "torch"
        links.mkdir(exist_ok=True)
        for name in ("torch", "torchgen", "functorch"):
            if not (links / name).exists():
                (links / name).symlink_to(packages / name)
        (links / "sitecustomize.py").write_text(WITHOUT_CUDA)

    def install(self, packages: list[str]) -> str:
        """Install packages; what pip says where it fails, else nothing."""
        limits = self.folder / "constraints.txt"
        limits.write_text("".join(f"{name}=={version(name)}\n" for name in ("numpy", "numba")) + f"torch=={TORCH}\n")
        command = [str(self.python), "-m", "pip", "install", "-q", "-c", str(limits), *packages]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def version_of(self, package: str) -> str:
        """The version of an installed package."""
        code = f"import importlib.metadata as m; print(m.version({package!r}))"
        done = subprocess.run([str(self.python), "-c", code], capture_output=True, text=True)
        return done.stdout.strip()

    def command(self, library: str, program: list[str]) -> tuple[list[str], dict[str, str]]:
        """The command line and the variables that run a program with `specgrad` or `torch`."""
        if library == "specgrad":
            return [str(self.python), "-m", "specgrad.as_torch", *program], self._variables(ROOT)
        return [str(self.python), *program], self._variables(self.folder / "torch")

    def _variables(self, library: Path) -> dict[str, str]:
        paths = os.pathsep.join([str(library), str(PROGRAMS)])
        quiet = {"PYTHONWARNINGS": "ignore", "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
        return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "SPECGRAD_NUM_THREADS": "1", **quiet}


def torch_beside() -> Path | None:
    """Where this interpreter, or the one that TORCH_PYTHON names, has PyTorch."""
    code = "import torch, pathlib; print(pathlib.Path(torch.__file__).parent.parent)"
    done = subprocess.run([os.environ.get("TORCH_PYTHON", sys.executable), "-c", code], capture_output=True, text=True)
    return Path(done.stdout.strip()) if done.returncode == 0 else None
