"""The one place where the core names extensions: each slot is a module that is imported when the core first needs it.

Extensions reach `nn` so as well. The module that `SLOTS` names has filled the slot when its import ends. A program that
needs none loads none.
"""

from importlib import import_module
from typing import Any

SLOTS = {
    "vmap": "specgrad.runtime.extensions.vmap.vmap",  # the function `vmap`
    "cuda_driver": "specgrad.runtime.extensions.simulator.driver",  # the class of the driver of simulated devices
    "cuda_libraries": "specgrad.runtime.extensions.simulator.libraries",  # the class of their libraries
    "kernel_interpreter": "specgrad.runtime.extensions.simulator.rebuild_kernels",  # runs kernels as Python
    "lazy_conj": "specgrad.runtime.extensions.lazy_conj.memory",  # (view, conjugated, negated) -> the view, marked
    "display": "specgrad.runtime.extensions.display.html",  # the HTML of a tensor, for a notebook
    "pickled_classes": "specgrad.nn.pickled_classes",  # a name in a file -> how load makes that class of nn, or None
    "sparse_rows": "specgrad.runtime.extensions.sparse.functions",  # (table, indices, padding) -> rows of the table
}
# Modules of functions that ask arguments with a `__torch_function__` first, as those of the core do.
FUNCTIONS_OF_TENSORS = ("runtime.extensions.masked.", "runtime.extensions.torch_compat.functions")
_filled: dict[str, Any] = {}


def fill(slot: str, offered: Any) -> None:
    """Called by an extension's module: from now on the core gets `offered` for one of `SLOTS`."""
    if slot not in SLOTS:
        raise KeyError(f"there is no extension point {slot!r}, only {', '.join(SLOTS)}")
    _filled[slot] = offered


def extension(slot: str) -> Any:
    """The first call imports the extension."""
    if slot not in _filled:
        import_module(SLOTS[slot])
    return _filled[slot]
