"""TorchScript's names: what is scripted or traced stays what it is. Code: specgrad.runtime.pytorch.compilers."""

from typing import Final as Final

from ..nn.script_module import RecursiveScriptModule, ScriptModule, TopLevelTracedModule, TracedModule
from ..runtime.pytorch.compilers.compiled_calls import Error
from ..runtime.pytorch.compilers.scripting import (
    Attribute,
    CompilationUnit,
    ScriptFunction,
    TracerWarning,
    annotate,
    enable_onednn_fusion,
    export,
    fork,
    freeze,
    fuser,
    ignore,
    interface,
    is_scripting,
    is_tracing,
    load,
    onednn_fusion_enabled,
    optimize_for_inference,
    optimized_execution,
    save,
    script,
    script_if_tracing,
    script_method,
    set_fusion_strategy,
    trace,
    trace_module,
    unused,
    wait,
)
from ..runtime.pytorch.compilers.scripting import isinstance_of as isinstance
from ..runtime.pytorch.compilers.scripting import overload as _overload  # noqa: F401
from ..runtime.pytorch.compilers.scripting import overload as _overload_method  # noqa: F401
from ..runtime.pytorch.compilers.scripting import script_if_tracing as _script_if_tracing  # noqa: F401
from ..runtime.pytorch.compilers.scripting import unwrap_optional as _unwrap_optional  # noqa: F401
from ..runtime.pytorch.futures import Future

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "TopLevelTracedModule",
    "TracedModule",
    "TracerWarning",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "fuser",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "trace",
    "trace_module",
    "unused",
    "wait",
]
