"""The data that flows from the spec file to the templates: plain frozen records, no behaviour beyond look-ups."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ..language.indexed_programs import IndexedProgram
from ..language.row_programs import Program
from ..language.scalar_functions import Scalar


@dataclass(frozen=True)
class Trial:
    """An op that is tried first: with the arguments of the entry, or with those of a call of its own."""

    op: str
    arguments: tuple[ast.expr, ...] | None = None
    conditions: tuple[ast.expr, ...] = ()

    @property
    def written(self) -> tuple[ast.expr, ...]:
        return (*self.conditions, *(self.arguments or ()))


@lru_cache(maxsize=1024)
def trial(text: str) -> Trial | None:
    """`mm`, `mm(self, other)` or `self.ndim == 2 and mm(self, other)`; None for what is none of these."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    overload = isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name)
    if isinstance(tree, ast.Name) or overload:
        return Trial(text)
    both = isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And)
    *conditions, call = tree.values if isinstance(tree, ast.BoolOp) and both else [tree]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    return Trial(call.func.id, tuple(call.args), tuple(conditions))


MAX_PROBLEMS = 100  # that are looked for before what was found is shown


@dataclass(frozen=True, order=True)
class Where:
    file: str
    line: int
    col: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


@dataclass(frozen=True)
class Type:
    """A schema type: `base` is Tensor, Scalar, int, float, bool, str, ScalarType, Device, Generator, ..."""

    base: str
    optional: bool = False  # int?
    is_list: bool = False  # int[]
    size: int | None = None  # int[2]
    optional_items: bool = False  # Tensor?[]
    alias: str | None = None  # Tensor(a): "a"
    writes: bool = False  # Tensor(a!)

    @property
    def is_tensor(self) -> bool:
        return self.base == "Tensor"


@dataclass(frozen=True)
class Argument:
    name: str
    type: Type
    default: str | None = None  # Python source of the default, None when required
    keyword_only: bool = False

    @property
    def python_name(self) -> str:
        return "input" if self.name == "self" else self.name

    @property
    def python_default(self) -> str | None:
        """An empty list is spelt as an empty tuple: there is one for all calls, and it may be a key."""
        return "()" if self.default == "[]" else self.default


@dataclass(frozen=True)
class Return:
    name: str  # `result`, `result0`..., or the name the schema gives
    type: Type


@dataclass(frozen=True)
class Schema:
    name: str  # base name, with the trailing underscore of an in-place-only op
    overload: str  # "" when the entry has none
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    text: str

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name

    def argument(self, name: str) -> Argument | None:
        return next((a for a in self.arguments if a.name == name), None)


@dataclass(frozen=True)
class Formula:
    """One expression of the spec: its source, its parsed tree (None for a keyword) and where it starts."""

    text: str
    tree: ast.expr | None
    where: Where
    keyword: str | None = None  # auto_linear, non_differentiable, not_implemented, ...
    why: str = ""  # the reason given to not_implemented(...)
    derived: bool = False  # from the entry's expression, not written in the spec
    written: ast.expr | None = None  # the tree with names of the entry's `where`, if it has any


@dataclass(frozen=True)
class Compute:
    """The computation of an op: kind is elementwise, kernel, view or composite."""

    kind: str
    text: str  # kernel or view name, or the expression's source
    tree: ast.expr | None
    where: Where
    written: ast.expr | None = None  # the tree with names of the entry's `where`, if it has any


@dataclass(frozen=True)
class Sample:
    """One call written in the spec (`self=T(3, 4), dim=1`): argument name to parsed value."""

    text: str
    arguments: dict[str, ast.expr]
    where: Where


@dataclass(frozen=True)
class Refusal:
    """One call that must raise, and the class of the error; empty for any proper one."""

    call: Sample
    error: str = ""


@dataclass(frozen=True)
class Section:
    title: str
    about: str
    where: Where
    end: int  # its last line; entries follow
    defaults: tuple[str, ...] = ()

    def holds(self, where: Where) -> bool:
        return where.file == self.where.file and self.where.line <= where.line <= self.end


@dataclass(frozen=True)
class Origin:
    """The text that an entry was read from: its digest, and the names in its expressions."""

    digest: str
    names: frozenset[str]


