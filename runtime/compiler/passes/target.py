"""The processor that kernels are compiled for, and the levels, sets of instructions that LLVM knows by a name, that
carried machine code is for. NUMBA_CPU_NAME and NUMBA_CPU_FEATURES choose another processor, as they do for numba.
Vector registers and fused multiply-add are read from what LLVM emits: its list of features is empty where a processor
was named, and says nothing of how LLVM uses them."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re
import sys
from typing import Any, NamedTuple


class Target(NamedTuple):
    triple: str
    name: str
    features: str


class Level(NamedTuple):
    """The instructions that a level adds to those of the level below, in LLVM's names."""

    name: str
    instructions: tuple[str, ...]


# From the least to the best.
LEVELS = {
    "x86_64": (
        Level("x86-64-v2", ("cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2")),
        Level("x86-64-v3", ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")),
        Level("x86-64-v4", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
    ),
    "aarch64": (Level("generic", ()),),
}


@functools.cache
def host() -> Target:
    from llvmlite import binding

    name = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES")
    if features is None:
        features = binding.get_host_cpu_features().flatten()
    return Target(binding.get_process_triple(), name, features)


@functools.cache
def levels() -> tuple[Target, ...]:
    """The levels whose code runs here, the best first: those that a processor that was named has, or this one."""
    known = LEVELS.get(platform.machine(), ())
    names = [level.name for level in known]
    if "NUMBA_CPU_NAME" in os.environ or "NUMBA_CPU_FEATURES" in os.environ:
        count = names.index(host().name) + 1 if host().name in names and not host().features else 0
    else:
        has = host().features.split(",")
        fits = [all(f"+{one}" in has for one in level.instructions) for level in known]
        count = (*fits, False).index(False)
    return tuple(Target(host().triple, name, "") for name in reversed(names[:count]))


@functools.cache
def versions() -> tuple[str, ...]:
    from importlib.metadata import version

    numpy = ".".join(version("numpy").split(".")[:2])
    return (f"{sys.implementation.cache_tag}", version("numba"), version("llvmlite"), numpy)


# The sum of two rows of 64 bytes, a product with a sum, rounded once, words of 64 bits as numbers, and
# 16-bit floats as 32-bit ones.
PROBE = """
declare double @llvm.fma.f64(double, double, double)

define void @sums(ptr %x, ptr %y) {
  %1 = load <8 x double>, ptr %x
  %2 = load <8 x double>, ptr %y
  %3 = fadd <8 x double> %1, %2
  store <8 x double> %3, ptr %x
  ret void
}

define double @fused(double %x, double %y, double %z) {
  %1 = call double @llvm.fma.f64(double %x, double %y, double %z)
  ret double %1
}

define <8 x double> @numbers(<8 x i64> %x) {
  %1 = sitofp <8 x i64> %x to <8 x double>
  ret <8 x double> %1
}

define <8 x float> @widened(<8 x half> %x) {
  %1 = fpext <8 x half> %x to <8 x float>
  ret <8 x float> %1
}
"""


# 16 floats in another order, which is no pattern: where there is an instruction for that, it takes places as a vector.
PERMUTED = """
define <16 x float> @permuted(<16 x float> %x) "prefer-vector-width"="512" "min-legal-vector-width"="512" {
  %1 = shufflevector <16 x float> %x, <16 x float> poison, <16 x i32> <i32 9, i32 3, i32 14, i32 6, i32 11, i32 1,
    i32 12, i32 2, i32 8, i32 7, i32 15, i32 0, i32 5, i32 13, i32 10, i32 4>
  ret <16 x float> %1
}
"""


@functools.cache
def llvm() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def assembly(triple: str, name: str, features: str, probe: str = PROBE) -> str:
    machine = llvm().Target.from_triple(triple).create_target_machine(name, features)
    module = llvm().parse_assembly(probe)
    module.data_layout, module.triple = str(machine.target_data), triple
    return str(machine.emit_assembly(module))


@functools.cache
def own() -> str:
    return assembly(*host())


def vector_registers() -> tuple[int, int]:
    """(bytes of a vector register, how many of them hold a row of a tile): six such rows leave few registers free."""
    for name, described in {"zmm": (64, 4), "ymm": (32, 2), "xmm": (16, 2)}.items():
        if name in own():
            return described
    return 16, 4


@functools.cache
def reads_side_by_side() -> bool:
    """Whether four pages of memory are read faster together than one after the other: by processors with 512 bits. Not
    by AMD's: 26 GB/s in place of 42 of an EPYC 9004. A level of processors holds both, and most is lost there."""
    return vector_registers()[0] == 64 and not host().name.startswith(("znver", "x86-64"))


@functools.cache
def halves_vectors() -> bool:
    """Whether instructions of 512 bits are taken in two halves: sums of 4 million floats took 0.33 ns so, now 0.25."""
    return host().name == "znver4"


@functools.cache
def lookups() -> tuple[str, ...]:
    return lookups_of(*host())


def fuses() -> bool:
    return calls_no_library(own())


def scales() -> bool:
    return has_scale(own())


@functools.cache
def converts_halves() -> bool:
    return not re.search(r"\w*(extendhfsf2|gnu_h2f)", own())


TILES, DOTS = "tiles", "dots"
SYSTEM_CALL = 158  # arch_prctl of x86-64
PERMISSION, TILE_DATA = 0x1023, 18  # of Linux's arch_prctl: a process asks for what its threads keep of tiles


@functools.cache
def pair_products() -> str:
    """How pairs of bfloat16 are multiplied and added to a float32: by TILES, by DOTS, or by no instruction: ""."""
    features = host().features.split(",")
    if "+avx512bf16" not in features or vector_registers()[0] < 64:
        return ""
    return TILES if "+amx-tile" in features and "+amx-bf16" in features and may_use_tiles() else DOTS


def may_use_tiles() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return ctypes.CDLL(None).syscall(SYSTEM_CALL, PERMISSION, TILE_DATA) == 0
    except (AttributeError, OSError):
        return False


def has_scale(text: str) -> bool:
    """Whether LLVM makes one instruction of its own function of x 2^k: from version 22 on, for AVX-512. The processors
    that have it are those that convert vectors of words by one instruction."""
    from llvmlite import binding

    return binding.llvm_version_info[0] >= 22 and "vcvtqq2pd" in text


def lookups_of(triple: str, name: str, features: str) -> tuple[str, ...]:
    if triple.startswith(("aarch64", "arm64")):
        return ("neon",)  # all of them permute bytes
    permutations = re.findall(r"vperm(?:ps|d|[it]2ps|[it]2d)\b.*%([yz])mm", assembly(triple, name, features, PERMUTED))
    return ("avx512", "avx2") if "z" in permutations else ("avx2",) if permutations else ("loads",)


def calls_no_library(text: str) -> bool:
    return not re.search(r"\bfma\b", text)
