"""What specgrad loads when it is first named: written from `later_names.py`."""

from specgrad.nn.functional.embedding import segment_reduce as segment_reduce
from specgrad.nn.functional.max_pool_indices import max_pool1d_with_indices as max_pool1d_with_indices
from specgrad.nn.functional.torch_forms import alpha_dropout as alpha_dropout
from specgrad.nn.functional.torch_forms import alpha_dropout_ as alpha_dropout_
from specgrad.nn.functional.torch_forms import batch_norm as batch_norm
from specgrad.nn.functional.torch_forms import conv_tbc as conv_tbc
from specgrad.nn.functional.torch_forms import cosine_embedding_loss as cosine_embedding_loss
from specgrad.nn.functional.torch_forms import ctc_loss as ctc_loss
from specgrad.nn.functional.torch_forms import dropout as dropout
from specgrad.nn.functional.torch_forms import dropout_ as dropout_
from specgrad.nn.functional.torch_forms import feature_alpha_dropout as feature_alpha_dropout
from specgrad.nn.functional.torch_forms import feature_alpha_dropout_ as feature_alpha_dropout_
from specgrad.nn.functional.torch_forms import feature_dropout as feature_dropout
from specgrad.nn.functional.torch_forms import feature_dropout_ as feature_dropout_
from specgrad.nn.functional.torch_forms import frobenius_norm as frobenius_norm
from specgrad.nn.functional.torch_forms import grid_sampler_2d as grid_sampler_2d
from specgrad.nn.functional.torch_forms import grid_sampler_3d as grid_sampler_3d
from specgrad.nn.functional.torch_forms import group_norm as group_norm
from specgrad.nn.functional.torch_forms import hinge_embedding_loss as hinge_embedding_loss
from specgrad.nn.functional.torch_forms import instance_norm as instance_norm
from specgrad.nn.functional.torch_forms import kl_div as kl_div
from specgrad.nn.functional.torch_forms import layer_norm as layer_norm
from specgrad.nn.functional.torch_forms import margin_ranking_loss as margin_ranking_loss
from specgrad.nn.functional.torch_forms import native_batch_norm as native_batch_norm
from specgrad.nn.functional.torch_forms import native_channel_shuffle as native_channel_shuffle
from specgrad.nn.functional.torch_forms import native_dropout as native_dropout
from specgrad.nn.functional.torch_forms import native_group_norm as native_group_norm
from specgrad.nn.functional.torch_forms import native_layer_norm as native_layer_norm
from specgrad.nn.functional.torch_forms import nuclear_norm as nuclear_norm
from specgrad.nn.functional.torch_forms import poisson_nll_loss as poisson_nll_loss
from specgrad.nn.functional.torch_forms import rms_norm as rms_norm
from specgrad.nn.functional.torch_forms import triplet_margin_loss as triplet_margin_loss
from specgrad.nn.functional.torch_layers import convolution as convolution
from specgrad.nn.functional.torch_layers import embedding_renorm_ as embedding_renorm_
from specgrad.nn.functional.torch_layers import gru as gru
from specgrad.nn.functional.torch_layers import lstm as lstm
from specgrad.nn.functional.torch_layers import rnn_relu as rnn_relu
from specgrad.nn.functional.torch_layers import rnn_tanh as rnn_tanh
from specgrad.nn.quantized import ScriptModule as ScriptModule
from specgrad.runtime.autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from specgrad.runtime.extensions.amp.autocast import autocast as autocast
from specgrad.runtime.extensions.amp.deprecated_names import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from specgrad.runtime.extensions.amp.deprecated_names import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from specgrad.runtime.extensions.amp.deprecated_names import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from specgrad.runtime.extensions.amp.deprecated_names import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from specgrad.runtime.extensions.amp.deprecated_names import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from specgrad.runtime.extensions.amp.deprecated_names import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from specgrad.runtime.extensions.amp.grad_scaler import GradScaler as GradScaler
from specgrad.runtime.extensions.amp.settings import autocast_decrement_nesting as autocast_decrement_nesting
from specgrad.runtime.extensions.amp.settings import autocast_increment_nesting as autocast_increment_nesting
from specgrad.runtime.extensions.amp.settings import clear_autocast_cache as clear_autocast_cache
from specgrad.runtime.extensions.amp.settings import get_autocast_dtype as get_autocast_dtype
from specgrad.runtime.extensions.amp.settings import is_autocast_cache_enabled as is_autocast_cache_enabled
from specgrad.runtime.extensions.amp.settings import is_autocast_enabled as is_autocast_enabled
from specgrad.runtime.extensions.amp.settings import set_autocast_cache_enabled as set_autocast_cache_enabled
from specgrad.runtime.extensions.amp.settings import set_autocast_dtype as set_autocast_dtype
from specgrad.runtime.extensions.amp.settings import set_autocast_enabled as set_autocast_enabled
from specgrad.runtime.extensions.cuda_api.streams import Event as Event
from specgrad.runtime.extensions.cuda_api.streams import Stream as Stream
from specgrad.runtime.extensions.distributed.groups.futures import Future as Future
from specgrad.runtime.extensions.serialization.torch_format import PyTorchFileReader as PyTorchFileReader
from specgrad.runtime.extensions.sparse.create import sparse_compressed_tensor as sparse_compressed_tensor
from specgrad.runtime.extensions.sparse.create import sparse_coo_tensor as sparse_coo_tensor
from specgrad.runtime.extensions.sparse.create import sparse_csc_tensor as sparse_csc_tensor
from specgrad.runtime.extensions.sparse.create import sparse_csr_tensor as sparse_csr_tensor
from specgrad.runtime.extensions.sparse.legacy import dsmm as dsmm
from specgrad.runtime.extensions.sparse.legacy import hsmm as hsmm
from specgrad.runtime.extensions.sparse.legacy import hspmm as hspmm
from specgrad.runtime.extensions.sparse.legacy import smm as smm
from specgrad.runtime.extensions.sparse.legacy import spmm as spmm
from specgrad.runtime.extensions.sparse.legacy import sspaddmm as sspaddmm
from specgrad.runtime.extensions.torch_compat.compile import SymBool as SymBool
from specgrad.runtime.extensions.torch_compat.compile import SymFloat as SymFloat
from specgrad.runtime.extensions.torch_compat.compile import SymInt as SymInt
from specgrad.runtime.extensions.torch_compat.compile import _check as _check
from specgrad.runtime.extensions.torch_compat.compile import _check_index as _check_index
from specgrad.runtime.extensions.torch_compat.compile import _check_is_size as _check_is_size
from specgrad.runtime.extensions.torch_compat.compile import _check_not_implemented as _check_not_implemented
from specgrad.runtime.extensions.torch_compat.compile import _check_tensor_all as _check_tensor_all
from specgrad.runtime.extensions.torch_compat.compile import _check_tensor_all_with as _check_tensor_all_with
from specgrad.runtime.extensions.torch_compat.compile import _check_type as _check_type
from specgrad.runtime.extensions.torch_compat.compile import _check_value as _check_value
from specgrad.runtime.extensions.torch_compat.compile import _check_with as _check_with
from specgrad.runtime.extensions.torch_compat.compile import compile as compile
from specgrad.runtime.extensions.torch_compat.compile import cond as cond
from specgrad.runtime.extensions.torch_compat.compile import sym_float as sym_float
from specgrad.runtime.extensions.torch_compat.compile import sym_int as sym_int
from specgrad.runtime.extensions.torch_compat.compile import sym_ite as sym_ite
from specgrad.runtime.extensions.torch_compat.compile import sym_max as sym_max
from specgrad.runtime.extensions.torch_compat.compile import sym_min as sym_min
from specgrad.runtime.extensions.torch_compat.compile import sym_not as sym_not
from specgrad.runtime.extensions.torch_compat.compile import sym_sqrt as sym_sqrt
from specgrad.runtime.extensions.torch_compat.compile import sym_sum as sym_sum
from specgrad.runtime.extensions.torch_compat.compile import while_loop as while_loop
from specgrad.runtime.extensions.torch_compat.custom_ops import ops as ops
from specgrad.runtime.extensions.torch_compat.functions import _assert_async as _assert_async
from specgrad.runtime.extensions.torch_compat.functions import _conj as _conj
from specgrad.runtime.extensions.torch_compat.functions import (
    _convert_indices_from_coo_to_csr as _convert_indices_from_coo_to_csr,
)
from specgrad.runtime.extensions.torch_compat.functions import (
    _convert_indices_from_csr_to_coo as _convert_indices_from_csr_to_coo,
)
from specgrad.runtime.extensions.torch_compat.functions import _neg_view as _neg_view
from specgrad.runtime.extensions.torch_compat.functions import _shape_as_tensor as _shape_as_tensor
from specgrad.runtime.extensions.torch_compat.functions import detach as detach
from specgrad.runtime.extensions.torch_compat.functions import detach_ as detach_
from specgrad.runtime.extensions.torch_compat.functions import eig as eig
from specgrad.runtime.extensions.torch_compat.functions import get_device as get_device
from specgrad.runtime.extensions.torch_compat.functions import is_distributed as is_distributed
from specgrad.runtime.extensions.torch_compat.functions import is_inference as is_inference
from specgrad.runtime.extensions.torch_compat.functions import is_signed as is_signed
from specgrad.runtime.extensions.torch_compat.functions import lstsq as lstsq
from specgrad.runtime.extensions.torch_compat.functions import matrix_rank as matrix_rank
from specgrad.runtime.extensions.torch_compat.functions import norm_except_dim as norm_except_dim
from specgrad.runtime.extensions.torch_compat.functions import range as range
from specgrad.runtime.extensions.torch_compat.functions import resize_as_ as resize_as_
from specgrad.runtime.extensions.torch_compat.functions import solve as solve
from specgrad.runtime.extensions.torch_compat.functions import symeig as symeig
from specgrad.runtime.extensions.torch_compat.functions import typename as typename
from specgrad.runtime.extensions.torch_compat.jit_script import AnyType as AnyType
from specgrad.runtime.extensions.torch_compat.jit_script import BoolType as BoolType
from specgrad.runtime.extensions.torch_compat.jit_script import ClassType as ClassType
from specgrad.runtime.extensions.torch_compat.jit_script import DictType as DictType
from specgrad.runtime.extensions.torch_compat.jit_script import FloatType as FloatType
from specgrad.runtime.extensions.torch_compat.jit_script import IntType as IntType
from specgrad.runtime.extensions.torch_compat.jit_script import ListType as ListType
from specgrad.runtime.extensions.torch_compat.jit_script import NoneType as NoneType
from specgrad.runtime.extensions.torch_compat.jit_script import NumberType as NumberType
from specgrad.runtime.extensions.torch_compat.jit_script import OptionalType as OptionalType
from specgrad.runtime.extensions.torch_compat.jit_script import ScriptFunction as ScriptFunction
from specgrad.runtime.extensions.torch_compat.jit_script import ScriptMethod as ScriptMethod
from specgrad.runtime.extensions.torch_compat.jit_script import StringType as StringType
from specgrad.runtime.extensions.torch_compat.jit_script import TensorType as TensorType
from specgrad.runtime.extensions.torch_compat.jit_script import TupleType as TupleType
from specgrad.runtime.extensions.torch_compat.jit_script import UnionType as UnionType
from specgrad.runtime.extensions.torch_compat.jit_script import fork as fork
from specgrad.runtime.extensions.torch_compat.jit_script import wait as wait
from specgrad.runtime.extensions.torch_compat.overrides_api import _assert as _assert
from specgrad.runtime.extensions.torch_compat.unavailable import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from specgrad.runtime.extensions.torch_compat.unavailable import get_device_module as get_device_module
from specgrad.runtime.extensions.torch_compat.unavailable import has_lapack as has_lapack
from specgrad.runtime.extensions.torch_compat.unavailable import has_mkl as has_mkl
from specgrad.runtime.extensions.torch_compat.unavailable import has_openmp as has_openmp
from specgrad.runtime.extensions.torch_compat.unavailable import has_spectral as has_spectral
from specgrad.runtime.extensions.torch_compat.unavailable import is_vulkan_available as is_vulkan_available
from specgrad.runtime.ops.creation.distributions import _dirichlet_grad as _dirichlet_grad
from specgrad.runtime.ops.creation.distributions import _sample_dirichlet as _sample_dirichlet
from specgrad.runtime.ops.creation.distributions import _standard_gamma as _standard_gamma
from specgrad.runtime.ops.creation.distributions import _standard_gamma_grad as _standard_gamma_grad
from specgrad.runtime.tensor.memory_format import jagged as jagged
from specgrad.storage import BFloat16Storage as BFloat16Storage
from specgrad.storage import BoolStorage as BoolStorage
from specgrad.storage import ByteStorage as ByteStorage
from specgrad.storage import CharStorage as CharStorage
from specgrad.storage import ComplexDoubleStorage as ComplexDoubleStorage
from specgrad.storage import ComplexFloatStorage as ComplexFloatStorage
from specgrad.storage import DoubleStorage as DoubleStorage
from specgrad.storage import FloatStorage as FloatStorage
from specgrad.storage import HalfStorage as HalfStorage
from specgrad.storage import IntStorage as IntStorage
from specgrad.storage import LongStorage as LongStorage
from specgrad.storage import ShortStorage as ShortStorage
from specgrad.storage import TypedStorage as TypedStorage
from specgrad.storage import UntypedStorage as UntypedStorage
from specgrad.storage import from_file as from_file
from specgrad.storage import is_storage as is_storage

