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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .syntax import SCALAR_SYNTAX, did_you_mean, faults, too_deep

SUMS = ("sum", "mean")
FOLDS = (*SUMS, "prod", "max", "min", "logsumexp", "any", "all", "argmax", "argmin")
COLLECTING = ("sum", "max", "min", "argmax", "argmin")  # folds of what goes to one place
PADDED, INT = "padded", "int"
SYNTAX = (*SCALAR_SYNTAX, ast.Subscript, ast.Tuple)
OWN = (PADDED, INT, "range", "min", "max", "abs", "T", "np", "jit", "inf", "nan", "pi")  # names that mean something
MAX_STATEMENTS = 50
Fault = tuple[ast.AST, str]


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
    places: tuple[ast.expr, ...]
    value: ast.expr
    collect: str = ""
    ranges: Mapping[str, tuple[ast.expr, ast.expr]] = field(default_factory=dict)  # of each index, folds' included
    node: ast.AST = field(default_factory=lambda: ast.Pass(lineno=1, col_offset=0))

    @property
    def text(self) -> str:
        left = f"{self.name}[{', '.join(map(ast.unparse, self.places))}]" if self.places else self.name
        value = ast.unparse(self.value)
        if self.collect == "sum":
            return f"{left} += {value}"
        over = ", ".join(self.indices)
        return f"{left} = {self.collect}[{over}]({value})" if self.collect else f"{left} = {value}"

    @cached_property
    def indices(self) -> tuple[str, ...]:
        """Those of its loops: all but the folds' own."""
        trees = [*self.places, self.value] if self.collect else list(self.places)
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
    def checked_places(self) -> tuple[tuple[str, ast.expr], ...]:
        """Arguments whose elements are places, and the size that they are below; not those under a condition."""
        found: dict[str, tuple[str, ast.expr]] = {}
        for statement in self.statements:
            known = [Read(statement.name, statement.places, statement.value)] if statement.collect else []
            for read in (*known, *_unconditional(statement.value, self.arrays)):
                for place, dim in zip(read.places, self.arrays[read.name].dims, strict=True):
                    name = getattr(place.value if isinstance(place, ast.Subscript) else place, "id", "")
                    is_place = name in self.arrays and self.arrays[name].kind == "constant"
                    if is_place and name not in self.unchecked:
                        found[f"{name} {ast.dump(dim)}"] = name, dim
        return tuple(found.values())

    def is_recurrence(self, group: Sequence[Statement]) -> bool:
        own = {statement.name for statement in group}
        return any(read.name in own for statement in group for read in reads(statement.value, self.arrays))


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
        front = _taken(span, lambda one, rest: not _named(one) & {other.name for other in rest})
        back = _taken(span[::-1], lambda one, rest: not any(one.name in _named(s) for s in rest if s is not one))
        span = [statement for statement in span if statement not in (*front, *back)]
        result += [*front, *span, *(statement for statement in back[::-1] if statement not in front)]
    return tuple(result)


def _taken(span: Sequence[Statement], is_free: Callable[[Statement, Sequence[Statement]], bool]) -> list[Statement]:
    """Those that are free of the rest, one after the other."""
    rest, result = list(span), list[Statement]()
    while (one := next((each for each in rest if is_free(each, rest)), None)) is not None:
        rest.remove(one)
        result.append(one)
    return result


def _named(statement: Statement) -> set[str]:
    return {*free_names(statement.value)}


@dataclass(frozen=True)
class Read:
    name: str
    places: tuple[ast.expr, ...]
    node: ast.expr


def reads(tree: ast.AST, arrays: Collection[str]) -> Iterator[Read]:
    """The elements that an expression reads, those inside of places included."""
    subscripted: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            subscripted.add(id(node.value))
            if node.value.id in arrays:
                yield Read(node.value.id, places_of(node), node)
        elif isinstance(node, ast.Name) and node.id in arrays and id(node) not in subscripted:
            yield Read(node.id, (), node)


