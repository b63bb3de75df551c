"""The CUDA kernels of a row program: the passes of the CPU's loop, each row by a team of threads.

A team is a thread, lanes of a warp, a block, or the threads of a block that have a column. Lane k has the elements
k, k + lanes, k + 2 lanes, ...; what lanes found is put together in an order that depends on sizes alone. A team beyond
the last row goes to the barriers like the others. A lane reads BLOCK elements before it uses the first of them: that
many reads wait for memory together, without which a device reaches half of its bandwidth.

`held`: the lanes have a whole row in registers, read once. `whole` passes over longer rows. Few long rows are split
among blocks: `fold_1`, `fold_2`, ... leave what parts of a row come to, and `finish` puts that together and writes.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..language.row_programs import ARG_REDUCTIONS, COUNT, Program
from .cpu_code import Code, indented
from .passes import COUNTS, Fold, Lowered, Number, Pass
from .python_code import INTEGER, TRUTH, Spelling, names_in_lines

# Names of a kernel that are its variant's own: see runtime/kernels/cuda/thread_groups.py and row_layouts.py.
VARIANT = (
    *("T", "W", "BLOCK", "MIN_VALUE", "MAX_VALUE", "thread_group", "split_group", "split_range", "lane", "lanes"),
    *("begin", "element_offset", "shared_offset"),
    *("across_sum", "across_prod", "across_count", "across_max", "across_min", "across_argmax", "across_argmin"),
    *("comes_first", "comes_last"),
)
_BEGIN = {"sum": "W(0)", "prod": "W(1)", COUNTS: "int32(0)", "max": "MIN_VALUE", "min": "MAX_VALUE"}
_JOIN = {"max": "maximum", "min": "minimum"}


def cuda_code(program: Program) -> dict[str, Code]:
    """The kernels by name; sums over rows have a program of their own."""
    lowered = Lowered(program)
    count = len(lowered.passes)
    results = {"held": _Held(program, lowered, "held", count).code()}
    results["full"] = _FullRow(program, lowered, "full", count).code()
    for number in range(count):
        results[f"fold_{number + 1}"] = _Part(program, lowered, f"fold_{number + 1}", number).code()
    return results | {"finish": _Finish(program, lowered, "finish", count).code()}


def without_unused(lines: tuple[str, ...]) -> tuple[str, ...]:
    tree = ast.parse("\n".join(lines))
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    assigned = [(node.lineno - 1, node.targets[0]) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    named = [(number, {n.id for n in ast.walk(to) if isinstance(n, ast.Name)}) for number, to in assigned]
    unused = {number for number, names in named if not read & names}
    retained = tuple(line for number, line in enumerate(lines) if number not in unused)
    return without_unused(retained) if unused else lines


def parts_of(lowered: Lowered) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(tuple((name, kind) for fold in each.folds for name, kind in _held(fold)) for each in lowered.passes)


def _over_block(counted: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines for each element of a block, as far as the row goes: `k` counts the elements, `counted` is the place."""
    yield "k = uint32(0)"
    yield f"while k < BLOCK and {counted} < last:"
    yield from indented(1, lines)
    yield f"    {counted} = uint32({counted} + lanes())"
    yield "    k = uint32(k + uint32(1))"


def _held(fold: Fold) -> Iterator[tuple[str, str]]:
    if fold.op in ARG_REDUCTIONS:
        yield f"best_{fold.name}", "T"
        yield fold.name, "uint32"
    else:
        yield fold.name, {"max": "T", "min": "T", COUNTS: "int32"}.get(fold.op, "W")


