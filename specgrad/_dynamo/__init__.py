"""Older names of `specgrad.compiler`, as programs know them from `torch._dynamo`."""

from ..runtime.pytorch.compilers.compiling import (
    OptimizedModule,
    allow_in_graph,
    disable,
    graph_break,
    is_compiling,
    list_backends,
    optimize,
    set_stance,
    substitute_in_graph,
)
from ..runtime.pytorch.compilers.compiling import mark as assume_constant_result
from ..runtime.pytorch.compilers.compiling import mark as disallow_in_graph
from ..runtime.pytorch.compilers.compiling import mark as forbid_in_graph
from ..runtime.pytorch.compilers.compiling import mark as nonstrict_trace
from ..runtime.pytorch.compilers.compiling import mark as run
from ..runtime.pytorch.compilers.compiling import mark_tensor as mark_dynamic
from ..runtime.pytorch.compilers.compiling import mark_tensor as mark_static
from ..runtime.pytorch.compilers.compiling import mark_tensor as mark_static_address
from ..runtime.pytorch.compilers.compiling import mark_tensor as maybe_mark_dynamic
from ..runtime.pytorch.compilers.compiling import optimize as optimize_assert
from ..runtime.pytorch.compilers.compiling import refuse as explain
from ..runtime.pytorch.compilers.compiling import refuse as export
from ..runtime.pytorch.compilers.compiling import step as reset
from . import config, eval_frame, exc, testing, utils
from .eval_frame import is_dynamo_supported

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "exc",
    "explain",
    "export",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_supported",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "optimize",
    "optimize_assert",
    "reset",
    "run",
    "set_stance",
    "substitute_in_graph",
    "testing",
    "utils",
]
