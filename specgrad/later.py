"""What is loaded when it is first named: files with PyTorch's names, and functions that few programs ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

MODULES = (
    *("_C", "_utils", "as_torch", "cuda", "distributed", "hub", "multiprocessing", "onnx"),
    *("return_types", "serialization", "storage", "types"),
)
_LENDERS = {
    "nn.functional.torch_forms": (
        *(
            "alpha_dropout",
            "alpha_dropout_",
            "batch_norm",
            "cosine_embedding_loss",
            "ctc_loss",
            "dropout",
            "dropout_",
            "feature_alpha_dropout",
            "feature_alpha_dropout_",
            "feature_dropout",
            "feature_dropout_",
            "frobenius_norm",
            "grid_sampler_2d",
            "grid_sampler_3d",
            "group_norm",
            "hinge_embedding_loss",
            "instance_norm",
            "kl_div",
            "layer_norm",
            "margin_ranking_loss",
            "native_batch_norm",
            "native_dropout",
            "native_group_norm",
            "native_layer_norm",
            "nuclear_norm",
            "poisson_nll_loss",
            "rms_norm",
            "triplet_margin_loss",
        ),
        *("conv_tbc", "native_channel_shuffle"),
    ),
    "nn.functional.torch_layers": ("convolution", "embedding_renorm_", "gru", "lstm", "rnn_relu", "rnn_tanh"),
    "nn.functional.embedding": ("segment_reduce",),
    "runtime.autograd.anomaly": ("set_anomaly_enabled",),
    "runtime.extensions.amp.grad_scaler": ("GradScaler",),
    "nn.functional.max_pool_indices": ("max_pool1d_with_indices",),
    "nn.quantized": ("ScriptModule",),
    "runtime.extensions.amp.autocast": ("autocast",),
    "runtime.extensions.amp.deprecated_names": (
        "get_autocast_cpu_dtype",
        "get_autocast_gpu_dtype",
        "is_autocast_cpu_enabled",
        "set_autocast_cpu_dtype",
        "set_autocast_cpu_enabled",
        "set_autocast_gpu_dtype",
    ),
    "runtime.extensions.amp.settings": (
        "autocast_decrement_nesting",
        "autocast_increment_nesting",
        "clear_autocast_cache",
        "get_autocast_dtype",
        "is_autocast_cache_enabled",
        "is_autocast_enabled",
        "set_autocast_cache_enabled",
        "set_autocast_dtype",
        "set_autocast_enabled",
    ),
    "runtime.extensions.torch_compat.compile": (
        *("compile",),
        *(
            *("_check", "_check_index", "_check_is_size", "_check_not_implemented", "_check_tensor_all"),
            *("_check_tensor_all_with", "_check_type", "_check_value", "_check_with"),
        ),
        *(
            *(
                "SymBool",
                "SymFloat",
                "SymInt",
                "cond",
                "sym_float",
                "sym_int",
                "sym_ite",
                "sym_max",
                "sym_min",
                "sym_not",
            ),
            *("sym_sqrt", "sym_sum", "while_loop"),
        ),
    ),
    "runtime.extensions.torch_compat.op_namespace": ("ops",),
    "runtime.extensions.torch_compat.jit_script": (
        *(
            *("AnyType", "BoolType", "ClassType", "DictType", "FloatType", "IntType", "ListType", "NoneType"),
            *("NumberType", "OptionalType", "ScriptMethod", "StringType", "TensorType", "TupleType", "UnionType"),
        ),
        *("ScriptFunction", "fork", "wait"),
    ),
    "runtime.ops.creation.distributions": (
        "_dirichlet_grad",
        "_sample_dirichlet",
        "_standard_gamma",
        "_standard_gamma_grad",
    ),
    "runtime.extensions.cuda_api.streams": ("Event", "Stream"),
    "runtime.extensions.torch_compat.unavailable": (
        *("compiled_with_cxx11_abi", "get_device_module", "has_lapack", "has_mkl", "has_openmp"),
        *("has_spectral", "is_vulkan_available"),
    ),
    "runtime.extensions.torch_compat.functions": (
        *(
            *(
                "_conj",
                "_neg_view",
                "detach",
                "detach_",
                "fill",
                "get_device",
                "is_distributed",
                "is_inference",
                "is_signed",
                "norm_except_dim",
            ),
            *("range", "resize_as_", "typename"),
        ),
        *("eig", "lstsq", "matrix_rank", "solve", "symeig"),
        *(
            *(
                "_assert_async",
                "_convert_indices_from_coo_to_csr",
                "_convert_indices_from_csr_to_coo",
                "_shape_as_tensor",
            ),
        ),
    ),
    "runtime.extensions.distributed.groups.futures": ("Future",),
    "runtime.extensions.serialization.torch_format": ("PyTorchFileReader",),
    "runtime.extensions.torch_compat.overrides_api": ("_assert",),
    "runtime.extensions.sparse.create": (
        *("sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor"),
    ),
    "runtime.extensions.sparse.legacy": ("dsmm", "hsmm", "hspmm", "smm", "spmm", "sspaddmm"),
    "runtime.tensor.memory_format": ("jagged",),
    "storage": (
        *(
            "BFloat16Storage",
            "BoolStorage",
            "ByteStorage",
            "CharStorage",
            "ComplexDoubleStorage",
            "ComplexFloatStorage",
        ),
        *("DoubleStorage", "FloatStorage", "HalfStorage", "IntStorage", "LongStorage", "ShortStorage", "TypedStorage"),
        *("UntypedStorage", "from_file", "is_storage"),
    ),
}
FAMILIES = {"_foreach_": "runtime.ops.numeric.foreach"}  # by what names begin with: a module whose `named` has them all
_NO_FAMILIES: Mapping[str, str] = {}
NAMES = {name: module_name for module_name, names in _LENDERS.items() for name in names}


def finder(
    package: str, modules: tuple[str, ...], names: Mapping[str, str], families: Mapping[str, str] = _NO_FAMILIES
) -> Callable[[str], Any]:
    """The `__getattr__` of a package that loads some of what it offers when that is first named.

    Args:
        package: its name.
        modules: modules of the package.
        names: the modules, from the top of specgrad, that other names are found in.
        families: modules with a function `named`, by what the names that it answers begin with.
    """
    top = package.partition(".")[0]

    def find(name: str) -> Any:
        if name in names:
            return getattr(import_module(f".{names[name]}", top), name)
        if name in modules:
            return import_module(f".{name}", package)
        for prefix, module_name in families.items():
            if name.startswith(prefix):
                return import_module(f".{module_name}", top).named(name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def listing(package: str, *names: str) -> Callable[[], list[str]]:
    """The `__dir__` of a package: what it has, and what is loaded when it is first named.

    Args:
        package: its name.
        *names: the latter.
    """
    return lambda: sorted({*vars(sys.modules[package]), *names})
