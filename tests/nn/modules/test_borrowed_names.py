"""What programs import from PyTorch's files of layers and optimizers besides layers and optimizers."""

import importlib
from typing import Any

import numpy as np
import pytest

IMPORTS = [
    "nn.modules.conv: _ConvNd _pair _single _triple _reverse_repeat_tuple",
    "nn.modules.pooling: _pair _single _triple",
    "nn.modules.module: Module Parameter RemovableHandle Tensor _addindent",
    "nn.modules.activation: Module NonDynamicallyQuantizableLinear Parameter",
    "nn.modules.transformer: _detect_is_causal_mask _generate_square_subsequent_mask _get_activation_fn _get_clones",
    "nn.modules.transformer: Dropout F LayerNorm Linear Module ModuleList MultiheadAttention Tensor xavier_uniform_",
    "nn.modules.conv: F Module Parameter Tensor init",
    "nn.modules.batchnorm: F Module Parameter SyncBatchNorm Tensor init",
    "nn.modules.loss: F Linear Module PairwiseDistance Tensor _Reduction",
    "nn.modules.activation: F Tensor constant_ xavier_normal_",
    "nn.modules.padding: _pair _quadruple",
    "nn.modules.rnn: PackedSequence _VF apply_permutation init",
    "nn.init: _calculate_correct_fan _no_grad_fill_ _no_grad_normal_ _no_grad_trunc_normal_ _no_grad_zero_",
    "nn.utils.clip_grad: _clip_grads_with_norm_ _get_total_norm",
    "_VF: embedding_renorm_ gru lstm lstm_cell norm rnn_tanh",
    "utils.data._utils.collate: collate_float_fn collate_int_fn collate_str_fn collate_tensor_fn",
    "utils.data._utils.collate: collate_numpy_array_fn default_collate_fn_map np_str_obj_array_pattern",
    "utils.data.dataloader: default_collate default_convert",
    "serialization: default_restore_location location_tag",
    "_lowrank: svd_lowrank",
    "_vmap_internals: vmap",
    "_utils: ExceptionWrapper _get_all_device_indices",
    "autograd.profiler_util: FunctionEvent",
    "cuda.graphs: CUDAGraph",
    "nn.functional: _pair _single _triple handle_torch_function has_torch_function has_torch_function_variadic",
    "nn.utils.parametrizations: _Orthogonal _SpectralNorm _WeightNorm",
    "optim._multi_tensor: SGD",
    "optim.lr_scheduler: _enable_get_lr_call",
    "nn.modules.container: Module",
    "nn.modules.utils: _list_with_default",
    "nn.common_types: _size_1_t _size_2_t _size_any_t _ratio_any_t _maybe_indices_t",
    "nn.functional: _Reduction _canonical_mask _get_softmax_dim _in_projection_packed _mha_shape_check _none_or_dtype",
    "nn.functional: adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices native_channel_shuffle",
    "optim.optimizer: ParamsT _default_to_fused_or_foreach _dispatch_sqrt _foreach_doc _get_value _params_doc required",
    "optim.optimizer: _get_scalar_dtype _stack_if_compiling _use_grad_for_differentiable _view_as_real",
    "_utils: _flatten_dense_tensors _get_device_index _take_tensors _unflatten_dense_tensors",
    "_jit_internal: BroadcastingList2 Final List Optional _overload boolean_dispatch unused",
    "_tensor: Tensor",
    "_C: Generator Graph _TensorMeta _log_api_usage_once",
    "types: Device Number _size",
    "functional: broadcast_tensors einsum split stft",
]


@pytest.mark.parametrize("line", IMPORTS)
def test_imports(lib: Any, line: str) -> None:
    """The names are there, in both libraries."""
    module, _, names = line.partition(": ")
    found = importlib.import_module(f"{lib.__name__}.{module}")
    for name in names.split():
        if lib.__name__ != "torch" or name not in ("required", "_dispatch_sqrt"):  # which are gone there
            assert hasattr(found, name), name


def test_layers_for_arguments(lib: Any) -> None:
    """The arguments of new tensors, from either place, once."""
    kwargs = lib.nn.factory_kwargs
    assert kwargs({"dtype": 1, "factory_kwargs": {"device": 2}}) == {"dtype": 1, "device": 2} and kwargs(None) == {}
    for wrong in ({"colour": 1}, {"dtype": 1, "factory_kwargs": {"dtype": 2}}):
        with pytest.raises(TypeError):
            kwargs(wrong)


def test_reductions(lib: Any) -> None:
    """Numbers and older arguments."""
    reduction = importlib.import_module(f"{lib.__name__}.nn._reduction")
    assert [reduction.get_enum(name) for name in ("none", "mean", "sum")] == [0, 1, 2]
    for size_average, reduce, expected in ((None, None, "mean"), (False, True, "sum"), (True, False, "none")):
        with pytest.warns(UserWarning, match=expected):
            assert reduction.legacy_get_string(size_average, reduce) == expected
        assert reduction.legacy_get_enum(size_average, reduce, False) == reduction.get_enum(expected)
    with pytest.raises(ValueError):
        reduction.get_enum("other")