def _unconditional(tree: ast.expr, arrays: Collection[str]) -> Iterator[Read]:
    """The elements that are read whatever conditions say."""
    match tree:
        case ast.Subscript(value=ast.Name(id=name)) if name in arrays:
            yield Read(name, places_of(tree), tree)
        case ast.IfExp(test=test):
            yield from _unconditional(test, arrays)
            return
        case ast.Call(func=ast.Name(id="padded"), args=[ast.Subscript() as element, _]):
            for place in places_of(element):
                yield from _unconditional(place, arrays)
            return
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Name):
            yield from _unconditional(child, arrays)


def names_of_places(statement: Statement, arrays: Collection[str]) -> set[str]:
    """The arrays whose elements are places."""
    trees = [place for read in reads(statement.value, arrays) for place in read.places]
    return {read.name for tree in (*trees, *statement.places) for read in reads(_without_int(tree), arrays)}


def _without_int(tree: ast.AST) -> ast.AST:
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == INT:
        return ast.Constant(0)
    return rebuilt(tree, _without_int)


def places_of(node: ast.Subscript) -> tuple[ast.expr, ...]:
    return tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)


def fold_of(node: ast.AST) -> tuple[str, tuple[str, ...], ast.expr] | None:
    """`sum[k, l](x)`: its word, its indices and its operand."""
    match node:
        case ast.Call(func=ast.Subscript(value=ast.Name(id=word)) as subscript, args=[operand]) if word in FOLDS:
            places = places_of(subscript)
            if all(isinstance(place, ast.Name) for place in places):
                return word, tuple(place.id for place in places if isinstance(place, ast.Name)), operand
    return None


def folded(word: str, over: Sequence[str], operand: ast.expr) -> ast.expr:
    """`word[over](operand)`; the operand itself where nothing is folded."""
    if not over:
        return operand
    names: list[ast.expr] = [ast.Name(name, ast.Load()) for name in over]
    index = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())
    return ast.Call(ast.Subscript(ast.Name(word, ast.Load()), index, ast.Load()), [operand], [])


def free_names(tree: ast.AST) -> list[str]:
    """The names in an expression in their order, but for those of functions and those that a fold in it binds."""
    names: list[str] = []

    def visit(node: ast.AST, bound: frozenset[str]) -> None:
        fold = fold_of(node)
        if fold is not None:
            visit(fold[2], bound | {*fold[1]})
            return
        if isinstance(node, ast.Name):
            if node.id not in bound:
                names.append(node.id)
            return
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            children = list(node.args)
        for child in children:
            visit(child, bound)

    visit(tree, frozenset())
    return list(dict.fromkeys(names))


def bound_names(tree: ast.AST) -> list[str]:
    """The indices of the folds in an expression."""
    return list(dict.fromkeys(name for node in ast.walk(tree) if (fold := fold_of(node)) for name in fold[1]))


