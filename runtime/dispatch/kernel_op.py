"""An op with a kernel of its own: the plans that it has found, by layouts and arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from math import copysign, prod
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compile.machine import pair_products
from ..kernels.cpu.dtypes.half_plans import INDEX, MASK
from ..kernels.cpu.movement.gathering import gathered
from ..kernels.cpu.plan import Layout, Mask, Plan, takes_complex
from ..modes.inference import writes_so_far
from ..tensor.base import TensorBase, fresh
from ..tensor.devices import CPU
from ..tensor.dtypes import bfloat16, bool_, dtype, int64
from .destinations import may_meet
from .device_kernel_op import rehearse_gradients, rehearse_op
from .fast_path import fast_path

MOST = 4096  # plans of one op; then it forgets all of them
HUGE = 2**28  # elements of a result: the general path says in words where there is no room for so many
WHOLE = bool_, int64  # dtypes of which some ops find plans apart
MOST_LISTED = 64  # tensors in a list
MOST_INDICES = 4  # in a list
ALL_RANKS = 2**64 - 1  # a bit for each pair
kernel_ops: dict[str, KernelOp] = {}  # by name


class KernelOp:
    """An op whose kernel has plans, or whose launches on devices are kept; `launch(*arguments)` is native code that
    looks them up and runs them.

    `letters` say what each argument is: T a tensor, O one or None, I one of int64, R one of any dtype or None, L a list
    of tensors (as the first argument), J a list of indices of int64, contiguous masks or None (behind which only one
    tensor of another letter may stand, and as the last argument or before one that is none), n an int, b a bool,
    d ints or an int, f a number, s a text. `find` makes a plan
    of layouts and of the other arguments as checked, or None; without it there are launches on devices alone. `found`
    keeps (plan's words, shapes, arguments as checked) by layouts and arguments as given. `find_in_place` and `written`
    are the same for what `launch_in_place` runs, which writes to the first tensor.
    """

    __slots__ = (
        "dtypes",
        "find",
        "find_in_place",
        "found",
        "found_bfloat16",
        "found_bool",
        "found_complex",
        "found_float16",
        "found_int64",
        "kernel",
        "launch",
        "launch_in_place",
        "launches",
        "letters",
        "moves",
        "name",
        "node",
        "operands",
        "outputs",
        "ranks",
        "written",
        "written_bool",
        "written_int64",
    )

    def __init__(
        self,
        name: str,
        find: Callable[..., Plan | None] | None,
        kernel: Callable[..., Any],
        node: Any,
        operands: dict[str, str],
        outputs: int = 1,
        dtypes: Sequence[str] = (),
        in_place: Callable[..., Plan | None] | None = None,
        moves: bool = False,
    ) -> None:
        self.name = name
        self.find = find
        self.kernel = kernel
        self.node = node
        self.operands = tuple(operands)
        self.letters = "".join(operands.values())
        self.outputs = outputs
        self.dtypes = tuple(dtypes)  # of the results, in words of the spec; empty where all have that of the operands
        self.find_in_place = in_place
        self.moves = moves  # elements of the second tensor to those of the first, in whose dtype they are then
        self.found: dict[Any, Any] = {}
        self.written: dict[Any, Any] = {}
        self.written_bool: dict[Any, Any] = {}
        self.written_int64: dict[Any, Any] = {}
        self.found_bfloat16: dict[Any, Any] = {}  # likewise
        self.found_float16: dict[Any, Any] = {}
        self.found_bool: dict[Any, Any] = {}
        self.found_int64: dict[Any, Any] = {}
        self.found_complex: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise
        # A bit for each pair of numbers of dimensions for which plans have been looked for; all of them where an op
        # does not begin with two tensors. One call may be tried by several ops, of which each takes other ones.
        self.ranks = np.array([0 if self.letters.startswith("TT") else ALL_RANKS], np.uint64)
        kernel_ops.setdefault(name, self)

    def __getattr__(self, name: str) -> Any:
        if name not in ("launch", "launch_in_place"):
            raise AttributeError(name)
        setattr(self, name, fast_path().kernel_op(self, name))
        return getattr(self, name)

    def remember(self, given: Sequence[Any], checked: Sequence[Any]) -> bool:
        """Find the plan of a call, for the arguments as given and as checked; whether there is one."""
        listed = self.letters[0] == "L"
        if listed and len(checked[0]) > MOST_LISTED:
            return False
        leading = checked[0][0] if listed else checked[0]
        on_host = leading._device is CPU
        if (on_host and self.find is None) or not self.fits(checked, on_host) or not may_be_key(checked):
            return False
        if not on_host:
            return "complex" not in self.dtypes and rehearse_op(self, given, checked)
        key, own = self.key(checked), leading._dtype
        for first, second, *_ in (given, checked) if self.letters.startswith("TT") else ():
            if isinstance(first, TensorBase) and isinstance(second, TensorBase):
                self.ranks[0] |= np.uint64(1 << pair_of_ranks(len(first._shape), len(second._shape)))
        table = table_of(self, own)
        plan = plan_for(table, key, lambda: self.plan(checked, own))
        with contextlib.suppress(TypeError):  # of a list among the arguments
            table[self.key(given)] = plan
        return plan is not None

    def remember_in_place(self, given: Sequence[Any], checked: Sequence[Any]) -> None:
        """Find the plan by which such a call writes to its first tensor, for the arguments as given and as checked."""
        tensors = [a for letter, a in zip(self.letters, checked, strict=True) if letter in "TI"]
        if not all(isinstance(a, TensorBase) and a._device is CPU for a in tensors):
            return
        if self.moves:
            given, checked = as_moved(given), as_moved(checked)
        fits = checked[0]._dtype.compute is checked[0]._dtype and self.fits(checked)
        if not fits or may_meet(checked[0]) or not may_be_key(checked):
            return
        own = checked[0]._dtype
        table = getattr(self, f"written_{own.name}") if own in WHOLE and not self.moves else self.written
        plan = plan_for(table, self.key(checked), lambda: self.plan(checked, own, True))
        with contextlib.suppress(TypeError, AttributeError):  # of a list, or of what is no tensor yet
            table[self.key(given)] = plan

    def key(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The key under which the plan for these arguments is kept."""
        pairs = zip(self.letters, arguments, strict=True)
        return tuple([part for letter, argument in pairs for part in parts_of_key(letter, argument)])

    def fits(self, given: Sequence[Any], on_host: bool = True) -> bool:
        """Whether all tensors are of one native dtype, on a device of one for real numbers, or indices."""
        tensors = given[0] if self.letters[0] == "L" else ()
        tensors = [*tensors, *(a for letter, a in zip(self.letters, given, strict=True) if letter in "TO")]
        dtypes = {tensor._dtype for tensor in tensors if tensor is not None}
        indices = all(are_indices(letter, a, on_host) for letter, a in zip(self.letters, given, strict=True))
        if not indices or len(tensors) > MOST_LISTED or len(dtypes) != 1:
            return False
        own = dtypes.pop()
        if own in WHOLE:
            return on_host and (self.moves or hasattr(self.find, "for_whole_numbers"))
        if not on_host:
            return own.is_floating_point
        return own.planned or (own.compute is own and own.kind == "c" and takes_complex(self.find))

    def plan(self, checked: Sequence[Any], computed: dtype, in_place: bool = False) -> Any:
        """The words of the plan for a call on tensors of a dtype; None where the op has none for it."""
        known = [as_known(letter, a) for letter, a in zip(self.letters, checked, strict=True)]
        own = [None if letter in "TOILJ" else a for letter, a in zip(self.letters, checked, strict=True)]
        layouts, letters = known, self.letters
        if "L" in letters:
            layouts, letters = known[0], "T" * MOST_LISTED
        outputs = 0 if in_place else self.outputs
        find = self.find_in_place if in_place else self.find
        if computed in WHOLE and not (in_place and self.moves):
            find = getattr(find, "for_whole_numbers", None)
        if in_place:
            plan = find(*known) if find else None
        else:
            plan = plan_of(find, known, layouts, letters, outputs, is_in_pairs(computed)) if find else None
        if plan is None:
            return None
        if "J" in letters:  # they stand in the place of the last argument, which is no tensor, and behind it
            indices = known[letters.index("J")]
            kinds = "".join(MASK if isinstance(index, Mask) else INDEX for index in indices)
            layouts, letters = [*known[:-1], *indices], letters[:-1] + kinds
        singles = self.singles() if computed.is_floating_point and not computed.native else None
        letters, in_pairs = letters.replace("O", "T"), is_in_pairs(computed)
        return fast_path().call_plan(plan, layouts, letters, outputs, own, singles, in_pairs)

    def singles(self) -> int:
        """Which results are float32 where the operands are 16-bit floats: bit i, result i."""
        return sum(1 << i for i, rule in enumerate(self.dtypes) if rule == "computed")


def pair_of_ranks(first: int, second: int) -> int:
    """The number of a pair of numbers of dimensions; seven stands for more as well."""
    return 8 * min(first, 7) + min(second, 7)


def as_moved(arguments: Sequence[Any]) -> Sequence[Any]:
    """The arguments with the second tensor as native code copies it where it has another dtype than the first."""
    first, second, *others = arguments
    if not isinstance(second, TensorBase) or second._dtype is first._dtype:
        return arguments
    alike = fresh(np.empty(prod(second._shape), first._dtype.np), second._shape, first._dtype)
    return first, alike, *others


def plan_of(
    find: Callable[..., Plan | None],
    known: Sequence[Any],
    operands: Sequence[Any],
    letters: str,
    outputs: int,
    in_pairs: bool = False,
) -> Plan | None:
    """The plan for layouts and other arguments, of copies where there is none for operands as they lie.

    Such copies are float32: `in_pairs`, products are for the general path, which copies elements as they are stored.
    None also where its tables or its results may not fit into memory: then the general path says so.
    """
    try:
        plan = find(*known)
        if plan is None and not takes_complex(find):
            plan = gathered(find, known, operands, letters, outputs)
            if in_pairs and plan is not None and any(step.pairs is not None for step in plan):
                return None
    except (MemoryError, OverflowError):
        return None
    if plan is None or any(prod(shape) >= HUGE for step in plan for _, shape in step.results):
        return None
    return plan


def table_of(op: Any, computed: dtype) -> dict[Any, Any]:
    """Where an op keeps the plans for tensors of a dtype."""
    kind = "complex" if computed.kind == "c" else computed.name
    found: dict[Any, Any] = getattr(op, "found" if computed.native else f"found_{kind}")
    return found


def is_in_pairs(computed: dtype) -> bool:
    """Whether calls on tensors of a dtype may multiply pairs of elements by instructions of the processor."""
    return computed is bfloat16 and bool(pair_products())


def plan_for(found: dict[Any, Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """The plan that is kept under a key, which `make` gives where there is none yet."""
    plan = found.get(key, found)  # another thread may make the op forget its plans at any time
    if plan is found:
        plan = make()
        if len(found) >= MOST:
            found.clear()
        found[key] = plan
    return plan


def may_be_key(values: Sequence[Any]) -> bool:
    """Whether values are told apart by a key: -0.0 is equal to 0.0."""
    return not any(value.__class__ is float and not value and copysign(1, value) < 0 for value in values)


def are_indices(letter: str, argument: Any, on_host: bool) -> bool:
    """Whether an argument that is an index, or a list of them, is of int64; lists, in which there may be masks, on the
    host alone."""
    if letter == "J":
        few = on_host and 1 <= len(argument) <= MOST_INDICES
        return few and all(index is None or index._dtype is int64 or is_mask(index) for index in argument)
    return letter != "I" or argument._dtype is int64


def is_mask(index: Any) -> bool:
    """Whether an index is a contiguous mask of bools, of some dimensions."""
    return index._dtype is bool_ and index._strides is None and bool(index._shape)


def as_known(letter: str, argument: Any) -> Any:
    """An argument as a plan is found by it: layouts in the place of tensors."""
    if letter == "J":
        return tuple([None if t is None else (Mask if is_mask(t) else Layout)(t._shape, t._strides) for t in argument])
    if letter == "L":
        return tuple([Layout(t._shape, t._strides) for t in argument])
    if letter not in "TOI" or argument is None:
        return argument
    own = argument._dtype
    return Layout(argument._shape, argument._strides, own.kind == "c", own.planned and not own.native)


def parts_of_key(letter: str, argument: Any) -> tuple[Any, ...]:
    """The parts of a key that stand for an argument; of a mask its dtype is in the place of strides."""
    if letter == "L":
        return tuple([part for t in argument for part in parts_of_key("O", t)])
    if letter == "J":
        masks = [t is not None and t._dtype is bool_ for t in argument]
        parts = [(t._shape, bool_) if a else parts_of_key("O", t) for a, t in zip(masks, argument, strict=True)]
        return tuple([part for both in parts for part in both])
    if letter in "TOIR":
        return (None, None) if argument is None else (argument._shape, argument._strides)
    if letter == "d" and type(argument) is list:
        return (tuple(argument),)
    return (argument,)


def is_as_kept(node: Any, slot: str, grad: Any) -> bool:
    """Whether a node finds a tensor as it kept it, or kept none: hooks may have packed it, and somebody written to it,
    as a layout changes in place; then it is for `unpack`. Plans are for the gradient's dtype, and for indices of int64,
    those of 16-bit floats for float32, too: one that was found for another would be found by layouts alone. What
    devices launch knows of which dtype it is."""
    tensor = getattr(node, slot)
    if tensor is None:
        return True
    if not isinstance(tensor, TensorBase):
        return False
    fits = tensor._dtype in (grad._dtype, grad._dtype.compute, int64)
    if not fits and grad._device is CPU:
        return False
    return writes_so_far(tensor) == getattr(node, f"{slot}_version")


def are_as_kept(node: Any, slot: str) -> bool:
    """Whether a node finds a list of indices of int64 as it kept it, which has not too many of them."""
    indices, versions = getattr(node, slot), getattr(node, f"{slot}_version")
    if not isinstance(indices, (list, tuple)) or not 1 <= len(indices) <= MOST_INDICES:
        return False
    return all(
        index is None or (index._dtype is int64 and writes_so_far(index) == version)
        for index, version in zip(indices, versions, strict=True)
    )


class Read(NamedTuple):
    """An operand of a kernel that computes the gradients of a node."""

    letter: str
    slot: str
    part: Any = None  # what is made of a value; the constant; which of several outputs the gradient is of

    def of(self, grad: Any) -> Any:
        """The gradient that an operand is."""
        return grad if self.part is None else grad[self.part]

    def parts(self, value: Any) -> Sequence[Any]:
        """The parts of a key, or pairs of them, that a value stands for."""
        if self.letter == "i":
            return tuple(value)
        return (value if self.letter in "gk" else (value,),)

    def given(self, value: Any) -> Any:
        """A value as the kernel takes it."""
        if self.letter in "cg":
            return value if self.letter == "g" else self.part
        return self.part(value) if self.part else value


def wanted_of(bits: int, count: int) -> Iterator[bool]:
    """Whether each of `count` gradients is wanted."""
    return (bits >> i & 1 == 1 for i in range(count))


class KernelOpGradient:
    """The kernel of a node's `apply`: `reads` says for each operand what it is, and in which slot of the node.

    w stands for which gradients are wanted, g for the gradient, or that of one of several outputs, k for a kept tensor,
    i for a kept list of indices (as the last one), v for a value, or what a function makes of it, c for a constant.
    Without `find` there are launches on devices alone.
    """

    __slots__ = ("find", "found", "found_bfloat16", "found_float16", "gradients", "kernel", "launches", "node", "reads")

    def __init__(
        self, find: Callable[..., Plan | None] | None, kernel: Callable[..., Any], *reads: tuple[Any, ...]
    ) -> None:
        self.find = find
        self.kernel = kernel
        self.reads = tuple([Read(*read) for read in reads])
        self.found: dict[Any, Any] = {}
        self.found_bfloat16: dict[Any, Any] = {}  # likewise
        self.found_float16: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise
        self.node: Any = None

    def __getattr__(self, name: str) -> Any:
        if name != "gradients":
            raise AttributeError(name)
        self.gradients = fast_path().planned_gradients(self)
        return self.gradients

    def remember(self, node: Any, grad: Any) -> bool:
        """Find the plan of a node's gradients, so that `gradients` gives them; whether there is one.

        `grad` is a list where several outputs may have gradients: then there are plans on the host alone.
        """
        several = isinstance(grad, (list, tuple))
        grads = [part for part in grad if part is not None] if several else [grad]
        first = grads[0]
        on_host = first._device is CPU
        if on_host and (self.find is None or not first._dtype.planned):
            return False
        if several and (not on_host or any(part._dtype is not first._dtype for part in grads)):
            return False
        if not all(is_as_kept(node, slot, first) for letter, slot, _ in self.reads if letter == "k"):
            return False
        if not all(on_host and are_as_kept(node, slot) for letter, slot, _ in self.reads if letter == "i"):
            return False
        values = [self.value(read, node, grad) for read in self.reads]
        parts = [part for read, value in zip(self.reads, values, strict=True) for part in read.parts(value)]
        key = tuple([part for both in parts for part in (both[:2] if both else (None, None))])
        if not may_be_key(key):
            return False
        self.node = type(node)
        if not on_host:
            return rehearse_gradients(self, key, node, grad)
        table = table_of(self, first._dtype)
        return plan_for(table, key, lambda: self.plan(node, values, first._dtype)) is not None

    def value(self, read: Read, node: Any, grad: Any) -> Any:
        """What a key has of an operand: layouts, values as they were kept, and the bits of wanted gradients."""
        if read.letter == "w":
            return sum(1 << i for i, edge in enumerate(node.edges) if edge is not None)
        if read.letter in "vc":
            return getattr(node, read.slot) if read.slot else None
        if read.letter == "i":
            return as_known("J", getattr(node, read.slot))
        tensor = read.of(grad) if read.letter == "g" else getattr(node, read.slot)
        return None if tensor is None else Layout(tensor._shape, tensor._strides)

    def plan(self, node: Any, values: Sequence[Any], computed: dtype) -> Any:
        """The words of the plan for a node's gradients of a dtype; None where there is none."""
        outputs = len(node.edges)
        known = [
            tuple(wanted_of(value, outputs)) if read.letter == "w" else read.given(value)
            for read, value in zip(self.reads, values, strict=True)
        ]
        kept = [getattr(node, slot) if letter == "k" else None for letter, slot, _ in self.reads]
        letters = "".join("T" if tensor is None else letter_of(tensor._dtype, computed) for tensor in kept)
        tensors = "".join(own if read.letter in "gk" else "v" for own, read in zip(letters, self.reads, strict=True))
        plan = plan_of(self.find, known, known, tensors, outputs, is_in_pairs(computed)) if self.find else None
        if plan is None:
            return None
        if self.reads[-1].letter == "i":
            values = [*values[:-1], *values[-1]]
            letters = letters[:-1] + "I" * (len(values) - len(letters) + 1)
        return fast_path().call_plan(
            plan, values, letters, outputs, (), None if computed.native else 0, is_in_pairs(computed)
        )


def letter_of(own: dtype, computed: dtype) -> str:
    """T for a kept tensor of the gradient's dtype, I for one of indices, C for one of float32 beside 16-bit floats."""
    return "I" if own is int64 else "T" if own is computed else "C"
