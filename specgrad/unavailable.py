"""PyTorch's names for what is not here: each with a sentence that says why, and what asking for it does.

Packages import many of these names and never need what they stand for. So marks for a compiler return what they are
given, questions have answers, and what cannot be done is an error that names what was asked for.
"""

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import NoneType, SimpleNamespace
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

# ---- what a name is --------------------------------------------------------------------------------------------------


def mark(name: str, why: str) -> Callable[..., Any]:
    """A decorator that returns what it is given, also after it was called with options."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for wrong in (value for value in args if not callable(value) and not isinstance(value, (bool, str, NoneType))):
            from .runtime.errors import ArgumentError, type_name

            raise ArgumentError(f"{call.__name__}(): expected a function, a class or a module, got {type_name(wrong)}")
        first = next(iter((*args, *kwargs.values())), None)
        return first if callable(first) else decorator

    return _named(call, name, why)


def decorator(function: T) -> T:
    return function


def block(name: str, why: str) -> Callable[..., AbstractContextManager[list[Any]]]:
    """A function for `with`, whose block is as it is anywhere; it gives an empty list."""

    def call(*args: Any, **kwargs: Any) -> AbstractContextManager[list[Any]]:
        return nullcontext([])

    return _named(call, name, why)


def absent(name: str, why: str) -> type:
    """A class that programs ask for by isinstance: nothing is one, and none can be made."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(_sentence(name, why))

    module, _, last = name.rpartition(".")
    members = {"__init__": refuse, "__doc__": f"Nothing is one: {why}.", "__module__": f"specgrad.{module}"}
    return type(last, (), members)


def _sentence(name: str, why: str) -> str:
    from .runtime.unknown_names import not_available  # here: the generator runs this file alone

    return not_available(name, why)


def _answer(value: Any, name: str, why: str) -> Callable[..., Any]:
    """A function that gives a value, or a list of its own."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return list(value) if isinstance(value, list) else value

    return _named(call, name, why)


class Question(NamedTuple):
    """A function that gives a value, and takes no arguments."""

    answer: Any

    def asked(self, name: str, why: str) -> Callable[[], Any]:
        def call() -> Any:
            return self.answer

        return _named(call, name, why, takes_arguments=False)


def _refusal(error: type[Exception], name: str, why: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        raise error(_sentence(name, why))

    return _named(call, name, f"It cannot be done: {why}")


def _named(function: Any, name: str, why: str, takes_arguments: bool = True) -> Any:
    module, _, last = name.rpartition(".")
    function.__module__, function.__name__, function.__qualname__ = f"specgrad.{module}", last, last
    function.__doc__ = f"{why}.\n" + "\nArgs:\n    *args, **kwargs: as in PyTorch.\n" * takes_arguments
    return function


def named(name: str) -> Any:
    """What one of `WHY` is: the same for names that share a row and their last word.

    Args:
        name: the name, with that of its module.
    """
    from .runtime import unknown_names

    what, why, row = WHY[name]
    why = getattr(unknown_names, why, why)
    key = (row, name.rpartition(".")[2])
    if key not in _made:
        if isinstance(what, Question):
            _made[key] = what.asked(name, why)
        elif isinstance(what, type):
            _made[key] = _refusal(what, name, why)
        else:
            _made[key] = what(name, why) if callable(what) else _answer(what, name, why)
    return _made[key]


_made: dict[tuple[int, str], Any] = {}

# ---- the table -------------------------------------------------------------------------------------------------------

# What a name is (`mark`, `block`, `absent`, an error, or the answer, with `()` of what takes no arguments), the
# sentence or its name in `runtime/unknown_names.py`, and the names by their modules: `a: name; b: name` are one object,
# `a,b: name` are two.
_TABLE = """
mark | A mark of what compiled code does not call; it stays as it is
    jit,_jit_internal: ignore unused
mark | A mark of what is to be compiled as well; it stays as it is
    jit: export interface script_method
mark | A mark of what is to be compiled as well; it stays as it is
    _jit_internal: export
mark | A mark of what is compiled while something is traced: never
    jit: script_if_tracing _script_if_tracing
mark | A mark of one of several signatures; the function stays as it is
    jit: _overload _overload_method
mark | A mark of older programs for a compiler; what has it stays as it is
    _jit_internal: _copy_to_script_wrapper _overload _overload_method weak_module weak_script weak_script_method
mark | A mark of what a compiler would treat in a way of its own; it stays as it is
    compiler: assume_constant_result disable nested_compile_region
    _dynamo: assume_constant_result disable disallow_in_graph forbid_in_graph nonstrict_trace run
