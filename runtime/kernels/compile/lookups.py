"""Tables in registers: where loops are vectorised, looking up one of 16 or 32 float32 is a permutation of registers.

LLVM vectorises a loop with a call if it is told which function does the same for a vector. `LOOKUPS` are such functions
(`scalar/intrinsics.py`): they take an index, and the bits of the entries, which are the same for all lanes. Those for
vectors are added to the text of a module before LLVM optimises it, as llvmlite knows no attribute that names them, and
when loops are vectors all of them are inlined. What is looked up is the same in any lane. Processors that do not
permute by an index in a register (of x86-64 those without AVX2) keep loops without vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..scalar.intrinsics import LOOKUPS

VARIANTS = "vector-function-abi-variant"
NAME = re.escape(LOOKUPS[16].removesuffix("16"))
DEFINED = re.compile(rf"^(define [^\n]*@{NAME}(\d+)\([^\n]*) {{$", re.MULTILINE)
OWN = re.compile(rf"^define (?:linkonce_odr )?(.*@{NAME}[\d.]+\(.*)$", re.MULTILINE)
NOT_INLINED = re.compile(rf'^(attributes #\d+ = {{.*)\bnoinline (.*) "{VARIANTS}"="[^"]*"(.*)$', re.MULTILINE)
INSTRUCTIONS = {
    8: "declare <8 x float> @llvm.x86.avx2.permps(<8 x float>, <8 x i32>)\n",
    16: (
        "declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)\n"
        "declare <16 x float> @llvm.x86.avx512.vpermi2var.ps.512(<16 x float>, <16 x i32>, <16 x float>)\n"
    ),
}


def looks_up(module: Any) -> bool:
    """Whether a module has such a function: its text is long."""
    return any(function.name in LOOKUPS.values() for function in module.functions)


def with_vectors(text: str, lanes: tuple[int, ...]) -> str:
    """The text of a module before LLVM optimises it, with the functions for vectors of so many lanes."""
    if not lanes:
        return text
    lengths = [int(length) for _, length in DEFINED.findall(text)]
    added = [vector_function(length, n) for length in lengths for n in lanes]
    text = DEFINED.sub(lambda found: f'{found[1]} "{VARIANTS}"="{_named(int(found[2]), lanes)}" {{', text)
    return text + "".join([*(INSTRUCTIONS[n] for n in lanes), *added])


def _named(length: int, lanes: tuple[int, ...]) -> str:
    """Which functions there are for vectors, as LLVM encodes it: an index for each lane, and words for all lanes."""
    return ",".join(f"_ZGV_LLVM_N{n}v{'u' * length}_{LOOKUPS[length]}({LOOKUPS[length]}.{n})" for n in lanes)


def vector_function(length: int, lanes: int) -> str:
    """The function for vectors of so many lanes; nobody calls it yet, so it has a linkage that keeps it."""
    kind, index = f"<{lanes} x float>", f"<{lanes} x i32>"
    words = ", ".join(f"i32 %t{k}" for k in range(length))
    head = f"\ndefine {kind} @{LOOKUPS[length]}.{lanes}({index} %index, {words}) alwaysinline nounwind memory(none) {{"
    registers = [line for k in range(length // lanes) for line in _register(k, lanes)]
    return "\n".join([head, *registers, *_chosen(length, lanes), f"  ret {kind} %found\n}}\n"])


def _register(number: int, lanes: int) -> Iterator[str]:
    """Some entries of the table as a vector."""
    before = "poison"
    for k in range(lanes):
        name = f"%r{number}.{k}"
        yield f"  {name} = insertelement <{lanes} x i32> {before}, i32 %t{number * lanes + k}, i64 {k}"
        before = name
    yield f"  %r{number} = bitcast <{lanes} x i32> {before} to <{lanes} x float>"


def _chosen(length: int, lanes: int) -> Iterator[str]:
    """What is looked up in registers of the table."""
    if lanes == 16:
        kind, index, many = "<16 x float>", "<16 x i32>", length == 32
        name = "vpermi2var.ps" if many else "permvar.sf"
        arguments = f"{kind} %r0, {index} %index" + f", {kind} %r1" * many
        yield f"  %found = call {kind} @llvm.x86.avx512.{name}.512({arguments})"
        return
    count = length // lanes
    for k in range(count):
        result = f"%p{k}"
        yield f"  {result} = call <8 x float> @llvm.x86.avx2.permps(<8 x float> %r{k}, <8 x i32> %index)"
    names, bit = [f"%p{k}" for k in range(count)], 3
    while len(names) > 1:  # neighbours differ in a bit of the index; made the sign, it is what an instruction looks at
        yield f"  %sign{bit} = shl <8 x i32> %index, splat (i32 {31 - bit})"
        yield f"  %upper{bit} = icmp slt <8 x i32> %sign{bit}, zeroinitializer"
        made = ["%found"] if len(names) == 2 else [f"%b{bit}.{k}" for k in range(len(names) // 2)]
        for k, name in enumerate(made):
            pair = f"<8 x float> {names[2 * k + 1]}, <8 x float> {names[2 * k]}"
            yield f"  {name} = select <8 x i1> %upper{bit}, {pair}"
        names, bit = made, bit + 1


def inlinable(text: str) -> str:
    """The text of an optimised module, in which all of these functions may be inlined, and are nobody else's."""
    return OWN.sub(r"define internal \1", NOT_INLINED.sub(r"\1alwaysinline \2\3", text))


def inline(module: Any, builder: Any) -> None:
    """Inline them, compute of their constants what can be, and leave them out."""
    from llvmlite.binding import create_new_module_pass_manager

    passes = create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)
