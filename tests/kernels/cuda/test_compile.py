"""CUDA kernels compile for real: to PTX of the version that current drivers take, and to cubins within limits.

Their values are `verify`'s business: it runs the same kernels in the simulator beside the CPU's.
"""

from __future__ import annotations

import re
import sys

import ml_dtypes
import numpy as np
import pytest

from specgrad.codegen.packaging.cubins import PYTHON, SHORT, read_table, required, stale
from specgrad.codegen.packaging.known_kernels import Known
from specgrad.codegen.verify.checks.kernels import Kernel, kernels
from specgrad.generated.registry import OPS
from specgrad.runtime.kernels.cuda.compile import ENTRY, ptx, to_cubin
from specgrad.runtime.kernels.cuda.elementwise import copy_kernel, element_kernel, element_signature
from specgrad.runtime.kernels.cuda.kernel import TARGETS, prebuilt
from specgrad.runtime.kernels.cuda.signature import ARRAY_SLOTS, Array, parts, slot_count
from specgrad.runtime.kernels.cuda.storage import COMPLEX32
from specgrad.runtime.kernels.cuda_launch import row_programs

PACKAGE = "specgrad.generated"
KERNELS = [kernel for op in OPS for kernel in kernels(op, PACKAGE)]
SAMPLE = 32  # of the kernels of the table
COMPLEX = np.dtype(np.complex64)
REGISTERS = 1 << 16  # of a multiprocessor


def named(kernel: Kernel) -> str:
    return kernel.function


def test_what_is_compiled_is_what_the_texts_say() -> None:
    """So every kernel of the table compiles; `python -m codegen cubins` brings table and archives up to date."""
    assert stale() == []


def test_no_kernel_spills() -> None:
    """All keep within the registers of a thread; what has a stack has arrays of its own, not numbers without room."""
    spilled = {label for label, (reserved, _) in read_table().items() for each in reserved.split(", ") if "+" in each
               for stack, spills in [each.split(" + ")[1:]] if int(spills)}  # fmt: skip
    assert spilled == set()


