"""The gradients of a node of either kind: element-wise, or with a kernel that has recipes."""

from __future__ import annotations

from ..kernels.llvm.memory import frame, load, native
from .gradients import BY_RECIPES, G, fused
from .layout import DATA
from .objects import OWNERS, begin, let_go
from .structured_gradients import structured_gradients


@native
def gradients_by(plan, node, given):
    """The gradients in a tuple; None where this is for Python, 0 where an error is set."""
    by_recipes, owners = load(plan, G.hands_on) == BY_RECIPES, frame(OWNERS)
    begin(owners)
    found = structured_gradients(plan, node, given, owners) if by_recipes else fused(plan, node, given, owners)
    let_go(owners)
    return found


@native
def gradients(self, arguments, count):
    """gradients(node, gradient): the gradients of the node's inputs, or None where this is for the general path."""
    return gradients_by(load(self, DATA), load(arguments, 0), load(arguments, 8))
