"""Modules that programs import from PyTorch beside what is documented: each does what its name says."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.cpu("nothing is computed")


def _module(lib: Any, name: str) -> Any:
    return importlib.import_module(f"{lib.__name__}.{name}")


def test_decorators(lib: Any) -> None:
    """A context manager of a program's own decorates functions and generators, each call in a region of its own."""
    base = _module(lib, "utils._contextlib")._DecoratorContextManager
    assert _module(lib, "autograd.grad_mode")._DecoratorContextManager is base
    depth = []

    class Region(base):  # type: ignore[misc]
        def __enter__(self) -> None:
            depth.append(1)

        def __exit__(self, *error: Any) -> None:
            depth.pop()

    @Region()
    def nested(count: int) -> int:
        return len(depth) if count == 0 else nested(count - 1)

    @Region()
    def numbers() -> Iterator[int]:
        yield len(depth)
        yield len(depth)

    assert nested(2) == 3 and depth == []
    for number in numbers():
        assert number == 1 and depth == []
    with Region():
        assert depth == [1]
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        assert Region()(int)("2") == 2


def test_decorators_without_arguments(lib: Any) -> None:
    """A region without arguments decorates with and without parentheses."""
    base = _module(lib, "utils._contextlib")._NoParamDecoratorContextManager
    entered = []

    class Region(base):  # type: ignore[misc]
        def __enter__(self) -> None:
            entered.append(1)

        def __exit__(self, *error: Any) -> None:
            pass

    assert Region(lambda: 1)() == 1 and Region()(lambda: 2)() == 2 and entered == [1, 1]


def test_groups_of_tensors(lib: Any) -> None:
    """Tensors go where the first list's tensor of their place goes; None stays beside them."""
    found = _module(lib, "utils._foreach_utils")._group_tensors_by_device_and_dtype(
        [[lib.ones(1), lib.ones(2).double(), lib.ones(3)], [None, lib.zeros(1), None]], with_indices=True
    )
    by_dtype = {dtype: (lists, positions) for (_, dtype), (lists, positions) in found.items()}
    (first, second), positions = by_dtype[lib.float32]
    assert [t.numel() for t in first] == [1, 3] and second == [None, None] and list(positions) == [0, 2]
    assert by_dtype[lib.float64][0][1][0].numel() == 1
    cpu = lib.device("cpu")
    assert _module(lib, "utils._foreach_utils")._has_foreach_support([lib.ones(1)], cpu)
    assert "cuda" in _module(lib, "utils._foreach_utils")._get_fused_kernels_supported_devices()


def test_threads_of_the_backward_pass(lib: Any) -> None:
    """The setting is kept, and given back where it was a region's."""
    enabled = lib.autograd.is_multithreading_enabled
    with lib.autograd.set_multithreading_enabled(False):
        assert not enabled()
        with lib.autograd.set_multithreading_enabled(True):
            assert enabled()
        assert not enabled()
    assert enabled()


def test_streams_of_the_cpu(lib: Any) -> None:
    """Programs for any device name streams of the CPU, on which all is done at once."""
    cpu = lib.cpu
    stream = cpu.Stream()
    with cpu.stream(stream):
        assert cpu.current_stream() is stream
        stream.record_event()
        stream.wait_stream(cpu.current_stream())
    assert cpu.current_stream() is not stream
    begin, end = cpu.Event(), cpu.Event()
    begin.record()
    end.record()
    end.synchronize()
    assert end.query()
    cpu.synchronize()
    cpu.set_device("cpu")
    assert cpu.is_initialized()


def test_no_dispatcher(specgrad: Any) -> None:
    """No tensor is made of others and no mode is on; a mode of a program's own cannot be entered."""
    modes = _module(specgrad, "utils._python_dispatch")
    assert not modes.is_traceable_wrapper_subclass(specgrad.ones(1)) and not modes.is_in_torch_dispatch_mode()
    assert not modes.is_traceable_wrapper_subclass_type(specgrad.Tensor)
    assert modes._get_current_dispatch_mode() is None and modes._get_current_dispatch_mode_stack() == []
    with modes._disable_current_modes() as found:
        assert found == []
    with pytest.raises(NotImplementedError, match="no dispatcher"), modes.TorchDispatchMode():
        pass


@pytest.fixture
def specgrad() -> Any:
    """The package."""
    return importlib.import_module("specgrad")


