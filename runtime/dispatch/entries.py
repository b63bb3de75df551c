"""Finding the spec's record of an op while a program runs: its entry in the registry beside the op's module.

The runtime knows no op and imports no generated package, its own or another's; only the name of the module in which a
function or a node was defined says where to look.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..autograd.inplace.copy_slices import CopySlices
from .registry import Op
from .spec_lines import generated_package


def op_node(node: Any) -> Any:
    """The node of the op itself: of a write to a view, which is a node of the base, the one that the op made."""
    return node.inner if isinstance(node, CopySlices) else node


def entry_of(module: str, name: str) -> Op | None:
    """The entry of an op by its full name; None for what was written by hand.

    Args:
        module: in which its function or its node is defined.
        name: the name in the spec, with overload; of an in-place form also the plain one's with `_`.
    """
    entries = _entries(generated_package(module))
    return entries.get(name) or entries.get(name.replace("_.", ".").removesuffix("_"))


@functools.cache
def _entries(package: str) -> dict[str, Op]:
    registry: Any = importlib.import_module(f"{package}.registry") if package else None
    return {} if registry is None else registry.BY_NAME
