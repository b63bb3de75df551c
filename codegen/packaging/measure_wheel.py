"""`python -m codegen.packaging.measure_wheel WHEEL`: what a user waits for after installing a wheel, beside PyTorch."""

import compileall
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from .wheel import ROOT

ROUNDS = 5
WORKLOADS = ("train_perceptron", "train_convolutional")
PROGRAM = """
import sys
from time import perf_counter as t
a = t()
import {library} as torch
b = t()
from benchmarks.workloads import WORKLOADS
WORKLOADS["{workload}"](torch)()
print(b - a, t() - b)
"""


def measured(library: str, workload: str, site: Path) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as cache:
        path = os.pathsep.join([str(site), str(ROOT)])
        environment = {**os.environ, "PYTHONPATH": path, "SPECGRAD_CACHE_DIR": cache}
        command = [sys.executable, "-P", "-c", PROGRAM.format(library=library, workload=workload)]
        done = subprocess.run(command, cwd=cache, env=environment, check=True, capture_output=True, text=True)
        compiled = sum(1 for path in Path(cache).rglob("*") if path.is_file())
    if compiled:
        print(f"{library}: {compiled} kernels of {workload} were compiled", file=sys.stderr)
    first, second = map(float, done.stdout.split())
    return first, second


def main(argv: Sequence[str]) -> None:
    libraries = ["specgrad", *(["torch"] if importlib.util.find_spec("torch") else [])]
    with tempfile.TemporaryDirectory() as site:
        zipfile.ZipFile(argv[0]).extractall(site)
        compileall.compile_dir(site, quiet=1)  # as pip does, whatever PYTHONDONTWRITEBYTECODE says
        print(f"{'workload':22} {'library':10} {'import':>8} {'batch':>8} {'in all':>8}")
        for workload in WORKLOADS:
            rounds = [{name: measured(name, workload, Path(site)) for name in libraries} for _ in range(ROUNDS + 1)]
            for name in libraries:  # the first round, of cold files, is not counted
                times = [each[name] for each in rounds[1:]]
                parts = [median(time[i] for time in times) for i in range(2)]
                print(f"{workload:22} {name:10} {parts[0]:8.2f} {parts[1]:8.2f} {median(map(sum, times)):8.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
