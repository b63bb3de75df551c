"""`python -m codegen wheel`: a wheel for this platform and this Python, which carries machine code.

Recipes run in processes for which a level of processors has been named: samples of all ops, draws, steps of
optimizers, workloads, programs. `python -m codegen.packaging.wheel NAME...` runs some and prints what it kept or found.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import distribution
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad.codegen.verify.calls.samples import Drawing, SampledArgument, sample_calls
from specgrad.generated.registry import OPS
from specgrad.runtime.compiler.cache import directory
from specgrad.runtime.compiler.cache.archive import pack, seal, unseal
from specgrad.runtime.compiler.cache.precompile import SETTING
from specgrad.runtime.compiler.cache.store import PREBUILT, SUFFIX, described
from specgrad.runtime.compiler.passes.target import Target, levels
from specgrad.runtime.dispatch.registry import Op
from specgrad.runtime.tensor import dtypes
from specgrad.warmup import attempt, differentiated, draw, tensors, warm

from .recorded_launches import between, optimizers, options_of, parameter, run_step
from .warmup_list import PROGRAMS

DTYPES = (sg.float32, sg.float64, sg.int64, sg.bool)
MORE = (sg.bfloat16, sg.float16, sg.complex64)  # of which many ops have kernels of their own
SHAPE = (3, 4)
SHAPES: tuple[tuple[int, ...], ...] = (SHAPE, (4,), (3, 1), (4, 3))  # the last one is that of a transposed operand
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
WORKLOADS = "benchmarks.workloads"


def recipes() -> dict[str, Callable[[], object]]:
    workloads = import_module(WORKLOADS).WORKLOADS
    results: dict[str, Callable[[], object]] = {}
    for name, make in workloads.items():  # which often are called as the ops that they time
        results[f"bench.{name}"] = partial(run_workload, make)
    results |= {f"optim.{make.__name__}": partial(step, make) for make in optimizers()}
    results |= {f"program.{program.__name__}": partial(run_program, program) for program in PROGRAMS}
    results |= {"gradients": clip, "sampling": lambda: list(map(draw, DTYPES))}
    return results | {op.name: partial(cover, op) for op in OPS}


def run_workload(make: Any) -> None:
    """Twice, as some kernels are for the second time only."""
    run = make(sg)
    for _ in range(2):
        run()


def run_program(program: Callable[[], None]) -> None:
    before = sg.get_default_dtype()
    for kind in FLOATS:
        sg.set_default_dtype(getattr(sg, kind.name))
        program()
    sg.set_default_dtype(before)


def cover(op: Op) -> None:
    warm(op, DTYPES + MORE)
    for text in sample_calls(op)[:1] if op.kind == "elementwise" else ():
        example_args = Drawing(op, text, False, dtypes).arguments(text)
        operands = [name for name, value in example_args.items() if isinstance(value, SampledArgument)]
        for name, shape, dtype in product(operands, SHAPES, (sg.float32, sg.float64)):
            make_example(op, example_args, name, shape, dtype)


def make_example(op: Op, example_args: dict[str, Any], name: str, shape: tuple[int, ...], dtype: Any) -> None:
    arg = dict(example_args)
    for other, value in example_args.items():
        if isinstance(value, SampledArgument):
            arg[other] = replace(value, array=np.resize(value.array, shape if other == name else SHAPE))
    for mask in op.masks or [0]:
        made = tensors(arg, dtype, [one for bit, one in enumerate(op.inputs) if mask >> bit & 1])
        if shape == SHAPES[-1]:
            operand = "input" if name == "self" else name
            made[operand] = made[operand].detach().t().requires_grad_(made[operand].requires_grad)
        attempt(partial(differentiated, op, made))


def step(make: Any) -> None:
    for kind, options in product(FLOATS, list(options_of(make))):
        run_step(make, parameter(kind, "cpu"), options, "cpu")


def clip() -> None:
    for kind in FLOATS:
        between(parameter(kind, "cpu"))


def main(names: Sequence[str]) -> None:
    known, used = recipes(), dict[str, None]()
    read, write = directory.read, directory.write

    def noted_read(path: Path) -> bytes | None:
        result = read(path)
        if result is not None:
            used[path.name] = None
        return result

    def noted_write(path: Path, data: bytes) -> None:
        used[path.name] = None
        write(path, data)

    with patch.object(directory, "read", noted_read), patch.object(directory, "write", noted_write):
        for name in names:
            known[name]()
    print("\n".join(used))


if __name__ == "__main__":
    main(sys.argv[1:])


ROOT = Path(__file__).resolve().parents[2]
BATCH_RECIPES = 8  # recipes that one process runs
BEST = 9  # of zlib's levels: packed once, unpacked as fast as ever


def archive_of(level: Target, names: Sequence[str], folder: Path, jobs: int) -> bytes:
    begin, used = time.perf_counter(), set[str]()
    parts = [names[i :: -(-len(names) // BATCH_RECIPES)] for i in range(-(-len(names) // BATCH_RECIPES))]
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run, level, part, folder) for part in parts]
        for count, done in enumerate(as_completed(waiting), 1):
            used.update(done.result())
            seconds = time.perf_counter() - begin
            print(f"{level.name}: {count} of {len(parts)} parts, {len(used)} kernels, {seconds:.0f} s", flush=True)
    return pack(dict(entries(folder / "kernels" / name for name in used)), described(level))


def run(level: Target, names: Sequence[str], folder: Path) -> list[str]:
    named = {"NUMBA_CPU_NAME": level.name, "NUMBA_CPU_FEATURES": level.features, "SPECGRAD_CACHE_DIR": str(folder)}
    environment = {**os.environ, **named, "PYTHONPATH": str(ROOT), SETTING: "0"}
    command = [sys.executable, "-W", "ignore", "-m", "codegen.packaging.wheel", *names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"{level.name}: {' '.join(names)}\n{done.stderr}", file=sys.stderr)
    return done.stdout.split()


def entries(paths: Iterable[Path]) -> Iterator[tuple[bytes, bytes]]:
    for path in paths:
        key = bytes.fromhex(path.name)
        code = unseal(key, path.read_bytes())
        if code is not None:
            yield key, seal(key, code, BEST)


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
    which = "ops and workloads whose kernels it has; else of all"
    parser.add_argument("recipes", nargs="*", metavar="NAME", help=which)
    parser.add_argument("--levels", nargs="+", default=[*known], choices=[*known], help="those that this processor has")
    parser.add_argument("--out", type=Path, default=Path("out"), help="the folder of the wheel")
    parser.add_argument("--retained", type=Path, default=Path("out/wheel"), help="where compiled kernels are kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes compile at once")
    options = parser.parse_args(argv)

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
