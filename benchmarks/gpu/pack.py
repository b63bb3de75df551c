"""Pack specgrad for a machine with a GPU and without a network: one folder with the tree, wheels and `gpu.sh`.

    python -m benchmarks.gpu.pack [FOLDER]

The machine is Linux on x86-64 with CPython 3.12, NumPy, SciPy, numba, numba-cuda, cuda-bindings, pytest and CUDA's
libraries; what it lacks travels as wheels.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEELS = (
    "nvmath-python==1.0.0",
    "nvidia-cudnn-frontend==1.32.0",
    "greenlet",
    "ml_dtypes",
    "hypothesis",
    "sortedcontainers",
    "pytest-xdist",
    "execnet",
)
WHEELS += ("pyyaml", "jinja2", "markupsafe")
PLATFORMS = [f"manylinux_2_{n}_x86_64" for n in (34, 31, 28, 27, 24, 17)] + ["manylinux2014_x86_64"]
LIMIT = 60 << 20  # bytes of the folder


def pack(folder: Path) -> int:
    """Write the folder anew; gives its size in bytes.

    Raises:
        SystemExit: it is larger than LIMIT.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(
        ["git", "archive", "--format=tar.gz", "-o", folder / "specgrad.tar.gz", "HEAD"], cwd=ROOT, check=True
    )
    download(folder / "wheels")
    shutil.copy(Path(__file__).with_name("gpu.sh"), folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LIMIT:
        raise SystemExit(f"make gpu: {folder} has {size >> 20} MiB, expected at most {LIMIT >> 20}")
    return size


def download(folder: Path) -> None:
    """The wheels, each without what it needs: the machine has the rest."""
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    target = ["--python-version", "3.12", "--implementation", "cp", *platforms, "--only-binary=:all:", "--no-deps"]
    pins = ["-c", ROOT / "constraints.txt"]
    command = [sys.executable, "-m", "pip", "download", "-q", *target, *pins, "-d", folder, *WHEELS]
    subprocess.run(command, check=True)  # type: ignore[arg-type]


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "gpu"
    print(f"{chosen}: {pack(chosen) / 2**20:.1f} MiB; take it to the machine and run ./gpu.sh there")
