"""Tables in registers (16 or 32 float32, or 8 float64): where loops are vectorised, looking up an entry is a
permutation of registers. LLVM vectorises a loop with a call if it is told which function does the same for a vector.
`LOOKUPS` are such functions (`primitive_code.py`): they take an index, and the bits of the entries, which are the same
for all lanes. Those for vectors are added to the text of a module before LLVM optimises it, as llvmlite knows no
attribute that names them, and inlined when loops are vectors. Processors that do not permute by an index in a register
(of x86-64 those without AVX2) load an entry for each lane."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .primitive_code import ENTRIES, LOOKUPS

VARIANTS = "vector-function-abi-variant"
NAME = re.escape(LOOKUPS[16].removesuffix("16"))
DEFINED = re.compile(rf"^(define [^\n]*@{NAME}(\d+)\([^\n]*) {{$", re.MULTILINE)
OWN = re.compile(rf"^define (?:linkonce_odr )?(.*@{NAME}[\d.]+\(.*)$", re.MULTILINE)
NOT_INLINED = re.compile(rf'^(attributes #\d+ = {{.*)\bnoinline (.*) "{VARIANTS}"="[^"]*"(.*)$', re.MULTILINE)


class Kind(NamedTuple):
    """How vectors of so many bits look up: the lines of the function for a table's length, and what they call."""

    bits: int
    body: Callable[[int], Iterator[str]]
    called: str

    def lanes(self, length: int) -> int:
        return self.bits // ENTRIES[length]


def looks_up(module: Any) -> bool:
    return any(function.name in LOOKUPS.values() for function in module.functions)


def with_vectors(text: str, kinds: Iterable[str]) -> str:
    requested = [KINDS[name] for name in kinds]
    lengths = [int(length) for _, length in DEFINED.findall(text)]
    added = [vector_function(length, kind) for length in lengths for kind in requested]
    text = DEFINED.sub(lambda result: f'{result[1]} "{VARIANTS}"="{_named(int(result[2]), requested)}" {{', text)
    return text + "\n".join(["", *(kind.called for kind in requested), *added])


def _named(length: int, kinds: Iterable[Kind]) -> str:
    """Which functions there are for vectors, as LLVM encodes it: an index for each lane, and words for all lanes."""
    name, index_kinds = LOOKUPS[length], "u" * length
    return ",".join(f"_ZGV_LLVM_N{kind.lanes(length)}v{index_kinds}_{name}({name}.{kind.bits})" for kind in kinds)


def vector_function(length: int, kind: Kind) -> str:
    """The function for vectors of a kind; nobody calls it yet, so it has a linkage that keeps it."""
    word, number = _types(length)
    result, index = (f"<{kind.lanes(length)} x {each}>" for each in (number, word))
    head = f"define {result} @{LOOKUPS[length]}.{kind.bits}({index} %index, {_names(length)})"
    lines = [f"{head} alwaysinline nounwind memory(none) {{", *kind.body(length), f"  ret {result} %found", "}", ""]
    return "\n".join(lines)


def _types(length: int) -> tuple[str, str]:
    return ("i64", "double") if ENTRIES[length] == 64 else ("i32", "float")


def _names(length: int) -> str:
    return ", ".join(f"{_types(length)[0]} %t{k}" for k in range(length))


