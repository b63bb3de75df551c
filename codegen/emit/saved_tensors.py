"""What a node keeps, for which gradients, and formulas that read it: of a tensor perhaps its shape alone."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..language.index_expressions import copied
from ..library.op_library import Library
from ..spec.definitions import Locals, locals_of
from ..spec.formula import called
from ..spec.model import Entry, Formula, output_names
from .locally_constant import Recorded, with_steps_recorded

ATTRIBUTES = {"shape": "_shape", "dtype": "_dtype", "ndim": "ndim", "device": "_device"}  # x.shape, and how it is read
QUERIES = ("numel", "dim", "is_complex", "is_floating_point", "stride", "storage_offset")  # read as x.numel()
LIST_QUERIES = ("sizes",)  # sizes(tensors): the shapes of the tensors of a list
PUBLIC = {"shape": "sym_sizes", "numel": "sym_numel", "dtype": "scalar_type"}  # as PyTorch's nodes say


@dataclass(frozen=True)
class SavedTensor:
    """A tensor that the node keeps: `name` in formulas, `kind` input, list or output (number `index`)."""

    name: str
    kind: str
    index: int
    needed_by: tuple[str, ...]  # arguments, in schema order

    @property
    def slot(self) -> str:
        """Read through `unpack`; what users read is `_saved_NAME`, made of it."""
        return f"kept_{self.name}"


@dataclass(frozen=True)
class SavedValue:
    """A plain value that the node keeps: an argument, or a part of one."""

    slot: str
    source: str  # the argument
    part: str  # as `RecordedNode.values` has it; empty for all of it
    name: str  # the local variable of the slot
    text: str  # as the spec's formula has it


@dataclass(frozen=True)
class Shared:
    """A local variable of formulas, computed once: a definition of `where`, or a call of which several take an item."""

    name: str  # of the local variable
    source: str
    formulas: tuple[str, ...]  # the arguments whose formulas use it


@dataclass(frozen=True)
class NodePlan:
    """The tensors and values that one entry's node keeps, and its formulas rewritten to read these."""

    tensors: tuple[SavedTensor, ...]
    values: tuple[SavedValue, ...]
    formulas: dict[str, str]  # argument -> source over local variables
    reads: dict[str, tuple[str, ...]]  # argument -> local names its formula reads
    backward: str = ""  # the call of the kernel that gives all gradients at once, over local variables
    backward_reads: tuple[str, ...] = ()
    shared: tuple[Shared, ...] = ()


def differentiable_formulas(entry: Entry) -> dict[str, Formula]:
    named = ((a.name, entry.gradients[a.name]) for a in entry.schema.arguments if a.name in entry.gradients)
    return {name: formula for name, formula in named if formula.tree is not None}


class Reader(ast.NodeTransformer):
    """Rewrites the names of a formula to local variables of the node's method, noting each read."""

    def __init__(self, entry: Entry, calls: "Calls") -> None:
        self.entry = entry
        self.calls = calls
        self.outputs = output_names(entry)
        self.lists = {a.name for a in entry.tensor_arguments if a.type.is_list}
        self.inputs = {a.name for a in entry.tensor_arguments} - self.lists
        self.as_tensor: dict[str, None] = {}  # tensors read as tensors, in order
        self.values: dict[str, SavedValue] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=what) if what in ATTRIBUTES and name in self.inputs:
                return self._value(name, what, ATTRIBUTES[what])
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), query), args=[]) if query in QUERIES and name in self.inputs:
                return self._value(name, query, f"{query}()")
            case ast.Call(ast.Name(query), [ast.Name(name), *_]) if query in LIST_QUERIES and name in self.lists:
                return self._value(name, query, "shapes")
            case ast.Call(ast.Name(name)):
                node.func = ast.parse(self.calls.spelling(name, node.keywords), mode="eval").body
                node.args = [self.visit(a) for a in node.args]
                node.keywords = [self.visit(k) for k in node.keywords]
                return node
            case ast.Call(ast.Attribute() as method):
                method.attr = self.calls.at_once.get(method.attr, method.attr)
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        argument = self.entry.schema.argument(node.id)
        if node.id in ("grad", "grads"):
            return node
        if node.id in self.outputs or (argument is not None and argument.type.is_tensor):
            self.as_tensor[node.id] = None
        elif argument is not None:
            self.values.setdefault(node.id, SavedValue(f"_saved_{node.id}", node.id, "", node.id, node.id))
        return node

    def _value(self, name: str, what: str, part: str) -> ast.expr:
        local = f"{name}_{what}"
        slot = f"_saved_{name}_{PUBLIC.get(what, what)}"
        text = f"sizes({name})" if part == "shapes" else f"{name}.{what}{'()' * part.endswith('()')}"
        self.values.setdefault(local, SavedValue(slot, name, part, local, text))
        return ast.Name(local, ast.Load())


