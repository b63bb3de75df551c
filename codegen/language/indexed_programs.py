"""The language of indexed programs: an op as assignments to elements, each said once for any index.

    result[i, j] = sum[k]((self[i, k] - other[j, k]) ** 2)

A program is statements in Python's syntax.

    name[i, j] = expression    an array, of which every element is computed; `i` and `j` are indices
    name[f(e)] += expression   what all indices give for a place is added up there, from 0: a scatter
    name[f(e)] = max[e](...)   what all `e` give for a place is folded: sum, max, min, argmax, argmin
    name = expression          a part of expressions below: it stands for its expression, unless `name: ()` is declared
    name: (n, d)               how many elements an array has along each dimension: names or expressions
    i: range(n - 1)            the values of an index
    x[i, 2 * j + k]            an element: any integers, also those of arrays, x[index[i]]; nan where there is none, of
                               integers and bools 0
    padded(x[i - 1], 0)        an element, or the second number where there is none
    fold[k, l](expression)     sum mean prod max min logsumexp any all over indices
    argmax[k](expression)      the first k of the greatest, argmin of the least; of [k, l]: its number in their order
    int(x)                     the integer part, for places
    n, i                       sizes, indices and number arguments are numbers

A size is a name in `name: (n, d)`; an index without a range has that of the dimension where it stands alone. Elements
are computed in the dtype of the tensors. Arguments that are `non_differentiable` are read as they are: integers for
places, bools for conditions. More dimensions ahead of those that a program names are a batch, in which arguments
broadcast as in NumPy's generalized functions.

A statement that reads its own array, or one that is assigned below, is a recurrence: its indices run in the order in
which all that is read has been computed, from the front or from the end.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .index_expressions import Read, free_names, reads, unconditional_reads, without_int

Fault = tuple[ast.AST, str]  # a node and what is wrong there


@dataclass(frozen=True)
class Array:
    """An array of a program; `dims` are its sizes, as expressions. Kinds: input, constant (not cast), output, local."""

    name: str
    kind: str
    dims: tuple[ast.expr, ...]


@dataclass(frozen=True)
class Statement:
    """`name[places] = value`, for all values of `indices`; `collect` is how values meet in one place, if they do."""

    name: str
    subscripts: tuple[ast.expr, ...]
    value: ast.expr
    collect: str = ""
    ranges: Mapping[str, tuple[ast.expr, ast.expr]] = field(default_factory=dict)  # of each index, folds' included
    node: ast.AST = field(default_factory=lambda: ast.Pass(lineno=1, col_offset=0))

    @property
    def text(self) -> str:
        left = f"{self.name}[{', '.join(map(ast.unparse, self.subscripts))}]" if self.subscripts else self.name
        value = ast.unparse(self.value)
        if self.collect == "sum":
            return f"{left} += {value}"
        over = ", ".join(self.indices)
        return f"{left} = {self.collect}[{over}]({value})" if self.collect else f"{left} = {value}"

    @cached_property
    def indices(self) -> tuple[str, ...]:
        """Those of its loops: all but the folds' own."""
        trees = [*self.subscripts, self.value] if self.collect else list(self.subscripts)
        return tuple(dict.fromkeys(name for tree in trees for name in free_names(tree) if name in self.ranges))


@dataclass(frozen=True)
class IndexedProgram:
    name: str
    arrays: Mapping[str, Array]
    numbers: Mapping[str, str]  # arguments and their types: float, int, bool
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]
    sizes: tuple[str, ...]  # names that the shapes of arguments give
    equal: tuple[tuple[ast.expr, ast.expr, str], ...] = ()  # sizes that must agree, and what they are of
    unchecked: frozenset[str] = frozenset()
    in_rows: frozenset[str] = frozenset()  # arrays of which there is one row at a time

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(statement.text for statement in self.statements)

    def of_kind(self, *kinds: str) -> tuple[Array, ...]:
        return tuple(array for array in self.arrays.values() if array.kind in kinds)

    @cached_property
    def groups(self) -> tuple[tuple[Statement, ...], ...]:
        """The statements one after the other; those that read each other are a group, a recurrence."""
        return tuple(tuple(self.statements[first:end]) for first, end in _groups(self.statements))

    @cached_property
    def checked_indices(self) -> tuple[tuple[str, ast.expr], ...]:
        """Arguments whose elements are places, and the size that they are below; not those under a condition."""
        matches: dict[str, tuple[str, ast.expr]] = {}
        for statement in self.statements:
            known = [Read(statement.name, statement.subscripts, statement.value)] if statement.collect else []
            for read in (*known, *unconditional_reads(statement.value, self.arrays)):
                for subscript, dim in zip(read.subscripts, self.arrays[read.name].dims, strict=True):
                    name = getattr(subscript.value if isinstance(subscript, ast.Subscript) else subscript, "id", "")
                    is_index = name in self.arrays and self.arrays[name].kind == "constant"
                    if is_index and name not in self.unchecked:
                        matches[f"{name} {ast.dump(dim)}"] = name, dim
        return tuple(matches.values())

    @cached_property
    def integers(self) -> tuple[str, ...]:
        """Arguments whose elements are places, or parts of such, as they are."""
        constants = {name for name, array in self.arrays.items() if array.kind == "constant"}
        subscripts = [s for statement in self.statements if statement.collect for s in statement.subscripts]
        for statement in self.statements:
            subscripts += [s for read in reads(statement.value, self.arrays) for s in read.subscripts]
        named = [name for subscript in subscripts for name in free_names(without_int(subscript))]
        return tuple(dict.fromkeys(name for name in named if name in constants))

    def is_recurrence(self, group: Sequence[Statement]) -> bool:
        own = {statement.name for statement in group}
        return tuple(group) in self.groups and any(
            read.name in own for statement in group for read in reads(statement.value, self.arrays)
        )


def _groups(statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    assigned: dict[str, int] = {}
    for k, statement in enumerate(statements):
        assigned[statement.name] = k
    first = 0
    while first < len(statements):
        end, k = first + 1, first
        while k < end:
            later = [assigned[name] for name in free_names(statements[k].value) if name in assigned]
            end = max([end, *(at + 1 for at in later)])
            k += 1
        yield first, end
        first = end


def ordered(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements in an order in which recurrences are as short as can be."""
    result: list[Statement] = []
    for first, end in _groups(statements):
        span = list(statements[first:end])
        if len({statement.name for statement in span}) < len(span):
            result += span
            continue
        front = _peeled(span, lambda one, rest: not _named(one) & {other.name for other in rest})
        back = _peeled(span[::-1], lambda one, rest: not any(one.name in _named(s) for s in rest if s is not one))
        span = [statement for statement in span if statement not in (*front, *back)]
        result += [*front, *span, *(statement for statement in back[::-1] if statement not in front)]
    return tuple(result)


def _peeled(span: Sequence[Statement], is_free: Callable[[Statement, Sequence[Statement]], bool]) -> list[Statement]:
    """Those that are free of the rest, one after the other."""
    rest, result = list(span), list[Statement]()
    while (one := next((each for each in rest if is_free(each, rest)), None)) is not None:
        rest.remove(one)
        result.append(one)
    return result


def _named(statement: Statement) -> set[str]:
    return {*free_names(statement.value)}


def arrays_in_subscripts(statement: Statement, arrays: Collection[str]) -> set[str]:
    """The arrays whose elements are places."""
    trees = [subscript for read in reads(statement.value, arrays) for subscript in read.subscripts]
    return {read.name for tree in (*trees, *statement.subscripts) for read in reads(without_int(tree), arrays)}