class _Writer:
    """Writes one kernel, of the passes before `stop` and what comes of them."""

    doc: str  # of the outputs' names, and the number of the last pass
    thread_group = "r = thread_group()"
    range = "first, last = uint32(0), n if inside else uint32(0)"

    def __init__(self, program: Program, lowered: Lowered, name: str, stop: int) -> None:
        self.program = program
        self.lowered = lowered
        self.name = name
        self.stop = stop
        self.spelling = Spelling(lowered, self._element_at, "W")
        self.known: set[str] = set()  # the statements whose values for all elements a lane has

    def _element_at(self, array: str, where: str) -> str:
        own = "shared_offset(layout, r," if array in self._shared() else "element_offset(layout, start,"
        at = f"{own} uint32({where}))"
        return f"(get_{array}(all_{array}, {at}) if 0 <= {where} < n else T(np.nan))"

    def code(self) -> Code:
        lines = without_unused(tuple(self._lines()))
        used = names_in_lines(lines)
        helpers = [*VARIANT, "cuda", "uint32", "int32", *(f"get_{p.name}" for p in self.program.arrays)]
        helpers += [f"put_{name}" for name in self.program.outputs]
        return Code(lines, tuple(sorted(self.spelling.functions & used)), tuple(n for n in helpers if n in used))

    def _lines(self) -> Iterator[str]:
        yield f"def {self.name}({', '.join(self._parameters())}):"
        yield f'    """{self.doc.format(", ".join(self.program.outputs), self.stop + 1)}"""'
        for line in (self.thread_group, "inside = r < rows", "r = r if inside else uint32(0)", self.range):
            yield f"    {line}"
        yield "    start = begin(layout, r)"
        yield from (f"    own_{name} = cuda.local.array(BLOCK, T)" for name in self._own())
        yield from indented(1, self._body())

    def _own(self) -> list[str]:
        return [p.name for p in self.program.arrays if p.kind != "each"]

    def _arrays(self) -> list[str]:
        return [f"all_{p.name}" for p in self.program.arrays]

    def _scalar_params(self) -> list[str]:
        return [p.name for p in self.program.of_kind("number")]

    def _loads(self) -> Iterator[str]:
        yield from (f"{p.name} = get_{p.name}(all_{p.name}, r)" for p in self.program.of_kind("each"))

    def _numbers(self, numbers: Iterable[Number]) -> Iterator[str]:
        yield from (f"{number.name} = {self.spelling.number(number.value)}" for number in numbers)

    def _start(self, folds: Sequence[Fold]) -> Iterator[str]:
        for fold in folds:
            if fold.op in ARG_REDUCTIONS:
                yield f"best_{fold.name}, {fold.name} = {_BEGIN[fold.op[3:]]}, n"
            else:
                yield f"{fold.name} = {_BEGIN[fold.op]}"

    def _pass(self, each: Pass) -> Iterator[str]:
        yield from self._start(each.folds)
        sums = [fold for fold in each.folds if fold.op == "sum"]
        trees = [fold.operand for fold in each.folds]
        before = [f"part_of_{fold.name} = T(0)" for fold in sums]
        after = [f"{fold.name} += W(part_of_{fold.name})" for fold in sums]
        merged_folds = [line for fold in each.folds for line in self._reduced(fold)]
        yield from self._blocks(trees, before, [*self._elements(trees), *merged_folds], after)

    def _blocks(
        self, trees: list[ast.expr], before: Sequence[str], inside: Sequence[str], after: Sequence[str] = ()
    ) -> Iterator[str]:
        yield "i = uint32(first + lane())"
        yield "while i < last:"
        yield from indented(1, self._read_block(trees))
        yield from indented(1, [*before, *_over_block("i", inside), *after])

    def _read_block(self, trees: list[ast.expr]) -> Iterator[str]:
        lines = [*self._offset_lines(trees, "j"), *self._gets(self._read_by(trees))]
        if lines:
            yield "j = i"
            yield from _over_block("j", lines)

    def _read_by(self, trees: list[ast.expr]) -> tuple[str, ...]:
        needed = self.lowered.needed(trees)
        return self.lowered.read([*trees, *(self.lowered.statements[name] for name in needed)])

    def _offset_lines(self, trees: list[ast.expr], where: str) -> Iterator[str]:
        read, shared = set(self._read_by(trees)), self._shared()
        if read - shared:
            yield f"at = element_offset(layout, start, {where})"
        if read & shared:
            yield f"shared_at = shared_offset(layout, r, {where})"

    def _gets(self, arrays: Sequence[str]) -> Iterator[str]:
        for array in arrays:
            yield f"own_{array}[k] = get_{array}(all_{array}, {'shared_at' if array in self._shared() else 'at'})"

    def _shared(self) -> set[str]:
        return {p.name for p in self.program.of_kind("shared")}

    def _across(self, folds: Sequence[Fold]) -> Iterator[str]:
        for fold in folds:
            if fold.op in ARG_REDUCTIONS:
                yield f"best_{fold.name}, {fold.name} = across_{fold.op}(best_{fold.name}, {fold.name})"
            else:
                yield f"{fold.name} = across_{fold.op}({fold.name})"

    def _elements(self, trees: list[ast.expr]) -> Iterator[str]:
        needed = self.lowered.needed(trees, self.known)
        values = [self.lowered.statements[name] for name in needed if name not in self.known]
        yield from (f"{array} = own_{array}[k]" for array in self.lowered.read([*trees, *values]))
        for name in needed:
            yield from self._element(name)

    def _element(self, name: str) -> Iterator[str]:
        yield f"{name} = {self.spelling.element(self.lowered.statements[name])}"

    def _reduced(self, fold: Fold) -> Iterator[str]:
        operand = self.spelling.element(fold.operand)
        if fold.op in ARG_REDUCTIONS:
            yield f"found = {operand}"
            yield from self._better(fold, "i")
        elif fold.op in _JOIN:
            yield self._merged(fold, operand)
        elif fold.op == COUNTS:
            yield f"{fold.name} += int32(1) if {operand} else int32(0)"
        elif fold.op == "prod":
            yield f"{fold.name} *= W({operand})"
        else:
            yield f"part_of_{fold.name} += {operand}"

    def _better(self, fold: Fold, where: str) -> Iterator[str]:
        word = "comes_first" if fold.op == "argmax" else "comes_last"
        yield f"if {word}(found, {where}, best_{fold.name}, {fold.name}):"
        yield f"    best_{fold.name}, {fold.name} = found, {where}"

    def _merged(self, fold: Fold, other: str) -> str:
        self.spelling.functions.add(_JOIN[fold.op])
        return f"{fold.name} = {_JOIN[fold.op]}({fold.name}, {other})"

    def _write_numbers(self, condition: str) -> Iterator[str]:
        if self.lowered.each:
            yield f"if {condition}:"
            yield from (f"    put_{name}(all_{name}, r, {name})" for name in self.lowered.each)

    def _written(self) -> list[ast.expr]:
        return [ast.Name(name, ast.Load()) for name in self.lowered.rows]

    def _write_rows(self) -> Iterator[str]:
        if self.lowered.rows:
            trees = self._written()
            puts = [f"put_{name}(all_{name}, at, {name})" for name in self.lowered.rows]
            yield from self._blocks(trees, (), [*self._elements(trees), "at = element_offset(layout, start, i)", *puts])

    def _parameters(self) -> list[str]:
        raise NotImplementedError

    def _body(self) -> Iterator[str]:
        raise NotImplementedError


