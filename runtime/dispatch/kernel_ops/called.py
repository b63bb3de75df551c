"""Ops that are one call of an op with a kernel, with arguments made of their own: what that has found serves them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from .kernel_op import KernelOp
from .plan_keys import may_be_key, plan_for, table_of


class CalledKernelOp(KernelOp):
    """An op whose results are those of another one, which is called with the same tensors; `launch` runs the plan that
    the other one has found for its arguments, and records the other one's node."""

    __slots__ = ("called",)

    def __init__(self, name: str, called: KernelOp, operands: dict[str, str]) -> None:
        super().__init__(name, called.find, called.kernel, called.node, operands, called.outputs, called.dtypes)
        self.called = called
        self.recorded = called.operands

    def run(self, function: Callable[..., Any], args: Sequence[Any], arguments: Sequence[Any]) -> Any:
        """What the function of the other op gives, by whose plan calls with the given arguments are answered then."""
        result = function(*arguments)
        with contextlib.suppress(TypeError, AttributeError):  # of a list among the arguments, or of no tensor
            own = arguments[0]._dtype
            if (plan := table_of(self.called, own).get(self.called.key(arguments))) and may_be_key(args):
                self.note_ranks(args)
                plan_for(table_of(self, own), self.key(args), lambda: plan)
        return result