@dataclass(frozen=True)
class Entry:
    """One op of the spec, checked for form; `validate` checks it for sense."""

    schema: Schema
    where: Where
    compute: Compute
    rows: Program | None = None  # of which the kernel is made
    other_dtypes: Formula | None = None  # the expression of tensors that are not of the program's dtypes
    indexed: IndexedProgram | None = None  # the same
    derived_from: str = ""  # the op whose derivative it computes
    internal: "tuple[Entry, ...]" = ()  # derived ops that formulas of this one call
    reference: dict[str, Formula] = field(default_factory=dict)  # the same in terms of NumPy, last the result
    variants: tuple[str, ...] = ("function", "method")
    operator: str | None = None
    commutative: bool = False  # x <operator> y = y <operator> x
    namespace: str | None = None
    aliases: tuple[str, ...] = ()
    alias_locations: tuple[Where, ...] = ()  # where each of them stands
    dtype: str = "promote"
    result_dtype: tuple[str, ...] = ("same",)  # one per output
    dtypes: tuple[str, ...] = ("bool", "int", "float", "complex")
    identity: tuple[str, ...] = ()  # kinds of dtype for which the op returns its input itself
    replaces: bool = False  # in place every element keeps its value or gets one that does not depend on it
    tries: tuple[str, ...] = ()  # of which entries a plan or a view is looked up first, one after the other: tried.py
    check: str | None = None
    ignores: tuple[str, ...] = ()  # arguments that change nothing
    hooked: tuple[str, ...] = ()  # arguments: of leaves among them, hooks see gradients in this order, before others
    memory_format_of: tuple[str, ...] = ()  # tensors: the first in channels-last order says how results lie
    autocast: dict[str, str] = field(default_factory=dict)  # type of device -> a word of the key, or refuse: why
    deprecated: tuple[tuple[str, ...], ...] = ()  # older orders of arguments, by place
    sparse: str | None = None  # a function of runtime/extensions/sparse/
    conj_rule: str | None = None  # a function of runtime/extensions/lazy_conj/rules/
    lazy: str | None = None  # conjugate or negative: as what the view shows its elements
    at_once: str | None = None  # the entry that stands for this one in formulas
    batch: str | None = None  # a function of runtime/ops/*/batching*.py or runtime/extensions/vmap/
    shape: str | None = None  # a function of runtime/ops/*/shapes*.py or runtime/dispatch/shape_rules.py
    derivative_of: Formula | None = None  # the expression whose derivative the op has, where that is not its own
    if_written: str | None = None  # the op whose gradient stands for this one's where the operand was written to since
    definitions: dict[str, Formula] = field(default_factory=dict)  # `where`: name -> part of the other expressions
    backward: Formula | None = None  # the call of a kernel that gives all gradients at once
    gradients: dict[str, Formula] = field(default_factory=dict)  # argument name -> formula
    forward: dict[str, Formula] = field(default_factory=dict)  # output name -> formula
    output_differentiability: tuple[bool, ...] = (True,)  # one per output
    domain: dict[str, tuple[float, float]] = field(default_factory=dict)  # argument name -> interval
    samples: tuple[Sample, ...] = ()
    hard: tuple[Sample, ...] = ()
    refuses: tuple[Refusal, ...] = ()
    unvaried: dict[str, str] = field(default_factory=dict)  # argument of which no other values are tried -> why
    unverified: str = ""  # why `verify` does not check the op
    inexact: tuple[float, str] = (0.0, "")  # units of the last digit that an element-wise op may be wrong by, and why
    kink: tuple[str, ...] = ("average",)  # one for all gradient formulas, or one for each
    gives: dict[str, str] = field(default_factory=dict)  # dtypes of tensors -> those of outputs, or "refused"
    onnx: dict[str, Formula] = field(default_factory=dict)  # the op in ONNX operators: parts, the last `result`
    once_differentiable: bool = False  # an op that its formulas call has no gradient
    complex: bool = True  # verify runs complex128 too
    precise: bool = False  # verify compares float32 with float64
    stored: bool = False  # kernels take 16-bit floats as they are stored
    converts: bool = False  # the result is the tensor in the dtype that is given
    takes_out: bool = False  # a function of nn.functional that has `out=` all the same
    doc: str = ""
    example: str = ""  # lines of a doctest, in which `sg` is specgrad
    key_locations: dict[str, Where] = field(default_factory=dict)  # key -> where its value stands
    section: Section | None = None
    inherited: tuple[str, ...] = ()  # the keys whose values are the section's
    functions: Mapping[str, Scalar] = field(default_factory=dict)  # what is known of the package's own scalar functions
    origin: Origin | None = field(default=None, compare=False, repr=False)  # while results of earlier runs are recalled

    @property
    def name(self) -> str:
        return self.schema.full_name

    @property
    def identifier(self) -> str:
        """A Python name unique to the entry: `max_dim` for `max.dim`, `pow_tensor_scalar` for `pow.Tensor_Scalar`."""
        return identifier(self.schema)

    @property
    def trials(self) -> tuple[Trial, ...]:
        return tuple(filter(None, map(trial, self.tries)))

    @property
    def function(self) -> str:
        """The Python function of the overload, of several: `max_default` where the dispatcher has the plain name."""
        return self.identifier if self.schema.overload else f"{self.schema.name}_default"

    @property
    def differentiated(self) -> ast.expr | None:
        """The expression that derivatives are of: another than the computed one in a straight-through estimator."""
        return self.compute.tree if self.derivative_of is None else self.derivative_of.tree

    @property
    def program(self) -> Program | IndexedProgram | None:
        """What the kernels are made of, where they are not written by hand."""
        return self.rows or self.indexed

    @property
    def names(self) -> tuple[str, ...]:
        return (self.schema.name, *self.aliases)

    @property
    def tensor_arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.schema.arguments if a.type.is_tensor)

    @property
    def formulas(self) -> dict[str, ast.expr]:
        return {name: formula.tree for name, formula in self.gradients.items() if formula.tree is not None}

    @property
    def expressions(self) -> "tuple[Compute | Formula, ...]":
        """All that it says in expressions, the computation first."""
        single = (self.derivative_of, self.other_dtypes, self.backward)
        others = (*single, *self.definitions.values(), *self.gradients.values(), *self.forward.values())
        return (self.compute, *(each for each in others if each is not None))

    @property
    def masks(self) -> tuple[str, ...]:
        """The arguments that are no operands: they have no gradient, and no part in promotion."""
        return tuple(name for name, formula in self.gradients.items() if formula.keyword == "non_differentiable")

    def policy(self, argument: str) -> str:
        return self.kink[list(self.formulas).index(argument) if len(self.kink) > 1 else 0]

    @property
    def undefined_gradients(self) -> dict[str, str]:
        return undefined(self.gradients)