mark | A mark about PyTorch's releases; what has it stays as it is
    fx._compatibility: compatibility
None | A mark on a tensor for a compiler: which sizes may change; nothing depends on it
    _dynamo: mark_dynamic mark_static mark_static_address maybe_mark_dynamic
False() | Whether the code that asks is being compiled, traced or exported: never
    jit: is_scripting is_tracing; _jit_internal: is_scripting; _dynamo: is_compiling
    compiler: is_compiling is_dynamo_compiling is_exporting
False | Whether programs can be compiled for a kind of devices: they run as they are
    _dynamo: is_dynamo_supported; _dynamo.eval_frame: is_compile_supported is_dynamo_supported
    _dynamo.utils: is_compile_supported
[] | The compilers that there are: none
    compiler: list_backends; _dynamo: list_backends
None | The beginning of an iteration, or a state that is forgotten: nothing is kept from call to call
    compiler: cudagraph_mark_step_begin reset save_cache_artifacts; _dynamo: reset
    _inductor: cudagraph_mark_step_begin
None | A place where a compiled program would end and another begin: there are none
    _dynamo: graph_break
RuntimeError | no programs are compiled: there is nothing to export or to explain
    _dynamo: explain export
absent | `compile` returns the module itself
    _dynamo: OptimizedModule; _dynamo.eval_frame: OptimizedModule
absent | no compiler follows programs
    _subclasses.fake_tensor: FakeTensor
False | Whether a tensor is one of a compiler's, without memory: none is
    _subclasses.fake_tensor: is_fake
None | Who follows the program below its functions: nobody
    fx.experimental.proxy_tensor: get_proxy_mode
RuntimeError | NO_SCRIPTS
    jit: load save
False() | Whether oneDNN joins ops of compiled programs: never
    jit: onednn_fusion_enabled
None | Asks for oneDNN to join ops of compiled programs; there are none
    jit: enable_onednn_fusion
block | A block in which compiled programs are optimized or not; there are none
    jit: optimized_execution
None | The mode of the dispatcher that is on: none
    utils._python_dispatch: _get_current_dispatch_mode
[] | The modes of the dispatcher that are on: none
    utils._python_dispatch: _get_current_dispatch_mode_stack
block | A block without modes of the dispatcher, as all are
    utils._python_dispatch: _disable_current_modes
False() | Whether a mode of the dispatcher is on: none is
    utils._python_dispatch: is_in_torch_dispatch_mode
False | Whether tensors are made of others that `__tensor_flatten__` gives: none are
    utils._python_dispatch: is_traceable_wrapper_subclass is_traceable_wrapper_subclass_type
True() | Whether there is a processor, and whether it can be used: always
    cpu: is_available is_initialized
1() | How many devices the processor is: one, whatever it has of cores
    cpu: device_count
cpu() | The device that tensors are made on
    cpu: current_device
None | Nothing: there is one processor, and whoever calls an op has its result
    cpu: set_device synchronize
False() | Whether a library or a device is used that specgrad does not use
    backends.cusparselt: is_available; backends.kleidiai: is_available; backends.mkl: is_available
    backends.mkldnn: is_available; backends.mps: is_available is_built; backends.nnpack: is_available
    backends.openmp: is_available; backends.opt_einsum: is_available; distributed.rpc: is_available
    utils._triton: has_triton has_triton_package; utils.cpp_extension: is_ninja_available
None | The package that finds the order of products: none is asked
    backends.opt_einsum: get_opt_einsum
False() | Whether there is such a device: specgrad uses none
    mps,mtia,xpu: is_available
0() | How many devices of this kind are used: none
    mps,mtia,xpu: device_count
None | Done for all devices of this kind, of which there are none
    mps,mtia,xpu: empty_cache manual_seed manual_seed_all
RuntimeError | NO_DEVICES
    mps,mtia,xpu: current_device get_device_properties get_rng_state set_device set_rng_state synchronize
RuntimeError | NO_HEADERS
    utils.cpp_extension: CUDAExtension CppExtension SyclExtension include_paths library_paths load load_inline
NotImplementedError | NO_QUANTIZED
    ao.quantization: convert prepare prepare_qat quantize quantize_dynamic
RuntimeError | NOT_DISTRIBUTED
    distributed._tensor: distribute_module distribute_tensor; distributed.tensor: distribute_module distribute_tensor
    distributed.device_mesh: init_device_mesh; distributed.rpc: init_rpc remote rpc_async rpc_sync shutdown
