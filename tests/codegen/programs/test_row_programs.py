"""Row programs of the tree: on NumPy, as loops for the CPU, and as kernels for CUDA in three orders of threads."""

from __future__ import annotations

import importlib
import importlib.util
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specgrad.codegen.language.row_programs import Program
from specgrad.codegen.packaging.elementwise_kernels import own_programs
from specgrad.codegen.programs.column_code import column_code
from specgrad.codegen.programs.cpu_code import cpu_code, modules_of
from specgrad.codegen.programs.numpy_reference import outputs_of
from specgrad.codegen.programs.passes import Lowered
from specgrad.codegen.verify.checks.kernels import row_namespace
from specgrad.runtime.extensions.simulator import ORDERS, SimulatedCuda
from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin
from specgrad.runtime.kernels.cuda.kernel import Array
from specgrad.runtime.kernels.cuda.row_programs import BLOCK_ELEMENTS, row_kernel, wide_of
from tests.repository import ROOT

KERNELS = (ROOT / "generated/kernels/programs").glob("cuda_*.py")
NAMES = sorted(path.stem.removeprefix("cuda_") for path in KERNELS if " row program " in path.read_text("utf-8")[:80])
NUMBERS = {"correction": 1.0, "p": 3.0, "scale": 0.5, "eps": 1e-5, "divisor": 7.0, "factor": 0.5, "smoothing": 0.25}
NUMBERS |= {"ignored": -100, "classes": 9}
SHAPES = [(33, 17), (2, 257), (1, 5), (5, 1), (1, 1)]
UINT32 = np.dtype(np.uint32)
THREAD_GROUPS = [  # team, rows, elements, columns side by side, parts
    *[("thread", 5, 8, 1, 1), ("thread", 8, 7, 4, 1), ("warp", 3, 70, 1, 1), ("block", 2, 150, 1, 1)],
    *[("columns", 8, 33, 4, 1), ("block", 2, 300, 1, 3), ("columns", 8, 90, 4, 2), ("warp", 1, 1, 1, 1)],
    *[("columns", 8, 21, 4, 1), ("block", 1, 550, 1, 1)],
]
LANES = {"thread": 1, "warp": 32, "block": 64, "columns": 4}  # of a team in these tests


def arrays_of(program: Program, rows: int, along: int, dtype: type) -> dict[str, Any]:
    """Random arguments, by the names of the program."""
    rng = np.random.default_rng(zlib.crc32(program.name.encode()))
    found: dict[str, Any] = {}
    for p in program.parameters:
        shape = {"row": (rows, along), "shared": (along,), "each": (rows, 1), "number": ()}[p.kind]
        if p.kind == "number":
            found[p.name] = NUMBERS[p.name]
        elif p.name in ("target_row", "index_row"):
            found[p.name] = rng.integers(0, along, shape)
        else:
            values = rng.standard_normal(shape)
            is_size = any(word in p.name for word in ("var", "scale", "share"))
            found[p.name] = (abs(values) + 0.1 if is_size else values).astype(dtype)
    return found


def right(program: Program, arrays: dict[str, Any], along: int) -> dict[str, np.ndarray]:
    """The program on NumPy in double precision."""
    wide = {k: a.astype(np.float64) if getattr(a, "dtype", None) in (np.float32,) else a for k, a in arrays.items()}
    found = outputs_of(program, wide, along, row_namespace())
    return {name: np.asarray(value) for name, value in found.items()}


def capacity(requested: np.ndarray, dtype: type) -> np.ndarray:
    return np.full(requested.size, 77, dtype if requested.dtype.kind == "f" else requested.dtype)


