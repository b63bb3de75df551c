"""Marks for a compiler under PyTorch's name; the code is in specgrad.runtime.pytorch.compilers."""

from ..runtime.pytorch.compilers.compiling import (
    allow_in_graph,
    compile,
    disable,
    is_compiling,
    list_backends,
    nested_compile_region,
    set_stance,
    substitute_in_graph,
)
from ..runtime.pytorch.compilers.compiling import is_compiling as is_dynamo_compiling
from ..runtime.pytorch.compilers.compiling import is_compiling as is_exporting
from ..runtime.pytorch.compilers.compiling import mark as assume_constant_result
from ..runtime.pytorch.compilers.compiling import step as cudagraph_mark_step_begin
from ..runtime.pytorch.compilers.compiling import step as reset
from ..runtime.pytorch.compilers.compiling import step as save_cache_artifacts

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "save_cache_artifacts",
    "set_stance",
    "substitute_in_graph",
]