@dataclass(frozen=True)
class Calls:
    """How generated code spells a function that a formula calls: helpers by module, ops through the namespace."""

    library: Library  # the helpers, kernels, ... and where they are defined
    functions: dict[str, str]  # entry -> the Python function of that overload
    overload_numbers: dict[str, int]  # entry -> which overload of its name it is
    own: frozenset[str]  # the entries whose records stand in the same package
    recorded: Recorded
    overloads: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)  # name -> function -> parameters
    at_once: dict[str, str] = field(default_factory=dict)  # op that puts off what it does -> the one that computes it

    def spelling(self, name: str, keywords: Sequence[ast.keyword] = ()) -> str:
        name = self.at_once.get(name, name)
        helper = self.library.get("helper", name)
        if helper is not None:
            return helper.spelling
        return name if name == "len" else f"op.{self.overload(name, keywords)}"

    def overload(self, name: str, keywords: Sequence[ast.keyword]) -> str:
        args = {keyword.arg for keyword in keywords}
        fitting = [function for function, names in self.overloads.get(name, {}).items() if args <= names]
        return fitting[0] if args and len(fitting) == 1 else name


def make_plan(entry: Entry, calls: Calls) -> NodePlan:
    needed: dict[str, list[str]] = {}
    values: dict[str, SavedValue] = {}
    own = locals_of(entry, differentiable_formulas(entry))
    readers = {argument: Reader(entry, calls) for argument in own.formulas}
    read = {name: reader.visit(copied(own.formulas[name])) for name, reader in readers.items()}
    meanings = entry.formulas
    trees = {n: with_steps_recorded(entry, n, tree, calls.recorded, meanings[n]) for n, tree in read.items()}
    formulas = {name: ast.unparse(tree) for name, tree in trees.items()}
    defined = [_defined(name, own, Reader(entry, calls), readers) for name in own.definitions]
    reads = {argument: (*reader.as_tensor, *reader.values) for argument, reader in readers.items()}
    for argument, reader in readers.items():
        values.update(reader.values)
        for name in reader.as_tensor:
            needed.setdefault(name, []).append(argument)
    backward, backward_reads = "", Reader(entry, calls)
    if entry.backward is not None and isinstance(entry.backward.tree, ast.Call):
        call = copied(entry.backward.tree)
        name = called(call)
        kernel = backward_reads.calls.library["kernel", name]
        call.func = ast.Attribute(ast.Name(kernel.alias, ast.Load()), name, ast.Load())
        call.args = [backward_reads.visit(a) for a in call.args]
        call.keywords = [backward_reads.visit(k) for k in call.keywords]
        backward = ast.unparse(call)
        values.update(backward_reads.values)
        for name in backward_reads.as_tensor:
            needed.setdefault(name, list(formulas))
    if entry.if_written:
        needed.setdefault("result", list(formulas))
    tensors = tuple(_saved(entry, name, tuple(arguments)) for name, arguments in needed.items())
    formulas, shared = share(formulas)
    also = (*backward_reads.as_tensor, *backward_reads.values)
    return NodePlan(tensors, tuple(values.values()), formulas, reads, backward, also, (*defined, *shared))


def _defined(name: str, own: Locals, reader: Reader, users: dict[str, Reader]) -> Shared:
    source = ast.unparse(reader.visit(copied(own.definitions[name])))
    for argument in own.users[name]:
        users[argument].as_tensor |= reader.as_tensor
        users[argument].values |= reader.values
    return Shared(name, source, own.users[name])


def share(formulas: dict[str, str]) -> tuple[dict[str, str], tuple[Shared, ...]]:
    takers: dict[str, list[str]] = {}
    for argument, source in formulas.items():
        tree = ast.parse(source, mode="eval").body
        if isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Call):
            takers.setdefault(ast.unparse(tree.value), []).append(argument)
    multi_argument_calls = [(call, arguments) for call, arguments in takers.items() if len(arguments) > 1]
    shared = tuple(Shared(f"shared_{i}", call, tuple(each)) for i, (call, each) in enumerate(multi_argument_calls))
    names = {argument: each for each in shared for argument in each.formulas}
    rewritten = {a: names[a].name + f[len(names[a].source) :] if a in names else f for a, f in formulas.items()}
    return rewritten, shared


def _saved(entry: Entry, name: str, needed_by: tuple[str, ...]) -> SavedTensor:
    argument = entry.schema.argument(name)
    if argument is not None:
        return SavedTensor(name, "list" if argument.type.is_list else "input", 0, needed_by)
    return SavedTensor(name, "output", output_names(entry)[name], needed_by)


def rewrite(tree: ast.expr, calls: Calls) -> str:
    class Speller(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            self.generic_visit(node)
            node.attr = ATTRIBUTES.get(node.attr, node.attr)  # only tensors have such attributes
            return node

        def visit_Call(self, node: ast.Call) -> ast.expr:
            self.generic_visit(node)
            if isinstance(node.func, ast.Name):
                node.func = ast.parse(calls.spelling(node.func.id, node.keywords), mode="eval").body
            elif isinstance(node.func, ast.Attribute):
                node.func.attr = calls.at_once.get(node.func.attr, node.func.attr)
            return node

    return ast.unparse(Speller().visit(copied(tree)))