class _FullRow(_Writer):
    """One launch: a team does all passes over its row."""

    doc = "{} of each row, by a team that passes over all of it."

    def _parameters(self) -> list[str]:
        outputs = [f"all_{name}" for name in self.program.outputs]
        return [*self._arrays(), *outputs, *self._scalar_params(), COUNT, "rows", "layout"]

    def _body(self) -> Iterator[str]:
        yield from self._loads()
        for each in self.lowered.passes:
            yield from self._numbers(each.numbers)
            yield from self._pass(each)
            yield from self._across(each.folds)
        yield from self._numbers(self.lowered.last)
        yield from self._write_numbers("inside and lane() == 0")
        yield from self._write_rows()


class _Held(_FullRow):
    """One launch: a team has a row in its registers."""

    doc = "{} of each row, whose elements a team has in its registers."

    @cached_property
    def retained(self) -> set[str]:
        loops = [self.lowered.needed([fold.operand for fold in each.folds]) for each in self.lowered.passes]
        needed = Counter(name for names in [*loops, self.lowered.needed(self._written())] for name in names)
        return {name for name, times in needed.items() if times > 1 and self._is_worth_it(name)}

    def _is_worth_it(self, name: str) -> bool:
        calls = any(isinstance(node, ast.Call) for node in ast.walk(self.lowered.statements[name]))
        return calls and self.spelling.kinds[name] not in (INTEGER, TRUTH)

    def _own(self) -> list[str]:
        return [*super()._own(), *sorted(self.retained)]

    def _body(self) -> Iterator[str]:
        trees = [fold.operand for each in self.lowered.passes for fold in each.folds]
        yield "i = uint32(first + lane())"
        yield from super()._read_block([*trees, *self._written()])
        yield from super()._body()

    def _read_block(self, trees: list[ast.expr]) -> Iterator[str]:
        yield from ()

    def _blocks(
        self, trees: list[ast.expr], before: Sequence[str], inside: Sequence[str], after: Sequence[str] = ()
    ) -> Iterator[str]:
        yield "i = uint32(first + lane())"
        yield from [*before, *_over_block("i", inside), *after]

    def _element(self, name: str) -> Iterator[str]:
        if name in self.known:
            yield f"{name} = own_{name}[k]"
            return
        yield from super()._element(name)
        if name in self.retained:
            self.known.add(name)
            yield f"own_{name}[k] = {name}"


