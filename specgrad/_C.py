"""What libraries import from PyTorch's C++ part and could not do without; the rest of it is not here."""

import types
from functools import partial as _partial
from typing import Any

from .generated.tensor import Tensor
from .jit import is_tracing
from .runtime.device.device import current_accelerator, device
from .runtime.extensions.cuda_api.streams import Event, Stream
from .runtime.extensions.distributed.groups.futures import Future
from .runtime.extensions.serialization.torch_format import PyTorchFileReader
from .runtime.extensions.torch_compat.jit_script import KINDS as _KINDS
from .runtime.extensions.torch_compat.jit_script import CompilationUnit as Graph
from .runtime.extensions.torch_compat.jit_script import CompilationUnit as Node
from .runtime.extensions.torch_compat.jit_script import CompilationUnit as Value
from .runtime.extensions.torch_compat.jit_script import ScriptFunction
from .runtime.extensions.torch_compat.unavailable import DispatchKey, DispatchKeySet
from .runtime.extensions.torch_compat.unavailable import ExcludeDispatchKeyGuard as _ExcludeDispatchKeyGuard
from .runtime.methods.argument_guard import guard_module as _guard_module
from .runtime.methods.mixin import parsed_to
from .runtime.shapes import Size
from .runtime.tensor.dtypes import dtype, finfo, iinfo
from .runtime.tensor.generator import Generator, default_generator
from .runtime.tensor.memory_format import layout, memory_format
from .runtime.tensor.observers import watch as _watch
from .runtime.tensor.overrides import DisableTorchFunction, DisableTorchFunctionSubclass
from .runtime.tensor.overrides import disabled as _disabled_torch_function_impl
from .runtime.tensor.overrides import state as _overriding
from .runtime.unknown_names import no_attribute as _no_attribute

__all__ = ["DispatchKey", "DispatchKeySet", "DisableTorchFunction", "DisableTorchFunctionSubclass", "Event"]
__all__ += ["Future", "Generator", "Graph", "Node", "PyTorchFileReader", "ScriptFunction", "Size", "Stream"]
__all__ += ["Value", "default_generator", "device", "dtype", "finfo", "iinfo", "layout", "memory_format"]
__all__ += ["_ExcludeDispatchKeyGuard", "_disabled_torch_function_impl"]

_guard_module(__name__)

TensorBase = Tensor
_TensorMeta = type(Tensor)
_nn = types.SimpleNamespace(_parse_to=parsed_to)
_get_tracing_state = is_tracing


def _log_api_usage_once(event: str) -> None: ...


def _get_accelerator(check_available: bool = False) -> Any:
    return current_accelerator() or device("cpu")


def _get_privateuse1_backend_name() -> str:
    return "privateuseone"


def _are_functorch_transforms_active() -> bool:
    return any(name in _watch.watchers for name in ("vmap", "forward mode"))


def _cuda_isInBadFork() -> bool:
    return False


_has_xpu = False
_settings: dict[str, Any] = {}


def _is_torch_function_mode_enabled() -> bool:
    return bool(_overriding.modes)


def _len_torch_function_stack() -> int:
    return len(_overriding.modes)


def _keep(name: str, value: Any) -> Any:
    before = _settings.get(name, value)
    _settings[name] = value
    return before


def __getattr__(name: str) -> Any:
    if name in _KINDS:
        return _KINDS[name]
    if name.startswith(("_jit_set_", "_jit_override_")):
        return _partial(_keep, name)
    raise _no_attribute(__name__, name)