def _registers(length: int, bits: int, kind: str) -> Iterator[str]:
    word, lanes = _types(length)[0], bits // ENTRIES[length]
    for number in range(length // lanes):
        before = "poison"
        for k in range(lanes):
            name = f"%r{number}.{k}"
            yield f"  {name} = insertelement <{lanes} x {word}> {before}, {word} %t{number * lanes + k}, i64 {k}"
            before = name
        yield f"  %r{number} = bitcast <{lanes} x {word}> {before} to {kind}"


def _avx512(length: int) -> Iterator[str]:
    kind, index = ("<8 x double>", "<8 x i64>") if length == 8 else ("<16 x float>", "<16 x i32>")
    yield from _registers(length, 512, kind)
    names = {8: "permvar.df.512", 16: "permvar.sf.512", 32: "vpermi2var.ps.512"}
    more = f", {kind} %r1" if length == 32 else ""
    yield f"  %found = call {kind} @llvm.x86.avx512.{names[length]}({kind} %r0, {index} %index{more})"


def _avx2(length: int) -> Iterator[str]:
    yield from _registers(length, 256, "<8 x float>")
    yield from _halves_of_index() if length == 8 else _integer_index_kinds()
    names, bit = [f"%p{k}" for k in range(length * ENTRIES[length] // 256)], 3
    for k, name in enumerate(names):
        yield f"  {name} = call <8 x float> @llvm.x86.avx2.permps(<8 x float> %r{k}, <8 x i32> %place)"
    while len(names) > 1:  # neighbours differ in a bit; made the sign, it is what an instruction looks at
        yield f"  %sign{bit} = shl <8 x i32> %place, splat (i32 {31 - bit})"
        yield f"  %upper{bit} = icmp slt <8 x i32> %sign{bit}, zeroinitializer"
        made = ["%chosen"] if len(names) == 2 else [f"%b{bit}.{k}" for k in range(len(names) // 2)]
        for k, name in enumerate(made):
            pair = f"<8 x float> {names[2 * k + 1]}, <8 x float> {names[2 * k]}"
            yield f"  {name} = select <8 x i1> %upper{bit}, {pair}"
        names, bit = made, bit + 1
    lanes, number = 256 // ENTRIES[length], _types(length)[1]
    yield f"  %found = bitcast <8 x float> %chosen to <{lanes} x {number}>"


def _integer_index_kinds() -> Iterator[str]:
    yield "  %place = bitcast <8 x i32> %index to <8 x i32>"


def _halves_of_index() -> Iterator[str]:
    yield "  %words = bitcast <4 x i64> %index to <8 x i32>"
    yield f"  %both = shufflevector <8 x i32> %words, <8 x i32> poison, <8 x i32> <{_listed(0, 0, 2, 2, 4, 4, 6, 6)}>"
    yield "  %even = shl <8 x i32> %both, splat (i32 1)"
    yield f"  %place = or <8 x i32> %even, <{_listed(*[0, 1] * 4)}>"


def _listed(*values: int) -> str:
    return ", ".join(f"i32 {value}" for value in values)


def _neon(length: int) -> Iterator[str]:
    """Bytes of four registers, by places of bytes; of four more where those are beyond the first 64."""
    yield from _registers(length, 128, "<16 x i8>")
    yield from _mixed_index_kinds() if length == 8 else _one_word(length)
    yield "  %b0 = bitcast <4 x i32> %bytes to <16 x i8>"
    kind, tables = "<16 x i8>", [", ".join(f"<16 x i8> %r{k}" for k in range(n, n + 4)) for n in (0, 4)]
    yield f"  %f0 = call {kind} @llvm.aarch64.neon.tbl4.v16i8({tables[0]}, {kind} %b0)"
    if length == 32:
        yield "  %b1 = sub <16 x i8> %b0, splat (i8 64)"
        yield f"  %f1 = call {kind} @llvm.aarch64.neon.tbx4.v16i8({kind} %f0, {tables[1]}, {kind} %b1)"
    lanes, number = 128 // ENTRIES[length], _types(length)[1]
    yield f"  %found = bitcast {kind} %f{length // 32} to <{lanes} x {number}>"


def _one_word(length: int) -> Iterator[str]:
    yield f"  %place = and <4 x i32> %index, splat (i32 {length - 1})"
    yield f"  %first = mul <4 x i32> %place, splat (i32 {0x04040404})"
    yield f"  %bytes = add <4 x i32> %first, splat (i32 {0x03020100})"


def _mixed_index_kinds() -> Iterator[str]:
    yield "  %words = bitcast <2 x i64> %index to <4 x i32>"
    yield f"  %both = shufflevector <4 x i32> %words, <4 x i32> poison, <4 x i32> <{_listed(0, 0, 2, 2)}>"
    yield "  %place = and <4 x i32> %both, splat (i32 7)"
    yield f"  %first = mul <4 x i32> %place, splat (i32 {0x08080808})"
    yield f"  %bytes = add <4 x i32> %first, <{_listed(*[0x03020100, 0x07060504] * 2)}>"


def _loads(length: int) -> Iterator[str]:
    (word, number), lanes, before = _types(length), 128 // ENTRIES[length], "poison"
    for k in range(lanes):
        yield f"  %i{k} = extractelement <{lanes} x {word}> %index, i64 {k}"
        yield f"  %e{k} = call {number} @{LOOKUPS[length]}({word} %i{k}, {_names(length)})"
        name = "%found" if k == lanes - 1 else f"%v{k}"
        yield f"  {name} = insertelement <{lanes} x {number}> {before}, {number} %e{k}, i64 {k}"
        before = name


NEON_TABLE = ", ".join(["<16 x i8>"] * 5)
KINDS = {
    "avx512": Kind(
        512,
        _avx512,
        "declare <8 x double> @llvm.x86.avx512.permvar.df.512(<8 x double>, <8 x i64>)\n"
        "declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)\n"
        "declare <16 x float> @llvm.x86.avx512.vpermi2var.ps.512(<16 x float>, <16 x i32>, <16 x float>)\n",
    ),
    "avx2": Kind(256, _avx2, "declare <8 x float> @llvm.x86.avx2.permps(<8 x float>, <8 x i32>)\n"),
    "neon": Kind(
        128,
        _neon,
        f"declare <16 x i8> @llvm.aarch64.neon.tbl4.v16i8({NEON_TABLE})\n"
        f"declare <16 x i8> @llvm.aarch64.neon.tbx4.v16i8(<16 x i8>, {NEON_TABLE})\n",
    ),
    "loads": Kind(128, _loads, ""),
}


def inlinable(text: str) -> str:
    return OWN.sub(r"define internal \1", NOT_INLINED.sub(r"\1alwaysinline \2\3", text))


def inline(module: Any, builder: Any) -> None:
    from llvmlite.binding import create_new_module_pass_manager

    passes = create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)