def identifier(schema: Schema) -> str:
    return identifier_of(schema.full_name)


def identifier_of(name: str) -> str:
    return name.replace(".", "_").lower() if "." in name else name


def undefined(gradients: dict[str, Formula]) -> dict[str, str]:
    if any(formula.tree is not None for formula in gradients.values()):
        return {}
    return {name: formula.why for name, formula in gradients.items() if formula.keyword == "not_implemented"}


def output_names(entry: Entry) -> dict[str, int]:
    names = {r.name: i for i, r in enumerate(entry.schema.returns)}
    if len(entry.schema.returns) == 1:
        names["result"] = 0
    for i in range(len(entry.schema.returns)):
        names.setdefault(f"result{i}", i)
    return names


@dataclass(frozen=True)
class Spec:
    file: str
    entries: tuple[Entry, ...]
    broken: frozenset[str] = frozenset()  # names of ops whose schema could not be read: known, but no more
    renamed: "tuple[Problem, ...]" = ()  # keys by older names, each with what it is called now
    faulty: frozenset[str] = frozenset()  # entries with problems of form: what follows from these is not looked for

    def by_name(self) -> dict[str, Entry]:
        return {e.name: e for e in self.entries}

    @property
    def written(self) -> tuple[Entry, ...]:
        """The entries of the file: those without the ops that were derived for them."""
        return tuple(entry for entry in self.entries if not entry.derived_from)


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong with the spec, shown as `file:line:col: op, argument: what is wrong`."""

    where: Where
    op: str
    argument: str
    message: str

    def __str__(self) -> str:
        subject = ", ".join(legible(part, 60) for part in (self.op, self.argument) if part)
        message = legible(self.message, 600)
        return f"{self.where}: {subject}: {message}" if subject else f"{self.where}: {message}"


def legible(text: str, max_length: int) -> str:
    short = text if len(text) <= max_length else f"{text[: max_length // 2]} ... {text[-max_length // 3 :]}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in short)