__all__ = [
    "alpha_dropout",
    "alpha_dropout_",
    "batch_norm",
    "conv_tbc",
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
    "native_channel_shuffle",
    "native_dropout",
    "native_group_norm",
    "native_layer_norm",
    "nuclear_norm",
    "poisson_nll_loss",
    "rms_norm",
    "triplet_margin_loss",
    "convolution",
    "embedding_renorm_",
    "gru",
    "lstm",
    "rnn_relu",
    "rnn_tanh",
    "segment_reduce",
    "set_anomaly_enabled",
    "GradScaler",
    "max_pool1d_with_indices",
    "ScriptModule",
    "autocast",
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cpu_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_gpu_dtype",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "get_autocast_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "_check",
    "_check_index",
    "_check_is_size",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_tensor_all_with",
    "_check_type",
    "_check_value",
    "_check_with",
    "compile",
    "cond",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
    "SymBool",
    "SymFloat",
    "SymInt",
    "while_loop",
    "ops",
    "AnyType",
    "BoolType",
    "ClassType",
    "DictType",
    "FloatType",
    "fork",
    "IntType",
    "ListType",
    "NoneType",
    "NumberType",
    "OptionalType",
    "ScriptFunction",
    "ScriptMethod",
    "StringType",
    "TensorType",
    "TupleType",
    "UnionType",
    "wait",
    "_dirichlet_grad",
    "_sample_dirichlet",
    "_standard_gamma",
    "_standard_gamma_grad",
    "Event",
    "Stream",
    "compiled_with_cxx11_abi",
    "get_device_module",
    "has_lapack",
    "has_mkl",
    "has_openmp",
    "has_spectral",
    "is_vulkan_available",
    "_assert_async",
    "_conj",
    "_convert_indices_from_coo_to_csr",
    "_convert_indices_from_csr_to_coo",
    "_neg_view",
    "_shape_as_tensor",
    "detach",
    "detach_",
    "eig",
    "get_device",
    "is_distributed",
    "is_inference",
    "is_signed",
    "lstsq",
    "matrix_rank",
    "norm_except_dim",
    "range",
    "resize_as_",
    "solve",
    "symeig",
    "typename",
    "Future",
    "PyTorchFileReader",
    "_assert",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "dsmm",
    "hsmm",
    "hspmm",
    "smm",
    "spmm",
    "sspaddmm",
    "jagged",
    "BFloat16Storage",
    "BoolStorage",
    "ByteStorage",
    "CharStorage",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "DoubleStorage",
    "FloatStorage",
    "from_file",
    "HalfStorage",
    "IntStorage",
    "is_storage",
    "LongStorage",
    "ShortStorage",
    "TypedStorage",
    "UntypedStorage",
]