def compare(found: np.ndarray, requested: np.ndarray, dtype: type) -> None:
    """Up to rounding, of the largest result: sums have lost nothing to their length."""
    finite = np.abs(requested[np.isfinite(requested)])
    max_count = max(finite.max(initial=0), 1e-6)
    np.testing.assert_allclose(
        found, requested.reshape(-1), rtol=0, atol=max_count * (4e-6 if dtype == np.float32 else 1e-13)
    )


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module of the loops for the CPU of each program: they are compiled when they are called."""
    folder, known = tmp_path_factory.mktemp("loops"), dict[str, Any]()

    def module(program: Program) -> Any:
        if program.name not in known:
            known[program.name] = module_of(program, folder)
        return known[program.name]

    return module


def module_of(program: Program, folder: Path) -> Any:
    codes = [cpu_code(program), column_code(program)]
    lines = ["import numpy as np"]
    lines += [
        f"from specgrad.runtime.{module} import {', '.join(names)}" for module, names in modules_of(codes).items()
    ]
    lines += [f"from specgrad.runtime.kernels.scalar import {name}" for code in codes for name in code.functions]
    path = folder / f"loop_of_{program.name}.py"
    path.write_text("\n".join([*lines, "", *codes[0].lines, "", "", *codes[1].lines, ""]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_for_the_cpu(name: str, loops: Any) -> None:
    """It gives what the program means, for rows of any length, in float32 and float64."""
    program = own_programs()[name]
    for rows, along in SHAPES:
        for dtype in (np.float32, np.float64):
            arrays = arrays_of(program, rows, along, dtype)
            requested = right(program, arrays, along)
            made = [capacity(requested[output], dtype) for output in program.outputs]
            given = [arrays[p.name].reshape(-1) for p in program.arrays]
            numbers = [arrays[p.name] for p in program.of_kind("number")]
            loops(program).loop(*given, *made, *numbers, along, 1, 1, 0, rows)
            for output, found in zip(program.outputs, made, strict=True):
                compare(found, requested[output], dtype)


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_over_columns(name: str, loops: Any) -> None:
    """Rows that are columns of (along, after), also if threads have parts of them: what the program means."""
    program = own_programs()[name]
    for before, along, after in ((2, 5, 3), (1, 300, 17), (2, 67, 5), (3, 1, 300), (1, 2, 1)):
        rows = before * after
        for dtype in (np.float32, np.float64):
            arrays = arrays_of(program, rows, along, dtype)
            requested = right(program, arrays, along)
            made = [capacity(requested[output], dtype) for output in program.outputs]
            given = [as_columns(arrays[p.name], along, after, p.kind == "row") for p in program.arrays]
            numbers = [arrays[p.name] for p in program.of_kind("number")]
            for parts in (((0, rows // 2), (rows // 2, rows)), ((0, rows),)):
                for first, last in parts:
                    loops(program).columns(*given, *made, *numbers, along, after, first, last)
                for output, found in zip(program.outputs, made, strict=True):
                    is_row = output in Lowered(program).rows
                    compare(found, as_columns(requested[output], along, after, is_row), dtype)
                    found[:] = 77


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_over_rows_in_pieces(name: str, loops: Any) -> None:
    """Rows with other rows between their parts, (outer, pieces, beside, size): what the program means."""
    program = own_programs()[name]
    for outer, pieces, beside, size in ((2, 3, 2, 5), (1, 2, 3, 1), (1, 30, 2, 70), (2, 4, 1, 3)):
        rows, along = outer * beside, pieces * size
        for dtype in (np.float32, np.float64):
            arrays = arrays_of(program, rows, along, dtype)
            requested = right(program, arrays, along)
            made = [capacity(requested[output], dtype) for output in program.outputs]
            given = [in_pieces(arrays[p.name], pieces, beside, p.kind == "row") for p in program.arrays]
            numbers = [arrays[p.name] for p in program.of_kind("number")]
            loops(program).loop(*given, *made, *numbers, along, pieces, beside, 0, rows)
            for output, found in zip(program.outputs, made, strict=True):
                compare(found, in_pieces(requested[output], pieces, beside, output in Lowered(program).rows), dtype)


def in_pieces(array: np.ndarray, pieces: int, beside: int, is_row: bool) -> np.ndarray:
    """Rows one after the other as parts of them that lie beside each other."""
    if not is_row:
        return array.reshape(-1)
    return array.reshape(-1, beside, pieces, array.shape[-1] // pieces).transpose(0, 2, 1, 3).reshape(-1)


def as_columns(array: np.ndarray, along: int, after: int, is_row: bool) -> np.ndarray:
    """Rows one after the other as neighbouring columns."""
    return (array.reshape(-1, after, along).transpose(0, 2, 1) if is_row else array).reshape(-1)


def test_a_long_sum_is_exact(loops: Any) -> None:
    """A million numbers in float32: as exact as the result can be."""
    x = np.random.default_rng(0).standard_normal(1_000_000).astype(np.float32)
    for name, requested in (
        ("total", x.astype(np.float64).sum()),
        ("length", np.sqrt((x.astype(np.float64) ** 2).sum())),
    ):
        found = np.empty(1, np.float32)
        loops(own_programs()[name]).loop(x, found, x.size, 1, 1, 0, 1)
        assert abs(found[0] - requested) < 1e-6 * np.abs(x).sum() ** 0.5


class Simulated:
    """The kernels of a program over rows in some layout, with threads in some order."""

    def __init__(self, program: Program, dtype: type, thread_group: str, side: int, order: str) -> None:
        self.program, self.dtype, self.thread_group, self.side = program, np.dtype(dtype), thread_group, side
        self.cuda = SimulatedCuda(order)
        self.module = f"specgrad.generated.kernels.programs.cuda_{program.name}"

    def with_layout(self, array: np.ndarray, is_row: bool) -> np.ndarray:
        """Rows as they lie: one after the other, or so many side by side."""
        if is_row and self.side > 1:
            array = array.reshape(-1, self.side, array.shape[-1]).transpose(0, 2, 1)
        return np.ascontiguousarray(array).reshape(-1)

    def launch(self, name: str, blocks: int, arrays: list[np.ndarray], rest: list[Any]) -> None:
        threads = {"columns": (32, 4), "warp": (32, 2)}.get(self.thread_group, 64)
        parts = [(UINT32,) * len(x) if isinstance(x, tuple) else np.dtype(type(x)) for x in rest]
        signature = (*(Array(a.dtype) for a in arrays), *parts)
        layout = "columns" if self.side > 1 else "rows"
        kernel = row_kernel(self.module, name, self.thread_group, layout, self.dtype)
        self.cuda.launch(kernel.simulated(signature), blocks, threads, [*arrays, *map(plain, rest)])

    def run(self, arrays: dict[str, Any], rows: int, along: int, parts: int) -> list[np.ndarray]:
        """The outputs, as they lie."""
        program = self.program
        requested = right(program, arrays, along)
        made = [capacity(requested[output], self.dtype.type) for output in program.outputs]
        given = [self.with_layout(arrays[p.name], p.kind == "row") for p in program.arrays]
        numbers = [arrays[p.name] for p in program.of_kind("number")]
        layout = tuple(map(np.uint32, (along, self.side) if self.side > 1 else (along,)))
        thread_groups = {"thread": -(-rows // 64), "warp": -(-rows // 2), "block": rows, "columns": -(-rows // 32)}[
            self.thread_group
        ]
        if parts == 1:
            name = "held" if along <= LANES[self.thread_group] * BLOCK_ELEMENTS else "full"
            self.launch(name, thread_groups, [*given, *made], [*numbers, np.uint32(along), np.uint32(rows), layout])
            return made
        kinds = {"T": self.dtype, "W": wide_of(self.dtype), "int32": np.dtype(np.int32), "uint32": UINT32}
        sizes = [np.uint32(n) for n in (along, rows, parts, -(-along // parts))]
        known: list[np.ndarray] = []
        for number, held in enumerate(importlib.import_module(self.module).PARTS, 1):
            own = [np.full(rows * parts, 99, kinds[kind]) for _, kind in held]
            self.launch(f"fold_{number}", thread_groups * parts, [*given, *known, *own], [*numbers, *sizes, layout])
            known += own
        self.launch("finish", thread_groups * parts, [*given, *known, *made], [*numbers, *sizes, layout])
        return made


def plain(value: Any) -> Any:
    """An argument as the simulator's kernels take it."""
    return tuple(map(int, value)) if isinstance(value, tuple) else int(value) if isinstance(value, np.uint32) else value


