"""An op with a kernel of its own: the plans that it has found, kept under keys of layouts and arguments.

What is one call of such an op, with arguments made of its own, is served by what that op has found."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field
from math import copysign, prod
from operator import is_
from typing import Any

import numpy as np

from ...compiler.passes.target import pair_products
from ...device.device import CPU
from ...fast_path import fast_path, keep_launch
from ...kernels.cpu.float16_plans import INDEX, INT32, MASK
from ...kernels.cpu.operand_copies import gathered, widened_first
from ...kernels.cpu.plan import Layout, Mask, Narrow, Plan, takes_complex
from ...shapes import Size
from ...tensor.dtypes import bfloat16, bool_, dtype, int8, int16, int32, int64, uint8
from ...tensor.tensor import TensorBase, from_flat
from ..destinations import may_meet
from .device_plan import dry_run_op

MAX_CACHED_PLANS = 4096  # plans of one op; then it forgets all of them
MAX_INDICES = 4  # in a list
HUGE = 2**28  # elements of a result: the general path says in words where there is no room for so many


def plan_of(
    find: Callable[..., Plan | None],
    known: Sequence[Any],
    operands: Sequence[Any],
    arg_kinds: str,
    outputs: int,
    in_pairs: bool = False,
) -> Plan | None:
    """The plan for layouts and other arguments, of copies where there is none for operands as they lie.

    Such copies are float32: `in_pairs`, products are for the general path. None also where tables or results may not
    fit into memory: then the general path says so."""
    try:
        plan = find(*known)
        if plan is None and not takes_complex(find):
            plan = gathered(find, known, operands, arg_kinds, outputs)
            if in_pairs and plan is not None and any(step.pairs is not None for step in plan):
                return None
    except (MemoryError, OverflowError):
        return None
    if plan is None or any(prod(shape) >= HUGE for step in plan for _, shape in step.results):
        return None
    return plan


def table_of(op: Any, computed: dtype, tables: str = "cached") -> dict[Any, Any]:
    """Where an op keeps the plans for tensors of a dtype: integers have the same ones, however many bits they have."""
    kind = {"c": "complex", "i": "integer"}.get(computed.kind, computed.name)
    return getattr(op, tables if computed.native else f"{tables}_{kind}")


def is_in_pairs(computed: dtype) -> bool:
    """Whether calls on tensors of a dtype may multiply pairs of elements by instructions of the processor."""
    return computed is bfloat16 and bool(pair_products())


def plan_for(result: dict[Any, Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    plan = result.get(key, result)  # another thread may make the op forget its plans at any time
    if plan is result:
        plan = make()
        if len(result) >= MAX_CACHED_PLANS:
            result.clear()
        result[key] = plan
    return plan


def may_be_key(values: Sequence[Any]) -> bool:
    """Whether values are told apart by a key: -0.0 is equal to 0.0."""
    return not any(value.__class__ is float and not value and copysign(1, value) < 0 for value in values)


def are_indices(arg_kind: str, argument: Any, on_host: bool) -> bool:
    """int64; on the host also contiguous int32, or a mask. Lists are of the host alone; R may be left out there."""
    if arg_kind == "J":
        is_short = on_host and 1 <= len(argument) <= MAX_INDICES
        return is_short and all(index is None or is_index(index) for index in argument)
    if arg_kind == "R" and on_host:
        return argument is None or is_index(argument)
    return arg_kind != "I" or argument._dtype is int64 or (on_host and is_index(argument))


def is_index(tensor: Any) -> bool:
    return tensor._dtype is int64 or type(layout_of_index(tensor)) is not Layout


def layout_of_index(tensor: Any) -> Layout:
    """The class says the dtype: of a mask, or of int32, contiguous ones."""
    if tensor._strides is None and tensor._device is CPU:
        if tensor._dtype is bool_ and tensor._shape:
            return Mask(tensor._shape, None)
        if tensor._dtype is int32:
            return Narrow(tensor._shape, None)
    return Layout(tensor._shape, tensor._strides)


def as_known(arg_kind: str, argument: Any) -> Any:
    if arg_kind == "J":
        return tuple([None if t is None else layout_of_index(t) for t in argument])
    if arg_kind == "L":
        return tuple([Layout(t._shape, t._strides, halves=are_halves(t._dtype)) for t in argument])
    if arg_kind not in "TOIR" or argument is None:
        return argument
    own = argument._dtype
    if arg_kind == "I" or (arg_kind == "R" and own in (bool_, int32)):
        return layout_of_index(argument)
    return Layout(argument._shape, argument._strides, own.kind == "c", are_halves(own))


def are_halves(own: dtype) -> bool:
    return own.planned and not own.native


def parts_of_key(arg_kind: str, argument: Any) -> tuple[Any, ...]:
    """A mask, or an index of int32, has its dtype in the place of strides."""
    if arg_kind == "L":
        return tuple([part for t in argument for part in parts_of_key("O", t)])
    if arg_kind == "J":
        return tuple([part for t in argument for part in parts_of_key("I", t)])
    if arg_kind in "TOIR":
        if argument is None:
            return None, None
        type_known = arg_kind in "IR" and argument._dtype in (bool_, int32) and argument._device is CPU
        return argument._shape, argument._dtype if type_known else argument._strides
    if arg_kind == "d" and type(argument) in (list, Size):
        return (tuple(argument),)
    return (argument,)


def operand_arg_kinds(arg_kinds: str, layouts: Sequence[Any]) -> str:
    """What plans read of operands: what keeps its dtype is an index or a mask, and all others are of one dtype."""
    kinds = [*arg_kinds.replace("O", "T")]
    for i, known in enumerate(layouts):
        if kinds[i] in "IR":
            masks = isinstance(known, Mask) or (kinds[i] == "R" and known is None)
            kinds[i] = MASK if masks else INT32 if isinstance(known, Narrow) else INDEX
    return "".join(kinds)


INTEGER_DTYPES = bool_, int64, int32, int16, int8, uint8  # dtypes of which some ops find plans apart
MAX_INT8 = 127
MAX_LISTED = 64  # tensors in a list
ALL_RANKS = 2**64 - 1  # a bit for each pair
kernel_ops: "dict[str, KernelOp]" = {}  # by name


@dataclass(slots=True, eq=False, repr=False)
class KernelOp:
    """An op whose kernel has plans, or whose launches on devices are kept; `launch(*arguments)` is native code.

    `arg_kinds`: T a tensor, O one or None, I an index, R one of any dtype or None (an index for plans on the host), L a
    list of tensors (the first argument), J a list of indices or None (the last argument, or before one that is no
    tensor; behind it only one tensor), n an int, b a bool, d ints or an int, f a number, s a text. An index is int64;
    on the host also a contiguous mask or contiguous int32. `find` makes a plan of layouts and of the other arguments as
    checked, or None. `cached` keeps (plan's words, shapes, arguments as checked) by layouts and arguments as given;
    `find_in_place` and `written` are the same for `launch_in_place`, which writes to the first tensor. `recorded` are
    the arguments that the node is made of. What has no plan may have l, a list of tensors, j, one of indices, and a,
    anything else.

    Attributes:
        arguments: the names of all arguments, where some are no operands: a dtype, a memory format.
        rule: how the dtype of the computation follows from those of the operands, a word of the spec.
        allowed: the kinds of dtypes that the op has.
        numbers: operands that are no tensors and take part in that.
        shape: the rule for the shapes of the results, of devices without memory.
        formats: the operands whose memory format the results take over.
        stored: whether the kernel takes 16-bit floats as they are stored.
        writer: the kernel that writes to the first operand.
        undefined: arguments that have no gradient -> why.
        records: whether native code records the node.
        is_planned: whether there may be plans.
        after_checks: whether native code is to be tried when arguments are checked, not before.
    """

    name: str
    find: Callable[..., Plan | None] | None
    kernel: Callable[..., Any]
    node: Any
    operands: Any  # the names of the arguments; given with their kinds
    outputs: int = 1
    dtypes: Sequence[str] = ()  # of the results, in words of the spec; empty where all have that of the operands
    in_place: InitVar[Callable[..., Plan | None] | None] = None
    moves: bool = False  # elements of the second tensor to those of the first, in whose dtype they are then
    refused: str = ""  # whole numbers for which there is no plan: "b" bools, "i" integers
    arguments: tuple[str, ...] = ()
    rule: str = ""
    allowed: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    shape: Any = None
    formats: tuple[str, ...] = ()
    stored: bool = False
    writer: Callable[..., Any] | None = None
    undefined: dict[str, str] = field(default_factory=dict)
    records: bool = True
    is_planned: bool = True
    after_checks: bool = False
    recorder: Any = field(init=False)
    signature: Any = field(init=False, default=None)  # of the general path
    find_in_place: Any = field(init=False)
    recorded: tuple[str, ...] = field(init=False)
    arg_kinds: str = field(init=False)
    ranks: np.ndarray = field(init=False)
    launch: Any = field(init=False)
    launch_in_place: Any = field(init=False)
    cached: dict[Any, Any] = field(init=False, default_factory=dict)
    cached_bfloat16: dict[Any, Any] = field(init=False, default_factory=dict)
    cached_float16: dict[Any, Any] = field(init=False, default_factory=dict)
    cached_bool: dict[Any, Any] = field(init=False, default_factory=dict)
    cached_integer: dict[Any, Any] = field(init=False, default_factory=dict)
    cached_complex: dict[Any, Any] = field(init=False, default_factory=dict)
    written: dict[Any, Any] = field(init=False, default_factory=dict)
    written_bool: dict[Any, Any] = field(init=False, default_factory=dict)
    written_integer: dict[Any, Any] = field(init=False, default_factory=dict)
    launches: dict[Any, dict[Any, Any]] = field(init=False, default_factory=dict)  # on devices, by dtype

    def __post_init__(self, in_place: Any) -> None:
        self.find_in_place, self.arg_kinds = in_place, "".join(self.operands.values())
        self.operands = self.recorded = tuple(self.operands)
        self.recorder = self.node
        self.node = self.node if self.records else None
        # A bit for each pair of numbers of dimensions for which plans have been looked for; all of them where an op
        # does not begin with two tensors. One call may be tried by several ops, of which each takes other ones.
        self.ranks = np.array([0 if self.arg_kinds.startswith("TT") else ALL_RANKS], np.uint64)
        if self.is_planned:
            kernel_ops.setdefault(self.name, self)

    def __getattr__(self, name: str) -> Any:
        if name not in ("launch", "launch_in_place"):
            raise AttributeError(name)
        return keep_launch(self, name, fast_path().kernel_op(self, name))

    def remember(self, args: Sequence[Any], checked: Sequence[Any]) -> bool:
        """For the arguments as given and as checked; whether there is a plan."""
        listed = self.arg_kinds[0] == "L"
        if listed and len(checked[0]) > MAX_LISTED:
            return False
        leading = checked[0][0] if listed else checked[0]
        on_host = leading._device is CPU
        if (on_host and self.find is None) or not self.fits(checked, on_host) or not may_be_key(checked):
            return False
        if not on_host:
            return "complex" not in self.dtypes and dry_run_op(self, args, checked)
        key, own = self.key(checked), leading._dtype
        self.note_ranks(args, checked)
        table = table_of(self, own)
        plan = plan_for(table, key, lambda: self.plan(checked, own))
        if not all(map(is_, args, checked)):
            with contextlib.suppress(TypeError):  # of a list among the arguments
                table[self.key(args)] = plan
        return plan is not None

    def note_ranks(self, *calls: Sequence[Any]) -> None:
        for first, second, *_ in calls if self.arg_kinds.startswith("TT") else ():
            if isinstance(first, TensorBase) and isinstance(second, TensorBase):
                self.ranks[0] |= np.uint64(1 << pair_of_ranks(len(first._shape), len(second._shape)))

    def remember_in_place(self, args: Sequence[Any], checked: Sequence[Any]) -> None:
        tensors = [a for arg_kind, a in zip(self.arg_kinds, checked, strict=True) if arg_kind in "TI"]
        if not all(isinstance(a, TensorBase) and a._device is CPU for a in tensors):
            return
        if self.moves:
            args, checked = as_moved(args), as_moved(checked)
        own = checked[0]._dtype
        fits = (own.compute is own or self.moves) and self.fits(checked, find=self.find_in_place)
        if not fits or may_meet(checked[0]) or not may_be_key(checked):
            return
        table = table_of(self, own, "written") if own in INTEGER_DTYPES and not self.moves else self.written
        plan = plan_for(table, self.key(checked), lambda: self.plan(checked, own, True))
        with contextlib.suppress(TypeError, AttributeError):  # of a list, or of what is no tensor yet
            table[self.key(args)] = plan

    def key(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        pairs = zip(self.arg_kinds, arguments, strict=True)
        return tuple([part for arg_kind, argument in pairs for part in parts_of_key(arg_kind, argument)])

    def fits(self, args: Sequence[Any], on_host: bool = True, find: Any = None) -> bool:
        """One native dtype, on a device one for real numbers, or indices; `find` makes the plan that is looked for."""
        find = self.find if find is None else find
        tensors = args[0] if self.arg_kinds[0] == "L" else ()
        tensors = [*tensors, *(a for arg_kind, a in zip(self.arg_kinds, args, strict=True) if arg_kind in "TO")]
        dtypes = {tensor._dtype for tensor in tensors if tensor is not None}
        indices = all(are_indices(arg_kind, a, on_host) for arg_kind, a in zip(self.arg_kinds, args, strict=True))
        if not indices or len(tensors) > MAX_LISTED or len(dtypes) != 1:
            return False
        own = dtypes.pop()
        if own in INTEGER_DTYPES:
            served = (self.moves or hasattr(find, "for_integers")) and self.all_integers_hold(args)
            return on_host and served and own.kind not in self.refused
        if not on_host:
            return own.is_floating_point
        return own.planned or (own.compute is own and own.kind == "c" and takes_complex(self.find))

    def all_integers_hold(self, args: Sequence[Any]) -> bool:
        """Whether there are no numbers but those of every integer dtype: all these have the same plans.

        uint8 wraps numbers below 0, as its kernels do, but makes no plan of what they have become."""
        numbers = [number for arg_kind, number in zip(self.arg_kinds, args, strict=True) if arg_kind == "f"]
        return all(number is None or -MAX_INT8 <= number <= MAX_INT8 for number in numbers)

    def plan(self, checked: Sequence[Any], computed: dtype, in_place: bool = False) -> Any:
        known = [as_known(arg_kind, a) for arg_kind, a in zip(self.arg_kinds, checked, strict=True)]
        own = [None if arg_kind in "TOILJR" else a for arg_kind, a in zip(self.arg_kinds, checked, strict=True)]
        layouts, arg_kinds = known, self.arg_kinds
        if "L" in arg_kinds:
            layouts, arg_kinds = known[0], "T" * MAX_LISTED
        outputs = 0 if in_place else self.outputs
        find = self.find_in_place if in_place else self.find
        if computed in INTEGER_DTYPES and not (in_place and self.moves):
            find = getattr(find, "for_integers", None)
        if in_place:
            plan = find(*known) if find else None
        else:
            plan = plan_of(find, known, layouts, arg_kinds, outputs, is_in_pairs(computed)) if find else None
        if plan is None:
            return None
        if "J" in arg_kinds:  # they stand in the place of the last argument, which is no tensor, and behind it
            indices = known[arg_kinds.index("J")]
            layouts, arg_kinds = [*known[:-1], *indices], arg_kinds[:-1] + "I" * len(indices)
        plan = widened_first(plan, layouts, outputs)
        rounds = computed.is_floating_point and not computed.native and not (in_place and self.moves)
        singles = self.singles() if rounds else None
        arg_kinds, in_pairs = operand_arg_kinds(arg_kinds, layouts), is_in_pairs(computed)
        try:
            return fast_path().call_plan(plan, layouts, arg_kinds, outputs, own, singles, in_pairs)
        except ValueError:  # more operands than native code has places for, as programs may have: Python runs the plan
            return None

    def singles(self) -> int:
        """Which results are float32 where the operands are 16-bit floats: bit i, result i."""
        return sum(1 << i for i, rule in enumerate(self.dtypes) if rule == "computed")


def pair_of_ranks(first: int, second: int) -> int:
    """The number of a pair of numbers of dimensions; seven stands for more as well."""
    return 8 * min(first, 7) + min(second, 7)


def as_moved(arguments: Sequence[Any]) -> Sequence[Any]:
    """As native code copies the second tensor to the dtype of the first."""
    first, second, *others = arguments
    if not isinstance(second, TensorBase) or second._dtype is first._dtype:
        return arguments
    alike = from_flat(np.empty(prod(second._shape), first._dtype.np), second._shape, first._dtype)
    return first, alike, *others


class CalledKernelOp(KernelOp):
    """An op whose results, plans and node are those of another one, called with the same tensors."""

    __slots__ = ("called",)

    def __init__(self, name: str, called: KernelOp, operands: dict[str, str]) -> None:
        super().__init__(name, called.find, called.kernel, called.node, operands, called.outputs, called.dtypes)
        self.called = called
        self.recorded = called.operands

    def run(self, function: Callable[..., Any], args: Sequence[Any], arguments: Sequence[Any]) -> Any:
        """What the other op gives; its plan then answers calls with these arguments."""
        result = function(*arguments)
        with contextlib.suppress(TypeError, AttributeError):  # of a list among the arguments, or of no tensor
            own = arguments[0]._dtype
            if (plan := table_of(self.called, own).get(self.called.key(arguments))) and may_be_key(args):
                self.note_ranks(args)
                plan_for(table_of(self, own), self.key(args), lambda: plan)
        return result