def test_accelerators(lib: Any) -> None:
    """Where there is no accelerator its functions say so, and its region of no device does nothing."""
    if lib.accelerator.is_available():
        return
    for name in ("current_device_index", "synchronize", "empty_cache", "memory_allocated", "current_stream"):
        with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
            getattr(lib.accelerator, name)()
    assert callable(_module(lib, "utils.model_zoo").load_url)
    assert not _module(lib, "utils._triton").has_triton()


def test_what_files_of_loading_and_optimizing_have_imported(lib: Any) -> None:
    """Samplers are found beside the DataLoader, optimizers beside their schedules."""
    loading, data = _module(lib, "utils.data.dataloader"), lib.utils.data
    assert loading.RandomSampler is data.RandomSampler and loading.Sampler is data.Sampler
    assert _module(lib, "utils.data.sampler").Sampler is data.Sampler
    assert _module(lib, "optim.lr_scheduler").Optimizer is lib.optim.Optimizer
    with pytest.raises(AttributeError):
        loading.no_such_name  # noqa: B018


def test_parts_of_the_compiler(lib: Any) -> None:
    """Types of its programs are classes that nothing here is of, settings are kept, and no launcher is asked for."""
    inner = _module(lib, "_C")
    assert lib.TensorType is inner.TensorType and not isinstance(lib.ones(1), inner.TensorType)
    assert not isinstance(len, inner.ScriptMethod)
    assert inner._jit_set_profiling_executor(inner._jit_set_profiling_executor(True)) in (True, False)
    errors = _module(lib, "distributed.elastic.multiprocessing.errors")
    assert errors.record(lambda: 3)() == 3


def test_the_line_search_of_lbfgs(lib: Any) -> None:
    """It finds a step that meets the conditions; the cubic through two points is lowest where it is."""
    lbfgs = _module(lib, "optim.lbfgs")

    def look(x: Any, step: float, way: Any) -> tuple[float, Any]:
        at = (x + step * way).detach().requires_grad_()
        loss = ((1 - at[0]) ** 2 + 100 * (at[1] - at[0] ** 2) ** 2).sum()
        loss.backward()
        return float(loss.detach()), at.grad

    x = lib.tensor([-1.0, 1.5], dtype=lib.float64)
    loss, grad = look(x, 0.0, x)
    derivative = -float(grad @ grad)
    new, new_grad, step, looked = lbfgs._strong_wolfe(look, x, 1.0, -grad, loss, grad, derivative)
    assert (
        new <= loss + 1e-4 * float(step) * derivative
        and abs(float(new_grad @ -grad)) <= -0.9 * derivative
        and looked > 1
    )
    cubic = [lib.tensor(value) for value in (0.0, 0.0, -3.0, 2.0, 2.0, 9.0)]  # x^3 - 3 x: lowest at 1
    assert float(lbfgs._cubic_interpolate(*cubic)) == pytest.approx(1)
    assert float(lbfgs._cubic_interpolate(*cubic, bounds=(0.0, 0.5))) == pytest.approx(0.5)


def test_private_names_that_libraries_import(lib: Any) -> None:
    """Each is what PyTorch's is: the last word of a key, vmap, unit vectors, classes that no layer is of."""
    assert _module(lib, "nn.modules.module")._EXTRA_STATE_KEY_SUFFIX == "_extra_state"
    assert _module(lib, "_vmap_internals")._vmap(lambda x: x.sum())(lib.ones(2, 3)).tolist() == [3, 3]
    units = _module(lib, "autograd.functional")._construct_standard_basis_for((lib.ones(2), lib.ones(1, 1)), (2, 1))
    assert [unit.tolist() for unit in units] == [[[1, 0], [0, 1], [0, 0]], [[0], [0], [1]]]
    functional, one = _module(lib, "autograd.functional"), lib.ones(1)
    assert functional._as_tuple(one, "x", "f")[0] is False and functional._as_tuple((one,), "x", "f")[0] is True
    assert functional._tuple_postprocess((one,), False) is one
    assert functional._tuple_postprocess(((one,),), (False, False)) is one
    assert not functional._grad_postprocess(((lib.ones(1, requires_grad=True),),), create_graph=False)[0][
        0
    ].requires_grad
    quantization = _module(lib, "ao.quantization")
    assert not isinstance(lib.nn.Linear(2, 2), (quantization.FakeQuantizeBase, quantization.ObserverBase))
    assert "cuda" in _module(lib, "optim.optimizer")._get_capturable_supported_devices()
    assert callable(_module(lib, "optim.swa_utils")._group_tensors_by_device_and_dtype)
    assert _module(lib, "serialization").pickle.dumps(1)