class _Split(_Writer):
    """A kernel of few long rows: block `part` of `parts` has a range of its row."""

    def _parts(self, folds: Sequence[Fold]) -> list[str]:
        return [name for fold in folds for name, _ in _held(fold)]

    thread_group = "r, part = split_group(parts)"
    range = "first, last = split_range(part, size, n if inside else uint32(0))"

    def _before(self) -> Iterator[str]:
        yield from self._loads()
        for each in self.lowered.passes[: self.stop]:
            yield from self._numbers(each.numbers)
            yield from self._start(each.folds)
            yield "k = lane()"
            yield "while k < parts:"
            for fold in each.folds:
                yield from indented(1, self._merged_part(fold))
            yield "    k = uint32(k + lanes())"
            yield from self._across(each.folds)

    def _merged_part(self, fold: Fold) -> Iterator[str]:
        at = "uint32(uint32(r * parts) + k)"
        if fold.op in ARG_REDUCTIONS:
            yield f"found, where = parts_of_best_{fold.name}[{at}], parts_of_{fold.name}[{at}]"
            yield from self._better(fold, "where")
        elif fold.op in _JOIN:
            yield self._merged(fold, f"parts_of_{fold.name}[{at}]")
        else:
            yield f"{fold.name} {'*' if fold.op == 'prod' else '+'}= parts_of_{fold.name}[{at}]"

    def _scalar_args(self) -> list[str]:
        before = [fold for each in self.lowered.passes[: self.stop] for fold in each.folds]
        return [f"parts_of_{name}" for name in self._parts(before)]


class _Part(_Split):
    doc = "What each part of a row comes to in pass {1}."

    def _parameters(self) -> list[str]:
        own = [f"parts_of_{name}" for name in self._parts(self.lowered.passes[self.stop].folds)]
        sizes = [COUNT, "rows", "parts", "size", "layout"]
        return [*self._arrays(), *self._scalar_args(), *own, *self._scalar_params(), *sizes]

    def _body(self) -> Iterator[str]:
        own = self.lowered.passes[self.stop]
        yield from self._before()
        yield from self._numbers(own.numbers)
        yield from self._pass(own)
        yield from self._across(own.folds)
        yield "if inside and lane() == 0:"
        for name in self._parts(own.folds):
            yield f"    parts_of_{name}[uint32(uint32(r * parts) + part)] = {name}"


class _Finish(_Split):
    doc = "{} from what the parts of rows came to."

    def _parameters(self) -> list[str]:
        outputs = [f"all_{name}" for name in self.program.outputs]
        sizes = [COUNT, "rows", "parts", "size", "layout"]
        return [*self._arrays(), *self._scalar_args(), *outputs, *self._scalar_params(), *sizes]

    def _body(self) -> Iterator[str]:
        yield from self._before()
        yield from self._numbers(self.lowered.last)
        yield from self._write_numbers("inside and lane() == 0 and part == 0")
        yield from self._write_rows()