def test_blocks_of_rows_have_registers() -> None:
    """A multiprocessor has 65536 of them, of which a warp takes eight of each lane at a time."""
    programs = [(label, message) for label, (message, _) in read_table().items() if label.startswith("rows of ")]
    leftover = [
        label
        for label, message in programs
        for each in message.split(", ")
        if " by " in label and -(-int(each.split()[0]) // 8) * 8 * most_threads(label) > REGISTERS
    ]
    assert len(programs) > 1000 and leftover == []


def most_threads(label: str) -> int:
    """Of a block of a row program's kernel."""
    name, _, thread_group = label.partition(": ")[2].split()[:3]
    if thread_group in ("warp", "thread"):
        return row_programs.THREADS
    is_wide = " in float64" in label or " in int64" in label
    return row_programs.held_by(8 if is_wide and name == "held" and thread_group == "block" else 4)


def sampled(part: int) -> Known:
    """A kernel; by their digests they are of all kinds."""
    digests = sorted(required())
    return required()[digests[part * len(digests) // SAMPLE]][0]


@pytest.mark.parametrize("part", range(SAMPLE))
def test_compiles_as_the_table_says(part: int) -> None:
    """A sample: PTX for today's drivers, the machine code that is carried, no more registers than the table has.

    With the Python whose bytecode that was compiled from. By others kernels are as right, and keep within the limits.
    """
    each = sampled(part)
    text = ptx(each.kernel.make, each.signature)
    assert float(text.split(".version ")[1].split()[0]) <= 9.0
    reserved, known = read_table()[each.label]
    digest = each.kernel.digest(each.signature)
    assert digest.startswith(known) and len(known) == SHORT
    own = sys.version_info[:2] == PYTHON
    threads = most_threads(each.label) if each.label.startswith("rows of ") else row_programs.THREADS
    for target, limit in zip(TARGETS, reserved.split(", "), strict=True):
        cubin = to_cubin(text, target)
        assert cubin.code[:4] == b"\x7fELF" and cubin.spilled == 0
        assert cubin.registers <= int(limit.split()[0]) or not own
        assert -(-cubin.registers // 8) * 8 * threads <= REGISTERS
        if each.is_prebuilt and own:
            # Of the same size: some bits of instructions depend on what the assembler compiled before.
            assert len(prebuilt(target)[digest]) == len(cubin.code)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.is_complex and k.name == "forward"], ids=named)
def test_compiles_for_complex_numbers(kernel: Kernel) -> None:
    """The complex versions of the scalar functions compile for the device too."""
    own = tuple(not kernel.is_array(name) or kernel.is_mask(name) for name in kernel.inputs)
    given = element_kernel(PACKAGE, kernel.family, kernel.function, COMPLEX, own)
    operands = [Array(COMPLEX) if kernel.is_array(name) else np.dtype(np.complex128) for name in kernel.inputs]
    operands = [Array(np.dtype(bool)) if kernel.is_mask(n) else o for n, o in zip(kernel.inputs, operands, strict=True)]
    result = kernel.results()[0].dtype
    single = {np.dtype(np.complex128): COMPLEX, np.dtype(np.float64): np.dtype(np.float32)}.get(result, result)
    assert ".visible .entry" in ptx(given.make, element_signature(tuple(operands), (Array(single),), 0))


@pytest.mark.parametrize(
    "name", [op.name for op in OPS if op.kind == "elementwise" and {*op.dtypes} <= {"bool", "int"}]
)
def test_compiles_for_whole_numbers(name: str) -> None:
    """Ops that take no others, in int64 and in int8."""
    for kind in (np.dtype(np.int64), np.dtype(np.int8)):
        forward = Kernel(next(op for op in OPS if op.name == name), PACKAGE, "forward", False)
        count = len(forward.inputs)
        kernel = element_kernel(PACKAGE, forward.family, forward.function, kind, (False,) * count)
        assert ".visible .entry" in ptx(kernel.make, element_signature((Array(kind),) * count, (Array(kind),), 0))


def test_the_words_of_a_launch_are_the_parameters_of_the_kernel() -> None:
    """Tuples are passed part by part, a complex number as two, empty ones as nothing."""
    half, index = np.dtype(ml_dtypes.bfloat16), np.dtype(np.uint32)
    for dims in (0, 3):
        signature = element_signature((Array(half),), (Array(COMPLEX),), dims)
        text = ptx(copy_kernel(COMPLEX).make, signature)
        found = re.findall(rf"\.param \.(\w+) {ENTRY}_param_\d+", text)
        expected = ["u64"] * 2 * ARRAY_SLOTS + ["u32"] * sum(part == index for part in parts(signature))
        assert found == expected and len(found) == sum(map(slot_count, parts(signature)))
    text = ptx(copy_kernel(COMPLEX).make, element_signature((COMPLEX,), (Array(COMPLEX),), 0))
    assert [f for f in re.findall(rf"\.param \.(\w+) {ENTRY}_param", text) if f[0] == "f"] == ["f32", "f32"]


def test_complex32_is_two_halves() -> None:
    """Each word is read once, and its halves are converted by the instructions of the hardware."""
    pair = Array(COMPLEX32)
    text = ptx(copy_kernel(COMPLEX).make, element_signature((pair,), (pair,), 0))
    counts = [text.count(each) for each in ("ld.global.u32", "cvt.f32.f16", "cvt.rn.f16.f32", "st.global.u32")]
    assert counts[0] == counts[3] > 0 and counts[1] == counts[2] == 2 * counts[0]
    assert to_cubin(text, (9, 0)).registers <= 32


@pytest.mark.parametrize("dims", [0, 3])
def test_elements_are_read_before_any_is_written(dims: int) -> None:
    """Four elements a thread, whose reads wait for memory together, by 32-bit indices and without a stack."""
    f32 = Array(np.dtype(np.float32))
    own = (False, False, True)
    kernel = element_kernel(PACKAGE, "arithmetic", "add_tensor_forward", f32.dtype, own)
    text = ptx(kernel.make, element_signature((f32, f32, np.dtype(np.float64)), (f32,), dims))
    order = "".join(re.findall(r"\b(ld|st)\.global", text)).replace("ld", "r").replace("st", "w")
    assert order.startswith("rrrrrrrrwwww")
    assert ".local" not in text and "call" not in text and "div" not in text and "rem." not in text
    assert to_cubin(text, (9, 0)).registers <= 32


def test_there_are_kernels_of_every_kind() -> None:
    """The tables are not empty, so the tests above cannot pass by testing nothing."""
    names = {kernel.name for kernel in KERNELS}
    assert {"forward", "backward_1", "backward_3"} <= names
    assert len(KERNELS) > 300 and len(read_table()) > 4000
    labels = " ".join(read_table())
    kinds = ("rows of softmax: full by block", "far rows", "far text", "in float64", "of bfloat16", "text indexed")
    kinds += (
        "text element",
        "product",
        "uniform",
        "taken",
        "changing adam",
        "counting adam",
        "folding",
        "sorted in",
    )
    assert [kind for kind in kinds if kind not in labels] == []


@pytest.mark.parametrize("kind", [np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)], ids=str)
def test_floats_of_eight_bits_compile(kind: np.dtype) -> None:
    """Copies from and to what numba does not know, by their bits."""
    single = np.dtype(np.float32)
    for source, to in ((single, kind), (kind, np.dtype(np.float64)), (np.dtype(np.int32), kind)):
        signature = element_signature((Array(source),), (Array(to),), 0)
        assert ".entry" in ptx(copy_kernel(single).make, signature)