absent | NOT_DISTRIBUTED
    distributed.tensor: DTensor; distributed._tensor: DTensor; distributed.device_mesh: DeviceMesh
    distributed.optim: DistributedOptimizer PostLocalSGDOptimizer; distributed.algorithms.join: Join
block | A block in which tensors count as copies on all processes: no tensor lies on several
    distributed._tensor.experimental: implicit_replication; distributed.tensor.experimental: implicit_replication
"""

_ANSWERS: tuple[Any, ...] = (None, False, True, 0, 1, [], "cpu")
_KINDS: dict[str, Any] = {str(answer): answer for answer in _ANSWERS}
_KINDS |= {f"{answer}()": Question(answer) for answer in (False, True, 0, 1, "cpu")}
_KINDS |= {kind.__name__: kind for kind in (mark, block, absent, RuntimeError, NotImplementedError)}


def _rows(table: str) -> Iterator[tuple[Any, str, str]]:
    """What names are, the sentence, and the names; of modules that are joined by commas each has a row."""
    for head, *lines in (block.split("\n") for block in re.split(r"\n(?=\S)", table.strip())):
        kind, _, why = head.partition(" | ")
        entries = [entry.split(": ") for line in lines for entry in line.strip().split("; ")]
        for modules in zip(*(modules.split(",") for modules, _ in entries), strict=True):
            named_here = zip(modules, (names.split() for _, names in entries), strict=True)
            full = [f"{module}.{name}" for module, names in named_here for name in names]
            yield _KINDS[kind], why, " ".join(full)


UNAVAILABLE: tuple[tuple[Any, str, str], ...] = tuple(_rows(_TABLE))
WHY: dict[str, tuple[Any, str, int]] = {
    name: (what, why, row) for row, (what, why, names) in enumerate(UNAVAILABLE) for name in names.split()
}

# Attributes that programs set; those of the compilers and libraries that are not here are kept, and nothing reads them.
SETTINGS: dict[str, dict[str, Any]] = {
    "_dynamo.config": {
        **dict.fromkeys(("suppress_errors", "verbose", "disable"), False),
        **dict.fromkeys(("cache_size_limit", "recompile_limit"), 8),
        **dict.fromkeys(("accumulated_cache_size_limit", "accumulated_recompile_limit"), 256),
        **dict.fromkeys(("capture_scalar_outputs", "capture_dynamic_output_shape_ops"), False),
        **dict.fromkeys(("assume_static_by_default", "automatic_dynamic_shapes"), True),
        **dict.fromkeys(("optimize_ddp", "inline_inbuilt_nn_modules"), True),
    },
    "_inductor.config": {
        **dict.fromkeys(("epilogue_fusion", "fx_graph_cache"), True),
        **dict.fromkeys(("conv_1x1_as_mm", "coordinate_descent_tuning", "cpp_wrapper", "max_autotune"), False),
        **dict.fromkeys(("force_fuse_int_mm_with_mul", "use_mixed_mm"), False),
        "triton": SimpleNamespace(cudagraphs=False, unique_kernel_names=True),
        "cpp": SimpleNamespace(threads=-1),
    },
    "backends.miopen": {"immediate": False},
    "backends.mkl": {"VERBOSE_OFF": 0, "VERBOSE_ON": 1},
    "backends.mkldnn": {
        "VERBOSE_OFF": 0,
        "VERBOSE_ON": 1,
        "VERBOSE_ON_CREATION": 2,
        "enabled": True,
        "deterministic": False,
        "allow_tf32": True,
        "fp32_precision": "none",
    },
    "backends.nnpack": {"enabled": True},
    "backends.opt_einsum": {"enabled": False, "strategy": None},
    "backends.quantized": {"engine": "none", "supported_engines": ["none"]},
    "backends.xnnpack": {"enabled": False},
    "fx.graph_module": {"_USER_PRESERVED_ATTRIBUTES_KEY": "_user_preserved_attributes"},
    "serialization": {"pickle": pickle, "StorageType": Any},  # which libraries hand on, and of annotations
    "utils._pytree": {"Context": object, "PyTree": object},
    "utils.cpp_extension": {"CUDA_HOME": None, "ROCM_HOME": None, "IS_HIP_EXTENSION": False},
    "utils.data._utils": {"MP_STATUS_CHECK_INTERVAL": 5.0},
    "utils.deterministic": {"fill_uninitialized_memory": True},
    "version": {"debug": False, "cuda": None, "hip": None, "xpu": None, "git_version": "unknown", "torch": "2.13.0"},
}