def test_parts_of_attention(lib: Any) -> None:
    """Projections by one weight are those by its parts; masks become numbers."""
    F, x = lib.nn.functional, lib.rand(3, 2, 4)
    w, b = lib.rand(12, 4), lib.rand(12)
    found = F._in_projection_packed(x, x + 1, x + 2, w, b)
    for number, part in enumerate(found):
        rows = slice(4 * number, 4 * number + 4)
        expected = (x + number).cpu().numpy() @ w[rows].cpu().numpy().T + b[rows].cpu().numpy()
        np.testing.assert_allclose(part.cpu().numpy(), expected, rtol=1e-5)
    mask = F._canonical_mask(lib.tensor([True, False]), "mask", None, "other", lib.float32)
    assert (
        mask.tolist() == [-float("inf"), 0.0] and F._none_or_dtype(x) is lib.float32 and F._none_or_dtype(None) is None
    )
    with pytest.raises(AssertionError):
        F._canonical_mask(lib.tensor([1]), "mask", None, "other", lib.float32)


def test_parts_of_optimizers(lib: Any) -> None:
    """An optimizer of a program's own, written with them, records its steps where it is differentiable."""
    parts = importlib.import_module(f"{lib.__name__}.optim.optimizer")

    class Plain(parts.Optimizer):  # type: ignore[name-defined, misc]
        def __init__(self, params: Any, differentiable: bool = False) -> None:
            super().__init__(params, {"lr": 0.1, "differentiable": differentiable})

        @parts._use_grad_for_differentiable
        def step(self, closure: Any = None) -> bool:
            recording: bool = lib.is_grad_enabled()
            return recording

    w = lib.ones(2, requires_grad=True)
    assert Plain([w]).step() is False and Plain([w], True).step() is True and lib.is_grad_enabled()
    assert parts._get_value(lib.tensor(3.0)) == 3.0 == parts._get_value(3.0)
    tensors = [lib.ones(2, dtype=lib.complex64), lib.ones(2)]
    parts._view_as_real(tensors)
    assert [tuple(t.shape) for t in tensors] == [(2, 2), (2,)]


def test_buckets(lib: Any) -> None:
    """Several tensors as one, and back."""
    utils = importlib.import_module(f"{lib.__name__}._utils")
    tensors = [lib.rand(2, 3), lib.rand(4), lib.rand(1)]
    flat = utils._flatten_dense_tensors(tensors)
    assert flat.shape == (11,)
    for one, other in zip(utils._unflatten_dense_tensors(flat, tensors), tensors, strict=True):
        assert lib.equal(one, other)
    buckets = [len(bucket) for bucket in utils._take_tensors([*tensors, lib.arange(3)], 40)]
    assert sum(buckets) == 4 and len(buckets) >= 2


def test_two_functions_in_one(lib: Any) -> None:
    """`boolean_dispatch` chooses by an argument."""
    jit = importlib.import_module(f"{lib.__name__}._jit_internal")

    def yes(x: Any, flag: bool = True) -> str:
        return "yes"

    def no(x: Any, flag: bool = False) -> str:
        return "no"

    both = jit.boolean_dispatch("flag", 1, False, yes, no, __name__, "both")
    assert (both(1), both(1, True), both(1, flag=True), both(1, False)) == ("no", "yes", "yes", "no")


def test_initial_values_by_private_names(lib: Any) -> None:
    """They do what the public functions do, outside the graph."""
    init = lib.nn.init
    weight = lib.zeros(4, 3, requires_grad=True)
    assert init._no_grad_fill_(weight, 2.0) is weight and weight.grad_fn is None and weight.sum().item() == 24.0
    assert 0.0 <= init._no_grad_uniform_(weight, 0.0, 0.5).min().item() <= weight.max().item() <= 0.5
    assert init._no_grad_trunc_normal_(weight, 0.0, 1.0, -0.1, 0.1).abs().max().item() <= 0.1
    assert init._no_grad_normal_(weight, 5.0, 0.0).mean().item() == 5.0
    assert init._no_grad_zero_(weight).sum().item() == 0.0
    assert (init._calculate_correct_fan(weight, "fan_in"), init._calculate_correct_fan(weight, "fan_out")) == (3, 4)
    with pytest.raises(ValueError, match="not supported"):
        init._calculate_correct_fan(weight, "fan")


def test_names_that_no_file_has_imported(lib: Any) -> None:
    """What is nobody's public name is an AttributeError, as programs probe for it."""
    assert not hasattr(lib.nn.modules.conv, "no_such_name") and not hasattr(lib.nn.modules.conv, "__wrapped__")


def test_exceptions_of_others(lib: Any) -> None:
    """An exception that was wrapped is raised again in its class, and says where it was caught."""
    try:
        raise ValueError("wrong")
    except ValueError:
        wrapped = importlib.import_module(f"{lib.__name__}._utils").ExceptionWrapper(where="in thread 1")
    with pytest.raises(ValueError, match=r"Caught ValueError in thread 1\.\nOriginal Traceback(.|\n)*wrong"):
        wrapped.reraise()
