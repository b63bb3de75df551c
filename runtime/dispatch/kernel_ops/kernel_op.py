"""An op with a kernel of its own: the plans that it has found, by layouts and arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.movement.widening import widened_first
from ...kernels.cpu.plan import Plan, takes_complex
from ...tensor.base import TensorBase, from_flat
from ...tensor.devices import CPU
from ...tensor.dtypes import bool_, dtype, int8, int16, int32, int64, uint8
from ..destinations import may_meet
from ..fast_path import fast_path
from .device_kernel_op import dry_run_op
from .plan_keys import (
    are_indices,
    as_known,
    is_in_pairs,
    may_be_key,
    operand_arg_kinds,
    parts_of_key,
    plan_for,
    plan_of,
    table_of,
)

INTEGER_DTYPES = bool_, int64, int32, int16, int8, uint8  # dtypes of which some ops find plans apart
MAX_LISTED = 64  # tensors in a list
ALL_RANKS = 2**64 - 1  # a bit for each pair
kernel_ops: dict[str, KernelOp] = {}  # by name


class KernelOp:
    """An op whose kernel has plans, or whose launches on devices are kept; `launch(*arguments)` is native code that
    looks them up and runs them.

    `letters` say what each argument is: T a tensor, O one or None, I an index, R one of any dtype or None (which plans
    on the host take as an index), L a list of tensors (as the first argument), J a list of indices or None (behind
    which only one tensor of another letter may stand, and as the last argument or before one that is none), n an int,
    b a bool, d ints or an int, f a number, s a text. An index is of int64; on the host it may be a contiguous mask, or
    contiguous and of int32. `find` makes a plan of layouts and of the other arguments as checked, or None; without it
    there are launches on devices alone. `found` keeps (plan's words, shapes, arguments as checked) by layouts and
    arguments as given. `find_in_place` and `written` are the same for what `launch_in_place` runs, which writes to the
    first tensor. `recorded` are the arguments that the node is made of: the operands, but of an op that calls this one.
    """

    __slots__ = (
        "dtypes",
        "find",
        "find_in_place",
        "found",
        "cached_bfloat16",
        "cached_bool",
        "cached_complex",
        "cached_float16",
        "cached_integer",
        "kernel",
        "launch",
        "launch_in_place",
        "launches",
        "arg_kinds",
        "moves",
        "name",
        "node",
        "operands",
        "outputs",
        "ranks",
        "recorded",
        "refused",
        "written",
        "written_bool",
        "written_integer",
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
        refused: str = "",
    ) -> None:
        self.name = name
        self.find = find
        self.kernel = kernel
        self.node = node
        self.operands = self.recorded = tuple(operands)
        self.arg_kinds = "".join(operands.values())
        self.outputs = outputs
        self.dtypes = tuple(dtypes)  # of the results, in words of the spec; empty where all have that of the operands
        self.find_in_place = in_place
        self.moves = moves  # elements of the second tensor to those of the first, in whose dtype they are then
        self.refused = refused  # whole numbers for which there is no plan: "b" bools, "i" integers
        self.found: dict[Any, Any] = {}
        self.written: dict[Any, Any] = {}
        self.written_bool: dict[Any, Any] = {}
        self.written_integer: dict[Any, Any] = {}
        self.cached_bfloat16: dict[Any, Any] = {}  # likewise
        self.cached_float16: dict[Any, Any] = {}
        self.cached_bool: dict[Any, Any] = {}
        self.cached_integer: dict[Any, Any] = {}
        self.cached_complex: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise
        # A bit for each pair of numbers of dimensions for which plans have been looked for; all of them where an op
        # does not begin with two tensors. One call may be tried by several ops, of which each takes other ones.
        self.ranks = np.array([0 if self.arg_kinds.startswith("TT") else ALL_RANKS], np.uint64)
        kernel_ops.setdefault(name, self)

    def __getattr__(self, name: str) -> Any:
        if name not in ("launch", "launch_in_place"):
            raise AttributeError(name)
        setattr(self, name, fast_path().kernel_op(self, name))
        return getattr(self, name)

    def remember(self, args: Sequence[Any], checked: Sequence[Any]) -> bool:
        """Find the plan of a call, for the arguments as given and as checked; whether there is one."""
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
        with contextlib.suppress(TypeError):  # of a list among the arguments
            table[self.key(args)] = plan
        return plan is not None

    def note_ranks(self, *calls: Sequence[Any]) -> None:
        """Note for how many dimensions of the first two tensors plans have been looked for."""
        for first, second, *_ in calls if self.arg_kinds.startswith("TT") else ():
            if isinstance(first, TensorBase) and isinstance(second, TensorBase):
                self.ranks[0] |= np.uint64(1 << pair_of_ranks(len(first._shape), len(second._shape)))

    def remember_in_place(self, args: Sequence[Any], checked: Sequence[Any]) -> None:
        """Find the plan by which such a call writes to its first tensor, for the arguments as given and as checked."""
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
        """The key under which the plan for these arguments is kept."""
        pairs = zip(self.arg_kinds, arguments, strict=True)
        return tuple([part for arg_kind, argument in pairs for part in parts_of_key(arg_kind, argument)])

    def fits(self, args: Sequence[Any], on_host: bool = True, find: Any = None) -> bool:
        """Whether all tensors are of one native dtype, on a device of one for real numbers, or indices; `find` makes
        the plan that is looked for."""
        find = self.find if find is None else find
        tensors = args[0] if self.arg_kinds[0] == "L" else ()
        tensors = [*tensors, *(a for arg_kind, a in zip(self.arg_kinds, args, strict=True) if arg_kind in "TO")]
        dtypes = {tensor._dtype for tensor in tensors if tensor is not None}
        indices = all(are_indices(arg_kind, a, on_host) for arg_kind, a in zip(self.arg_kinds, args, strict=True))
        if not indices or len(tensors) > MAX_LISTED or len(dtypes) != 1:
            return False
        own = dtypes.pop()
        if own in INTEGER_DTYPES:
            served = self.moves or hasattr(find, "for_integers")
            return on_host and served and own.kind not in self.refused
        if not on_host:
            return own.is_floating_point
        return own.planned or (own.compute is own and own.kind == "c" and takes_complex(self.find))

    def plan(self, checked: Sequence[Any], computed: dtype, in_place: bool = False) -> Any:
        """The words of the plan for a call on tensors of a dtype; None where the op has none for it."""
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
        return fast_path().call_plan(plan, layouts, arg_kinds, outputs, own, singles, in_pairs)

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
    alike = from_flat(np.empty(prod(second._shape), first._dtype.np), second._shape, first._dtype)
    return first, alike, *others