@pytest.mark.parametrize("name", NAMES)
def test_the_kernels_for_cuda(name: str) -> None:
    """Every team, layout and split gives what the program means; every order of threads gives the same bits."""
    program = own_programs()[name]
    of_rows = Lowered(program).rows
    for thread_group, rows, along, side, parts in THREAD_GROUPS:
        arrays = arrays_of(program, rows, along, np.float32)
        requested, before = right(program, arrays, along), None
        for order in ORDERS:
            simulated = Simulated(program, np.float32, thread_group, side, order)
            found = simulated.run(arrays, rows, along, parts)
            for output, got in zip(program.outputs, found, strict=True):
                compare(got, simulated.with_layout(requested[output], output in of_rows), np.float32)
            assert before is None or all(a.tobytes() == b.tobytes() for a, b in zip(before, found, strict=True)), (
                thread_group,
                order,
            )
            before = found


@pytest.mark.parametrize("cc", [(8, 0), (9, 0), (10, 0)])
def test_kernels_compile(cc: tuple[int, int]) -> None:
    """To machine code, without memory of a thread's own: nothing is spilled."""
    x, w = Array(np.dtype(np.float16)), Array(np.dtype(np.float64))
    one, layout = UINT32, (UINT32,)
    module = "specgrad.generated.kernels.programs.cuda_softmax"
    for name, thread_group, signature in (
        ("held", "warp", (x, x, one, one, layout)),
        ("full", "block", (x, x, one, one, layout)),
        ("finish", "block", (x, Array(np.dtype(np.float32)), w, x, one, one, one, one, layout)),
    ):
        text = ptx(row_kernel(module, name, thread_group, "rows", np.dtype(np.float32)).make, signature, cc)
        assert ".local" not in text
        assert to_cubin(text, cc)