def renamed(tree: ast.expr, trees: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with other ones for its free names."""

    def visit(node: ast.AST, bound: frozenset[str]) -> ast.AST:
        if isinstance(node, ast.Name) and node.id in trees and node.id not in bound:
            return copied(trees[node.id])
        fold = fold_of(node)
        if fold is not None:
            bound |= {*fold[1]}
        return rebuilt(node, lambda child: visit(child, bound))

    result = visit(tree, frozenset())
    assert isinstance(result, ast.expr)
    return result


def replaced(tree: ast.expr, part: ast.expr, other: ast.expr) -> ast.expr:
    """The expression with another one for each part that is the same."""
    key = ast.dump(part)

    def visit(node: ast.AST) -> ast.AST:
        return copied(other) if ast.dump(node) == key else rebuilt(node, visit)

    result = visit(tree)
    assert isinstance(result, ast.expr)
    return result


def rebuilt(node: ast.AST, of: Callable[[ast.AST], ast.AST]) -> ast.AST:
    """A new node with `of` each child."""
    fields: dict[str, Any] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            fields[name] = [of(item) if isinstance(item, ast.AST) else item for item in value]
        else:
            fields[name] = of(value) if isinstance(value, ast.AST) else value
    new = type(node)(**fields)
    return ast.copy_location(new, node) if hasattr(node, "lineno") else new


def copied(node: ast.expr) -> ast.expr:
    """A tree of new nodes, each once in it."""
    return rebuilt(node, copied)  # type: ignore[arg-type, return-value]


def fresh(word: str, known: Iterable[str]) -> str:
    """A name that is not known: the word, with a number where it needs one."""
    name, number, taken = word, 1, set(known)
    while name in taken:
        number += 1
        name = f"{word}_{number}"
    return name


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def is_name(tree: ast.AST, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name


# ---- reading ---------------------------------------------------------------------------------------------------------


class Reader:
    """Reads the statements of a program; `faults` are what is wrong, each with the node where it is."""

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str],
        numbers: Mapping[str, str],
        outputs: Sequence[str],
        unchecked: Collection[str] = (),
        is_derived: bool = False,
    ) -> None:
        self.name = name
        self.is_derived = is_derived  # from one that was read, so that its syntax is right
        self.unchecked = frozenset(unchecked)  # arguments whose elements may be places outside
        self.inputs, self.numbers, self.outputs = inputs, numbers, tuple(outputs)
        self.faults: list[Fault] = []
        self.shapes: dict[str, tuple[ast.expr, ...]] = {}
        self.ranges: dict[str, tuple[ast.expr, ast.expr]] = {}
        self.parts: dict[str, ast.expr] = {}  # assigned without an index
        self.written: list[Statement] = []

    def read(self, body: Sequence[ast.stmt]) -> IndexedProgram | None:
        if len(body) > MAX_STATEMENTS and not self.is_derived:
            self._fault(body[MAX_STATEMENTS], f"expected at most {MAX_STATEMENTS} statements")
            return None
        for node in body:
            self._statement(node)
        if self.faults:
            return None
        self._missing(body[-1] if body else ast.Pass(lineno=1, col_offset=0))
        return None if self.faults else Typed(self).program()

    def _fault(self, node: ast.AST, message: str) -> None:
        self.faults.append((node, message))

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                self._declared(name, annotation)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in (*self.outputs, *self.shapes):
                self._expression(value)
                self._named(node, name)
                self.parts[name] = self._with_parts(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assigned(node, name, (), value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value):
                self._assigned(node, name, places_of(target), value)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)) as target, op=ast.Add(), value=value):
                self._assigned(node, name, places_of(target), value, "sum")
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                self._assigned(node, name, (), value, "sum")
            case _:
                self._fault(node, f"expected an assignment, name[i] = expression, found '{ast.unparse(node)[:40]}'")

    def _declared(self, name: str, annotation: ast.expr) -> None:
        match annotation:
            case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
                self.ranges[name] = ast.Constant(0), self._with_parts(stop)
            case ast.Call(func=ast.Name(id="range"), args=[start, stop], keywords=[]):
                self.ranges[name] = self._with_parts(start), self._with_parts(stop)
            case ast.Tuple(elts=elts):
                self.shapes[name] = tuple(self._with_parts(each) for each in elts)
            case _:
                self._fault(annotation, f"expected {name}: (n, d), the sizes of an array, or {name}: range(n)")

    def _assigned(
        self, node: ast.stmt, name: str, places: tuple[ast.expr, ...], value: ast.expr, collect: str = ""
    ) -> None:
        self._expression(value)
        for place in places:
            self._expression(place)
        self._named(node, name, repeats=bool(collect))
        value = self._with_parts(value)
        fold = fold_of(value)
        if not (fold and (collect or not self._is_plain(places))):
            outer = [name for place in places for name in free_names(place)]
            value = self._with_own_indices(value, outer if not collect else [])
            fold = fold_of(value)
        places = tuple(self._with_parts(place) for place in places)
        if not collect and not self._is_plain(places):
            if fold is None or fold[0] not in COLLECTING:
                text = ", ".join(map(ast.unparse, places))
                self._fault(node, f"several indices may give one place of {name}[{text}]: expected += or = max[i](...)")
                return
            collect, value = fold[0], fold[2]
        self.written.append(Statement(name, places, value, collect, node=node))

    def _is_plain(self, places: Sequence[ast.expr]) -> bool:
        """Whether places are indices, each another one."""
        names = [p.id for p in places if isinstance(p, ast.Name) and p.id not in (*self.numbers, *self.inputs)]
        return len(set(names)) == len(places)

    def _with_own_indices(self, tree: ast.expr, outer: Collection[str]) -> ast.expr:
        """With other names for the indices of folds that are indices outside of these, too."""

        def visit(node: ast.AST, bound: frozenset[str]) -> ast.AST:
            fold = fold_of(node)
            if fold is None:
                return rebuilt(node, lambda child: visit(child, bound))
            word, over, operand = fold
            names = {index: fresh(index, {*bound, *self.ranges}) for index in over if index in bound}
            for index, name in names.items():
                if index in self.ranges:
                    self.ranges[name] = self.ranges[index]
            operand = renamed(operand, {index: ast.Name(name, ast.Load()) for index, name in names.items()})
            own = [names.get(index, index) for index in over]
            return folded(word, own, visit(operand, bound | {*own}))  # type: ignore[arg-type]

        result = visit(tree, frozenset(outer))
        assert isinstance(result, ast.expr)
        return result

    def _named(self, node: ast.stmt, name: str, repeats: bool = False) -> None:
        if name in self.inputs or name in self.numbers:
            self._fault(node, f"'{name}' is an argument: choose another name")
        elif name in self.parts or (not repeats and any(each.name == name for each in self.written)):
            self._fault(node, f"'{name}' has a value already")
        elif name in FOLDS or name in OWN or name.startswith("_") or name.endswith("_"):
            self._fault(node, f"'{name}' is a word of indexed programs, or begins or ends with an underscore")

    def _expression(self, value: ast.expr) -> None:
        if self.is_derived:
            return
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FOLDS:
                text = f"{node.func.id}() needs the indices that it folds: {node.func.id}[k](...)"
                self._fault(node, text)
                return
        if too_deep(value):
            self._fault(value, "expected an expression of fewer levels: give a part of it a name")
            return

        class Plain(ast.NodeTransformer):  # folds as calls of plain functions, which SYNTAX knows
            def visit_Call(self, node: ast.Call) -> ast.AST:
                if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Name):
                    node.func = node.func.value
                self.generic_visit(node)
                return node

        self.faults += faults(tree := Plain().visit(copied(value)), tree, SYNTAX)

    def _with_parts(self, tree: ast.expr) -> ast.expr:
        return renamed(tree, self.parts) if self.parts else tree

    def _missing(self, last: ast.stmt) -> None:
        assigned = {statement.name for statement in self.written}
        for output in self.outputs:
            if output not in assigned:
                self._fault(last, f"expected an assignment to the output '{output}'{did_you_mean(output, assigned)}")
        used = {name for s in self.written for tree in (s.value, *s.places) for name in free_names(tree)}
        for name in assigned - used - {*self.outputs}:
            node = next(s.node for s in self.written if s.name == name)
            self._fault(node, f"'{name}' is neither read nor an output ({', '.join(self.outputs)})")


class Typed:
    """Finds sizes of arrays and ranges of indices."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.arrays: dict[str, Array] = {}
        self.equal: list[tuple[ast.expr, ast.expr, str]] = []
        self.names: dict[str, str] = {}  # a size that is the same as another one
        self.sizes: list[str] = []

    def program(self) -> IndexedProgram | None:
        for name, kind in self.reader.inputs.items():
            self.arrays[name] = Array(name, kind, self._input_dims(name))
        order = dict.fromkeys(statement.name for statement in self.reader.written)
        for name in order:
            declared = self.reader.shapes.get(name)
            places = next(s.places for s in self.reader.written if s.name == name)
            dims = declared if declared is not None else tuple(ast.Name("?") for _ in places)
            self.arrays[name] = Array(name, "output" if name in self.reader.outputs else "local", dims)
        statements = tuple(self._ranged(statement) for statement in self.reader.written)
        if self.reader.faults:
            return None
        for statement in statements:
            self._tied(statement)
        statements = tuple(replace(s, ranges={k: self._both(v) for k, v in s.ranges.items()}) for s in statements)
        statements = ordered(statements)
        arrays = {a.name: replace(a, dims=tuple(map(self._canonical, a.dims))) for a in self.arrays.values()}
        equal = tuple((self._canonical(a), self._canonical(b), text) for a, b, text in self.equal)
        equal = tuple((a, b, text) for a, b, text in equal if not same(a, b))
        sizes = tuple(dict.fromkeys(self._root(name) for name in self.sizes))
        program = IndexedProgram(
            self.reader.name,
            arrays,
            self.reader.numbers,
            statements,
            self.reader.outputs,
            sizes,
            equal,
            self.reader.unchecked,
        )
        self.reader.faults += program_faults(program)
        return None if self.reader.faults else program

    def _input_dims(self, name: str) -> tuple[ast.expr, ...]:
        dims = self.reader.shapes.get(name)
        if dims is None:
            trees = [tree for s in self.reader.written for tree in (s.value, *s.places)]
            ranks = {len(read.places): read.node for tree in trees for read in reads(tree, (name,))}
            if len(ranks) > 1:
                self.reader._fault(next(iter(ranks.values())), f"'{name}' has {' and '.join(map(str, ranks))} indices")
            dims = tuple(ast.Name(f"{name}_size_{k}", ast.Load()) for k in range(min(ranks, default=0)))
        for dim in dims:
            if isinstance(dim, ast.Name) and dim.id not in self.reader.numbers:
                self.sizes.append(dim.id)
        return dims

    def _root(self, name: str) -> str:
        while name in self.names:
            name = self.names[name]
        return name

    def _canonical(self, tree: ast.expr) -> ast.expr:
        known = {name: ast.Name(self._root(name), ast.Load()) for name in self.names}
        return renamed(tree, known)

    def _both(self, ends: tuple[ast.expr, ast.expr]) -> tuple[ast.expr, ast.expr]:
        return self._canonical(ends[0]), self._canonical(ends[1])

    def _is_index(self, name: str) -> bool:
        return not (name in self.arrays or name in self.reader.numbers or name in self.sizes or name in NUMBERS)

    def _ranged(self, statement: Statement) -> Statement:
        trees = (statement.value, *statement.places)
        names = [name for tree in trees for name in (*free_names(tree), *bound_names(tree)) if self._is_index(name)]
        ranges: dict[str, tuple[ast.expr, ast.expr]] = {}
        for name in dict.fromkeys(names):
            result = self.reader.ranges.get(name) or self._range_of(name, statement)
            if result is None:
                if any(read.name == name for read in reads(statement.value, {name: 0})) and len(names) == 0:
                    continue
                self.reader._fault(statement.node, self._unknown(name, statement))
                continue
            ranges[name] = result
        own = self.arrays[statement.name]
        if any(is_name(dim, "?") for dim in own.dims) and len(own.dims) == len(statement.places):
            if statement.collect:
                text = ", ".join("n" * (k == 0) or "m" for k in range(len(own.dims)))
                self.reader._fault(
                    statement.node, f"the sizes of {own.name} are unknown: expected {own.name}: ({text})"
                )
            else:
                dims = tuple(ranges.get(place.id, (ast.Constant(0), ast.Constant(1)))[1]
                             for place in statement.places if isinstance(place, ast.Name))  # fmt: skip
                self.arrays[own.name] = replace(own, dims=dims)
        return replace(statement, ranges=ranges)

    def _tied(self, statement: Statement) -> None:
        """Sizes that have no name of their own are those of the indices that stand alone there."""
        declared = {n for dims in self.reader.shapes.values() for d in dims for n in free_names(d)}
        for tree in (statement.value, *statement.places):
            for read in reads(tree, self.arrays):
                for d, (place, dim) in enumerate(zip(read.places, self.arrays[read.name].dims, strict=True)):
                    ends = statement.ranges.get(place.id) if isinstance(place, ast.Name) else None
                    is_named = isinstance(dim, ast.Name) and dim.id in declared
                    if ends and not is_named and isinstance(ends[1], ast.Name) and isinstance(ends[0], ast.Constant):
                        self._tie(ends[1], dim, f"dimension {d} of {read.name}")

    def _unknown(self, name: str, statement: Statement) -> str:
        known = [*self.arrays, *self.sizes, *self.reader.numbers]
        in_loops = {n for p in statement.places for n in free_names(p)} | {*bound_names(statement.value)}
        if name in in_loops or statement.collect:
            text = f"expected {name}: range(n), or a read where it stands alone"
            return f"the range of the index '{name}' is unknown: {text}"
        return f"unknown name '{name}'{did_you_mean(name, known)}"

    def _range_of(self, name: str, statement: Statement) -> tuple[ast.expr, ast.expr] | None:
        """That of the dimensions where an index stands alone; sizes of arguments that it ties are one size."""
        found: ast.expr | None = None
        trees = (statement.value, *statement.places)
        alone = [read for tree in trees for read in reads(tree, self.arrays)]
        alone.append(Read(statement.name, statement.places, statement.value))
        for read in alone:
            dims = self.arrays[read.name].dims
            if len(dims) != len(read.places):
                text = f"'{read.name}' has {len(dims)} dimensions, not {len(read.places)}"
                self.reader._fault(statement.node, text)
                return ast.Constant(0), ast.Constant(1)
            for d, (place, dim) in enumerate(zip(read.places, dims, strict=True)):
                if is_name(place, name) and not is_name(dim, "?"):
                    if found is None:
                        found = dim
                    else:
                        self._tie(found, dim, f"dimension {d} of {read.name}")
        return None if found is None else (ast.Constant(0), found)

    def _tie(self, one: ast.expr, other: ast.expr, text: str) -> None:
        one, other = self._canonical(one), self._canonical(other)
        if same(one, other):
            return
        if isinstance(one, ast.Name) and isinstance(other, ast.Name):
            first, second = one.id, other.id
            if first in self.sizes and second in self.sizes:
                declared = {n for dims in self.reader.shapes.values() for d in dims for n in free_names(d)}
                first, second = (second, first) if second in declared and first not in declared else (first, second)
                self.names[second] = first
                return
        self.equal.append((one, other, text))


NUMBERS = ("inf", "nan", "pi", "True", "False")


def program_faults(program: IndexedProgram) -> Iterator[Fault]:
    known = {*program.sizes, *program.numbers}
    for array in program.arrays.values():
        for name in (name for dim in array.dims for name in free_names(dim) if name not in known):
            node = next((s.node for s in program.statements if s.name == array.name), program.statements[0].node)
            yield node, f"unknown name '{name}' in the sizes of {array.name}{did_you_mean(name, known)}"
    for statement in program.statements:
        yield from _range_faults(statement, known)
        yield from _index_faults(statement)
        if not statement.collect:
            yield from _whole_faults(statement, program.arrays[statement.name])
    for group in program.groups:
        if program.is_recurrence(group):
            yield from _recurrence_faults(program, group)


def _index_faults(statement: Statement) -> Iterator[Fault]:
    inside: set[str] = set(statement.indices)
    for name in free_names(statement.value):
        if name in statement.ranges and name not in inside:
            yield statement.node, f"the index '{name}' is neither one of {statement.name} nor of a fold"


def _range_faults(statement: Statement, known: Collection[str]) -> Iterator[Fault]:
    for index, ends in statement.ranges.items():
        for name in (name for end in ends for name in free_names(end) if name not in known):
            text = f"the range of the index '{index}' depends on '{name}': expected sizes and numbers"
            yield statement.node, f"{text}, and a condition for the rest"
    for tree in (statement.value, *statement.places):
        for node in ast.walk(tree):
            fold = fold_of(node)
            for name in fold[1] if fold else ():
                if name not in statement.ranges:
                    yield (
                        statement.node,
                        f"{fold[0] if fold else ''}[{name}]: expected an index, and '{name}' is another name",
                    )
                if fold and fold[1].count(name) > 1:
                    yield statement.node, f"{fold[0]}[{', '.join(fold[1])}]: an index stands there twice"


def _whole_faults(statement: Statement, array: Array) -> Iterator[Fault]:
    """All elements of an array are computed, unless it is one that is added up."""
    if len(array.dims) != len(statement.places):
        yield statement.node, f"'{array.name}' has {len(array.dims)} dimensions, not {len(statement.places)}"
        return
    for place, dim in zip(statement.places, array.dims, strict=True):
        start, stop = statement.ranges.get(place.id) if isinstance(place, ast.Name) else (dim, dim)  # type: ignore[misc]
        if not (isinstance(start, ast.Constant) and start.value == 0 and same(stop, dim)):
            span = f"range({ast.unparse(start)}, {ast.unparse(stop)})"
            text = f"{ast.unparse(place)} in {span} computes a part of {array.name}, whose size is {ast.unparse(dim)}"
            yield statement.node, f"{text}: expected all of it, with a condition where elements differ"


def _recurrence_faults(program: IndexedProgram, group: Sequence[Statement]) -> Iterator[Fault]:
    try:
        directions(program, group)
    except NoOrder as error:
        yield error.node, str(error)


# ---- recurrences -----------------------------------------------------------------------------------------------------


class NoOrder(ValueError):
    """A recurrence that has no order in which what it reads is known."""

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.node = node


def directions(program: IndexedProgram, group: Sequence[Statement]) -> dict[str, int]:
    """1 for an index of a recurrence that runs from the front, -1 for one from the end. A NoOrder where there is none.

    All statements of a group share their first index, unless one alone is a recurrence in several.
    """
    result: dict[str, int] = {}
    number = {statement.name: k for k, statement in enumerate(group)}
    shared = {s.places[0].id if s.places and isinstance(s.places[0], ast.Name) else "" for s in group}
    if any(statement.collect for statement in group) or len(shared) != 1 or "" in shared:
        names = ", ".join(number)
        raise NoOrder(group[0].node, f"a recurrence of {names}: expected one first index, and no scatter")
    for k, statement in enumerate(group):
        for read in reads(statement.value, number):
            target = group[number[read.name]]
            depth = len(target.places) if is_uniform(group) else 1
            ordered = _is_ordered(read, statement, target, depth, result, program.sizes)
            if not ordered and number[read.name] >= k:
                text = f"{ast.unparse(read.node)} is not known yet where {statement.name} needs it"
                raise NoOrder(statement.node, f"{text}: expected an offset, as in {read.name}[i - 1]")
    return result


def is_uniform(group: Sequence[Statement]) -> bool:
    """Whether all statements have the same indices, so that their loops are the same."""
    return len({tuple(map(ast.dump, statement.places)) for statement in group}) == 1


def _is_ordered(
    read: Read, statement: Statement, target: Statement, depth: int, ways: dict[str, int], sizes: Collection[str]
) -> bool:
    """Whether an earlier step of the loops has what is read; False where it is read in the same step."""
    for place, own in list(zip(read.places, statement.places, strict=False))[:depth]:
        assert isinstance(own, ast.Name)
        sign = sign_of(ast.BinOp(place, ast.Sub(), own), statement, sizes)
        if sign == 0 and same(place, own):
            continue
        if not sign:
            raise NoOrder(statement.node, f"{ast.unparse(read.node)}: expected {own.id} less or more a positive number")
        if ways.setdefault(own.id, -sign) != -sign:
            raise NoOrder(statement.node, f"a recurrence reads on both sides of {own.id}: {ast.unparse(read.node)}")
        return True
    return False


def sign_of(tree: ast.expr, statement: Statement, sizes: Collection[str]) -> int:
    """1 or -1 where an integer expression is positive or negative for certain, else 0."""
    terms, constant = linear(tree)
    signs = set()
    for name, factor in terms.items():
        lowest = _lowest(name, statement, sizes)
        if factor == 0:
            continue
        if lowest is None:
            return 0
        constant += factor * lowest
        signs.add(factor > 0)
    if constant > 0 and signs <= {True}:
        return 1
    return -1 if constant < 0 and signs <= {False} else 0


def _lowest(name: str, statement: Statement, sizes: Collection[str]) -> int | None:
    if name in sizes:
        return 1  # where a size is 0, no loop runs
    start = statement.ranges[name][0] if name in statement.ranges else None
    return start.value if isinstance(start, ast.Constant) and isinstance(start.value, int) else None


def linear(tree: ast.expr) -> tuple[dict[str, int], int]:
    """Factors of names and a constant; what is not linear stands as one name that begins with ?."""
    match tree:
        case ast.Constant(value=int() as value):
            return {}, value
        case ast.Name(id=name):
            return {name: 1}, 0
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            terms, constant = linear(operand)
            return {name: -factor for name, factor in terms.items()}, -constant
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            terms, constant = linear(left)
            others, other = linear(right if isinstance(op, ast.Add) else ast.UnaryOp(ast.USub(), right))
            return {n: terms.get(n, 0) + others.get(n, 0) for n in {**terms, **others}}, constant + other
        case (
            ast.BinOp(left=ast.Constant(value=int() as factor), op=ast.Mult(), right=other)
            | ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=int() as factor))
        ):
            terms, constant = linear(other)
            return {name: factor * each for name, each in terms.items()}, factor * constant
    return {f"?{ast.dump(tree)}": 1}, 0


