"""The objects that native code names, by their place in one table of addresses."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from ..autograd.engine.match_input import fit
from ..autograd.inplace.view_history import Nowhere, Outdated, not_recorded
from ..autograd.node import FREED, Node, Output, next_sequence
from ..dispatch.elementwise import constant
from ..kernels.llvm.memory import WORD, Word
from ..modes.grad_mode import mode
from ..modes.intercept import watch
from ..pool.layout import ADDRESS
from ..pool.workers import hirer
from ..tensor.base import drop_dead, fresh_class, layout_changes, plain_classes
from ..tensor.devices import CPU
from ..tensor.dtypes import bool_, float32, float64, int64
from .setting import interrupt


class World(NamedTuple):
    """Distances of the entries from the table's address."""

    thread: int  # the number of the thread that asked last
    states: int  # and the attributes of `mode` in that thread, the one reference that the table owns
    none: int
    true: int
    false: int
    zero: int
    empty_text: int
    number: int  # float
    integer: int  # int
    ndarray: int
    tensor: int
    plain_classes: int
    cpu: int
    float32: int  # the others follow, then NumPy's dtypes in the same order
    float64: int
    bool_: int
    int64: int
    numpy_float32: int
    numpy_float64: int
    numpy_bool: int
    numpy_int64: int
    mode: int
    grad: int  # "grad"
    dictionary: int  # "__dict__"
    counter: int  # of the nodes' sequence numbers
    constant: int
    fit: int
    freed: int
    outdated: int  # the class of the edges of views whose use is an error
    not_recorded: int
    drop_dead: int
    tuple: int
    list: int
    slice: int
    watch: int
    node: int  # the class
    output: int
    output_count: int
    nowhere: int
    node_plans: int  # by the classes of nodes with a fused kernel
    apply: int  # this and the following are names
    release: int
    saved_slots: int
    gives_fresh: int
    reach: int
    deliver: int
    follow: int
    hire: int  # a function that starts the workers
    layout_changes: int  # the address of their number: see runtime/tensor/base.py
    interrupt: int  # what check mode calls: see setting.py
    job: int  # the address of the job's words


W = World(*range(0, 8 * len(World._fields), 8))
table = np.zeros(len(W), np.int64)
node_plans: dict[type, np.ndarray] = {}


@intrinsic
def world(context: Any) -> Any:
    """The address of the table of objects (world.py), which no cached code holds, as it differs between processes."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        table = builder.module.globals.get("specgrad_world")
        return builder.ptrtoint(table or ir.GlobalVariable(builder.module, WORD, "specgrad_world"), WORD)

    return Word(), build


def _objects() -> dict[str, Any]:
    """What stands in the table, except the thread's state."""
    names = {"grad": "grad", "dictionary": "__dict__", "empty_text": ""}
    kinds = {
        "number": float,
        "integer": int,
        "ndarray": np.ndarray,
        "tensor": fresh_class(),
        "plain_classes": plain_classes,
    }
    more = {
        "outdated": Outdated,
        "tuple": tuple,
        "list": list,
        "slice": slice,
        "node": Node,
        "output": Output,
        "nowhere": Nowhere,
        "watch": watch,
        "interrupt": interrupt,
        "node_plans": node_plans,
    }
    methods = ("apply", "release", "saved_slots", "gives_fresh", "output_count", "reach", "deliver", "follow")
    dtypes = {"float32": float32, "float64": float64, "bool_": bool_, "int64": int64}
    numpy = {"numpy_float32": float32.np, "numpy_float64": float64.np, "numpy_bool": bool_.np, "numpy_int64": int64.np}
    constants = {"none": None, "true": True, "false": False, "zero": 0, "freed": FREED, "cpu": CPU, "mode": mode}
    functions = {"constant": constant, "fit": fit, "not_recorded": not_recorded, "drop_dead": drop_dead}
    counter = {"hire": hirer(), "counter": next_sequence.__self__}  # type: ignore[attr-defined]
    return {**names, **kinds, **more, **dtypes, **numpy, **constants, **functions, **counter} | {
        name: name for name in methods
    }


@functools.cache
def register() -> dict[str, Any]:
    """Fill the table, and let compiled code find it; the objects returned live as long as the process."""
    objects = _objects()
    for name, value in objects.items():
        table[World._fields.index(name)] = id(value)
    table[World._fields.index("job")] = ADDRESS
    table[World._fields.index("layout_changes")] = layout_changes.ctypes.data
    llvmlite.binding.add_symbol("specgrad_world", table.ctypes.data)
    return objects
