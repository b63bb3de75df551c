"""What the loops of one function have in common: the statements that are written, names, tests of subscripts."""

import ast
from collections.abc import Sequence

from ..language.indexed_faults import directions
from ..language.indexed_programs import Statement
from .element_code import ElementCode, Loop, Packed
from .intervals import Intervals
from .program_kinds import ProgramCode
from .python_code import plain


class LoopFunction:
    """What a nest asks of the function that it stands in."""

    has_rows = True  # whether functions of rows in memory are at hand

    def __init__(self, code: ProgramCode, group: Sequence[Statement], begun: set[str]) -> None:
        self.code = code
        self.program = code.program
        self.arrays = self.program.arrays
        self.group = group
        self.begun = set(begun)  # arrays that were assigned before
        self.functions: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.blocks: list[str] = []  # memory for a part of a row
        self.packed: dict[str, Packed] = {}  # by the text of a read, in the group's loops
        self.copies: list[Packed] = []
        self.memory: list[str] = []  # lines that make room for sums
        self.own_rows: list[str] = []  # arrays of which there is one row at a time
        self.in_registers: list[str] = []  # arrays of which there is one row at a time, an element in each register
        self.unit = 1  # how many rows threads get together
        self.tests: dict[str, None] = {}
        self.guarded = False
        self.checked = {(name, ast.dump(dim)) for name, dim in self.program.checked_indices}
        self.reserved = {*code.reserved, *code.word.values(), *code.at.values(), *code.step.values()}
        self.word = code.word
        self.inside = ""  # the index that is far enough from the ends of its range
        self.is_recurrence = self.program.is_recurrence(group)
        self.ways = directions(self.program, group) if self.is_recurrence else {}
        self.parallel = self._parallel()

    def _parallel(self) -> str:
        """The index whose values threads may share."""
        first = self.group[0]
        if self.is_recurrence or first.collect or not first.subscripts:
            return ""
        if first.name in self.code.wavefronts:
            return ""
        return first.subscripts[0].id if isinstance(first.subscripts[0], ast.Name) else ""

    def _count(self) -> str:
        if not self.parallel:
            return "1"
        start, stop = self.group[0].ranges[self.parallel]
        text = ast.unparse(stop) if ast.unparse(start) == "0" else f"{ast.unparse(stop)} - ({ast.unparse(start)})"
        return text if text.isidentifier() else f"({text})"

    def row_size(self, name: str) -> str:
        dims = [f"({ast.unparse(dim)})" for dim in self.arrays[name].dims[1:]]
        return plain(" * ".join(dims)) if dims else "1"

    def new(self, word: str) -> str:
        while True:
            self.numbers[word] = self.numbers.get(word, 0) + 1
            name = f"{word}_{self.numbers[word]}"
            if name not in self.reserved:
                return name

    def loop(self, index: str, statement: Statement) -> Loop:
        start, stop = statement.ranges[index]
        if index == self.parallel:  # the part of a thread, in one example
            b, begin, end = (self.word[word] for word in ("b", "begin", "end"))
            own = f"{b} * {self._count()}"
            own = own if ast.unparse(start) == "0" else f"({own} - ({ast.unparse(start)}))"
            return Loop(index, f"{begin} - {own}", f"{end} - {own}")
        return Loop(index, ast.unparse(start), ast.unparse(stop), self.ways.get(index, 1))

    def _loops(self, statement: Statement, names: Sequence[str]) -> list[Loop]:
        return [self.loop(name, statement) for name in names]

    def depth_of(self, statement: Statement) -> int:
        """How many loops stand around a statement."""
        return len(statement.subscripts)

    def needs_bounds_check(self, nest: ElementCode, subscript: ast.expr, dim: ast.expr) -> bool:
        """Whether a place is tested in the loop; if sizes can tell that it is inside, they are asked before."""
        name = (
            subscript.value.id if isinstance(subscript, ast.Subscript) and isinstance(subscript.value, ast.Name) else ""
        )
        if (name, ast.dump(dim)) in self.checked:
            return False
        match subscript, dim:
            case ast.Constant(value=int(number)), ast.Constant(value=int(size)):
                return not 0 <= number < size
        if self.guarded:
            return True
        intervals = Intervals(self.program, nest.statement)
        ends = intervals.of(subscript)
        if ends is None:
            return True
        self.tests |= dict.fromkeys(f"{divisor} > 0" for divisor in intervals.divisors)
        if ends == ("0", f"({nest.size(dim)} - 1)"):
            return False
        self.tests[f"0 <= {ends[0]}"] = None
        self.tests[f"{ends[1]} < {nest.size(dim)}"] = None
        return False

    def load(self, name: str, offset: str) -> str:
        return f"{name}[np.uint64({offset})]"

    def store(self, name: str, offset: str, text: str) -> str:
        return f"{self.load(name, offset)} = {text}"

    def minmax_source(self, word: str, total: str, text: str) -> str:
        """The greater or the less of two, nan where one is."""
        sign = ">" if word == "max" else "<"
        return f"{text} if {text} {sign} {total} or {text} != {text} else {total}"