def simplified(tree: ast.expr) -> ast.expr:
    """An integer expression without what adds up to nothing."""
    terms, constant = linear(tree)
    result: ast.expr | None = None
    if any(name.startswith("?") for name in terms):
        return tree
    for name, factor in terms.items():
        if factor:
            term: ast.expr = ast.Name(name, ast.Load())
            term = term if abs(factor) == 1 else ast.BinOp(ast.Constant(abs(factor)), ast.Mult(), term)
            if result is None:
                result = term if factor > 0 else ast.UnaryOp(ast.USub(), term)
            else:
                result = ast.BinOp(result, ast.Add() if factor > 0 else ast.Sub(), term)
    if result is None:
        return ast.Constant(constant)
    if constant:
        result = ast.BinOp(result, ast.Add() if constant > 0 else ast.Sub(), ast.Constant(abs(constant)))
    return result


Functions = Callable[[str], tuple[int, float] | None]


def call_faults(program: IndexedProgram, functions: Mapping[str, tuple[int, float]] | None) -> Iterator[Fault]:
    """Calls of unknown functions, and of known ones with too few or too many arguments."""
    trees = [tree for s in program.statements for tree in (s.value, *s.places)]
    for node in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if fold_of(node):
            continue
        if not name:
            yield node, f"expected a fold with its indices, sum[k](...), one of {', '.join(FOLDS)}"
        elif name in FOLDS:
            yield node, f"{name}() needs the indices that it folds: {name}[k](...)"
        elif name == PADDED:
            if len(node.args) != 2 or not isinstance(node.args[0], ast.Subscript):
                yield node, "padded() takes an element and what stands for one outside, padded(x[i - 1], 0)"
        elif name == INT:
            if len(node.args) != 1:
                yield node, f"int() takes 1 argument, got {len(node.args)}"
        elif functions is not None and name not in functions:
            yield node, f"unknown function '{name}'{did_you_mean(name, [*functions, *FOLDS, PADDED])}"
        elif functions is not None and not functions[name][0] <= len(node.args) <= functions[name][1]:
            yield node, f"{name}() takes {functions[name][0]} arguments, got {len(node.args)}"
