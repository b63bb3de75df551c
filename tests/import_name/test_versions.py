"""Versions, configuration, and what programs ask of the machine."""

import subprocess
import sys
from typing import Any

import pytest

import specgrad as sg

pytestmark = pytest.mark.cpu("nothing is computed")
ORDERED = ["1.9", "1.10.0a0", "1.10.0rc1", "1.10", "1.10.0.post1", "2.0", "2.13.0+cpu"]


@pytest.mark.parametrize("first", range(len(ORDERED)))
@pytest.mark.parametrize("second", range(len(ORDERED)))
def test_versions_are_numbers(lib: Any, first: int, second: int) -> None:
    """Versions are ordered as numbers are, and not as text."""
    one, other = lib.torch_version.TorchVersion(ORDERED[first]), ORDERED[second]
    if second < len(ORDERED) - 1 or first < second:  # a local part counts in PyTorch
        assert (one < other, one <= other, one == other, one > other, one >= other, one != other) == (
            *(first < second, first <= second, first == second),
            *(first > second, first >= second, first != second),
        )


def test_versions_and_tuples(lib: Any) -> None:
    """Versions compare with tuples; what is no version is text."""
    version = lib.torch_version.TorchVersion("2.1.0")
    assert version >= (2, 1) and version == (2, 1, 0) and version < (2, 2) and version > (1, 13)
    assert version.split(".") == ["2", "1", "0"] and {version: 1}["2.1.0"] == 1


def test_modules_of_versions() -> None:
    """The version is the package's; `torch` is PyTorch's that is followed."""
    assert sg.version.__version__ == sg.__version__ and sg.version.cuda is None
    assert sg.torch_version.TorchVersion(sg.version.torch) >= (2, 0)


def test_configuration() -> None:
    """What specgrad is made of, as text."""
    import numpy

    assert f"numpy {numpy.__version__}" in sg.__config__.show()
    assert f"get_num_threads() : {sg.get_num_threads()}" in sg.__config__.parallel_info()
    assert sg.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")


def test_description_of_the_machine() -> None:
    """The command prints versions."""
    command = [sys.executable, "-m", "specgrad.utils.collect_env"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sg.__version__ in done.stdout and "[pip3] numpy==" in done.stdout


def test_what_a_build_has(lib: Any) -> None:
    """Questions about a build, and modules of devices."""
    assert lib.has_lapack and not lib.is_vulkan_available() and lib.compiled_with_cxx11_abi()
    assert lib.get_device_module("cpu") is lib.cpu
    lib._assert(True, "fine")
    with pytest.raises(AssertionError, match="wrong"):
        lib._assert(False, "wrong")
    assert not lib.xpu.is_available() and lib.xpu.device_count() == 0 and not lib.mps.is_available()


def test_devices_that_are_not_used() -> None:
    """What needs such a device is an error."""
    with pytest.raises(RuntimeError, match="no devices of this kind"):
        sg.xpu.current_device()
    sg.xpu.empty_cache()


def test_extensions_are_refused() -> None:
    """Nothing is compiled against headers that are not here."""
    extension = sg.utils.cpp_extension
    for call in (extension.load, extension.load_inline, extension.CppExtension, extension.BuildExtension):
        with pytest.raises(RuntimeError, match="adding-an-op"):
            call(name="name", sources=[])
    assert extension.CUDA_HOME is None and extension.BuildExtension.with_options(use_ninja=False)


def test_process_groups_are_not_there() -> None:
    """Before there is a default group, collectives are PyTorch's error, and names are there."""
    distributed = sg.distributed
    assert not distributed.is_initialized()
    assert not distributed.is_nccl_available() and distributed.group.WORLD is None
    for call in (distributed.get_rank, lambda: distributed.all_reduce(sg.ones(1)), distributed.barrier):
        with pytest.raises(ValueError, match="init_process_group"):
            call()
    with pytest.raises(ValueError, match="init_process_group"):
        sg.nn.parallel.DistributedDataParallel(sg.nn.Linear(1, 1))
    assert distributed.ReduceOp.SUM is not distributed.ReduceOp.MAX


def test_limits_compare(lib: Any) -> None:
    """Limits of one dtype are equal."""
    assert lib.finfo(lib.float32) == lib.finfo(lib.complex64) != lib.finfo(lib.float64)
    assert lib.iinfo(lib.int8) == lib.iinfo(lib.int8) != lib.iinfo(lib.uint8)
