"""`specgrad.cuda`: PyTorch's functions, with a device and without one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import allocator
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import simulated

MIB = 1 << 20


@pytest.fixture
def device() -> Iterator[SimulatedDriver]:
    """Two simulated devices."""
    with simulated(2, 64 * MIB) as found:
        yield found


# A machine may have a device: the loader does not find its driver.
NO_DRIVER = """
import ctypes
class Loader(ctypes.CDLL):
    def __init__(self, name, *given, **options):
        if "libcuda" in str(name) or "nvcuda" in str(name):
            raise OSError(f"{name}: not found")
        super().__init__(name, *given, **options)
ctypes.CDLL = Loader
"""


def run(code: str) -> list[str]:
    """The lines that a program prints on a machine without a device."""
    environment = {name: value for name, value in os.environ.items() if name != "SPECGRAD_CUDA"}
    command = [sys.executable, "-c", NO_DRIVER + code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_importing_specgrad_loads_nothing_of_it() -> None:
    """The modules of CUDA are loaded when a program first asks for them; asking whether there is a device is silent."""
    code = """
import sys, specgrad
switches = {"specgrad.backends.cuda", "specgrad.runtime.device.cuda", "specgrad.runtime.device.cuda.math_modes"}
files = [name for name, module in sys.modules.items() if hasattr(module, "__file__")]
print(*[name for name in files if ".cuda" in name and name not in switches])
print(specgrad.cuda.is_available(), specgrad.cuda.device_count(), specgrad.accelerator.is_available())
print(*[name for name in sys.modules if name.startswith(("cuda.", "numba", "specgrad.runtime.extensions.simulator"))])
"""
    assert run(code) == ["", "False 0 False", ""]


def test_without_a_device() -> None:
    """What PyTorch answers without a device is answered; all else is the error that there is no driver."""
    code = """
import specgrad as sg
c = sg.cuda
print(c.is_initialized(), c.memory_allocated(), c.max_memory_reserved(), c.memory_stats(), c.get_arch_list())
print(c.is_bf16_supported(), c.manual_seed(1), c.manual_seed_all(1), c.seed(), c.empty_cache(), c.get_rng_state_all())
c.reset_peak_memory_stats()
with c.stream(None), c.device(None):
    pass
calls = [c.current_device, c.init, c.synchronize, c.Stream, c.Event, c.current_stream, c.mem_get_info, c.get_rng_state]
calls += [c.get_device_name, c.ipc_collect, c.memory_summary, c.initial_seed, lambda: c.set_device(0)]
for call in calls:
    try:
        call()
    except RuntimeError as error:
        assert "Found no NVIDIA driver on your system" in str(error), error
    else:
        print("no error", call)
try:
    c.nvtx.range_push("x")
except RuntimeError as error:
    print(error)
"""
    assert run(code) == [
        "False 0 0 OrderedDict() []",
        "False None None None None []",
        "NVTX functions not installed. Are you sure you have a CUDA build?",
    ]


def test_the_environment_chooses_the_simulated_device() -> None:
    """SPECGRAD_CUDA=simulated, and `simulate` in a program, give a device where there is none."""
    name = "import specgrad as sg; print(sg.cuda.get_device_name(), sg.cuda.device_count())"
    assert run("import os; os.environ['SPECGRAD_CUDA'] = 'simulated'; " + name) == ["Simulated CUDA device 1"]
    code = "from specgrad.runtime.device.cuda.driver import simulate; simulate(3); "
    assert run(code + name) == ["Simulated CUDA device 3"]


def test_devices(device: SimulatedDriver) -> None:
    """The current device of a thread, and what is known of devices."""
    assert sg.cuda.is_available() and sg.cuda.device_count() == 2 and sg.cuda.current_device() == 0
    with sg.cuda.device("cuda:1"):
        assert sg.cuda.current_device() == 1 and sg.device("cuda").index is None
        with sg.cuda.device(-1), sg.cuda.device_of(sg.ones(2)):
            assert sg.cuda.current_device() == 1
        with sg.cuda.device_of(sg.ones(2, device="cuda:0")):
            assert sg.cuda.current_device() == 0
        assert sg.ones(2, device="cuda").device.index == 1
    sg.cuda.set_device(sg.device("cuda", 1))
    sg.cuda.set_device(-1)
    assert sg.cuda.current_device() == 1
    assert sg.cuda.get_device_capability() == (9, 0) and sg.cuda.get_device_name(0) == "Simulated CUDA device"
    assert sg.cuda.get_device_properties("cuda:0").total_memory == 64 * MIB
    sg.cuda.empty_cache()
    assert sg.cuda.mem_get_info(0) == (64 * MIB, 64 * MIB) and sg.cuda.device_memory_used(0) == 0
    assert sg.cuda.can_device_access_peer(0, 1) and not sg.cuda.can_device_access_peer(0, 0)
    assert sg.cuda.is_bf16_supported() and sg.cuda.is_tf32_supported() and "sm_90" in sg.cuda.get_arch_list()
    assert "code=sm_80" in sg.cuda.get_gencode_flags()
    sg.cuda.synchronize(), sg.cuda.init(), sg.cuda.ipc_collect()
    assert sg.cuda.is_initialized() and not sg.cuda.is_current_stream_capturing()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sg.cuda.set_device(2), RuntimeError, "invalid device ordinal"),
        (lambda: sg.cuda.set_device("cpu"), ValueError, "Expected a cuda device, but got: cpu"),
        (lambda: sg.cuda.set_device(1.5), TypeError, "must be device, int or str, not float"),
        (lambda: sg.cuda.get_device_name(True), TypeError, "not bool"),
        (lambda: sg.cuda.Event(interprocess=True), NotImplementedError, "interprocess"),
        (lambda: sg.cuda.Event().ipc_handle(), NotImplementedError, "not shared"),
        (lambda: sg.cuda.ExternalStream("0"), TypeError, "must be int, not str"),
        (lambda: sg.cuda.set_per_process_memory_fraction(1), TypeError, "must be `float`"),
        (lambda: sg.cuda.set_per_process_memory_fraction(1.5), ValueError, "Allowed range: 0~1"),
        (lambda: sg.cuda.caching_allocator_delete(5), RuntimeError, "invalid device pointer: 0x5"),
        (lambda: sg.cuda.utilization(), NotImplementedError, "does not ask NVML"),
        (lambda: sg.cuda.list_gpu_processes(), NotImplementedError, "does not ask NVML"),
        (lambda: sg.cuda.set_sync_debug_mode(2), NotImplementedError, "only 'default'"),
        (lambda: sg.cuda.set_sync_debug_mode("loud"), RuntimeError, "invalid value of debug_mode"),
    ],
)
def test_refused(device: SimulatedDriver, call: Any, error: type[Exception], message: str) -> None:
    """A wrong argument is named."""
    with pytest.raises(error, match=message):
        call()


def test_memory(device: SimulatedDriver) -> None:
    """Figures of the allocator, by function, by name and as a table."""
    block = allocator.allocate(0, 1000)
    del block
    blocks = [allocator.allocate(0, 2 * MIB), allocator.allocate(0, 1000)]
    assert sg.cuda.memory_allocated() == 2 * MIB + 1024 == sg.cuda.max_memory_allocated("cuda:0")
    assert sg.cuda.memory_reserved() == sg.cuda.max_memory_reserved() == 2 * MIB + 1024
    assert sg.cuda.memory_allocated(1) == 0
    stats = sg.cuda.memory_stats()
    assert stats["allocated_bytes.all.current"] == 2 * MIB + 1024 and stats["allocation.all.allocated"] == 3
    assert stats["requested_bytes.all.peak"] == 2 * MIB + 1000 and stats["num_ooms"] == 0
    assert list(stats) == sorted(stats)
    assert "2.00 MiB" in sg.cuda.memory_summary() and len({*map(len, sg.cuda.memory_summary().splitlines())}) == 1
    del blocks[0]
    sg.cuda.reset_peak_memory_stats()
    sg.cuda.reset_accumulated_memory_stats()
    assert sg.cuda.max_memory_allocated() == 1024 and sg.cuda.memory_stats()["allocation.all.allocated"] == 0
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == 1024
    address = sg.cuda.caching_allocator_alloc(4096, 1, sg.cuda.Stream(1))
    assert sg.cuda.memory_allocated(1) == 4096
    sg.cuda.caching_allocator_delete(address)
    assert sg.cuda.memory_allocated(1) == 0


def test_out_of_memory(device: SimulatedDriver) -> None:
    """A tensor that is too large is PyTorch's error, and so is one above the part that the process may have."""
    assert sg.cuda.OutOfMemoryError is sg.OutOfMemoryError and issubclass(sg.OutOfMemoryError, RuntimeError)
    with pytest.raises(sg.cuda.OutOfMemoryError, match="CUDA out of memory. Tried to allocate 80.00 MiB. GPU 0 has"):
        sg.empty(20 * MIB, device="cuda")
    sg.cuda.set_per_process_memory_fraction(0.25)
    assert sg.cuda.get_per_process_memory_fraction() == 0.25 and sg.cuda.get_per_process_memory_fraction(1) == 1
    with pytest.raises(sg.OutOfMemoryError, match="16.00 MiB allowed"):
        sg.empty(5 * MIB, device="cuda")


def test_random(device: SimulatedDriver) -> None:
    """What is drawn on a device after its generator was seeded, or set back, is the same again."""
    with sg.random.fork_rng():
        sg.cuda.manual_seed(4)
        first = sg.rand(5, device="cuda").cpu()
        assert sg.cuda.initial_seed() == 4
        state, states = sg.cuda.get_rng_state("cuda:1"), sg.cuda.get_rng_state_all()
        second = sg.rand(5, device="cuda:1").cpu()
        sg.cuda.seed_all()
        assert not sg.equal(sg.cuda.get_rng_state(), state) and not sg.equal(first, second)
        sg.cuda.set_rng_state(state, 1)
        assert sg.equal(sg.rand(5, device="cuda:1").cpu(), second)
        sg.cuda.set_rng_state_all(states)
        assert len(states) == 2 and sg.equal(sg.rand(5, device="cuda").cpu(), second)
        sg.cuda.manual_seed_all(4)
        assert sg.equal(sg.rand(5, device="cuda").cpu(), first)
        sg.cuda.seed()
        assert sg.cuda.initial_seed() != 4
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            sg.cuda.get_rng_state(2)


def test_ranges_of_profilers(device: SimulatedDriver) -> None:
    """Ranges are counted by thread, one inside another; a range is a block or a function."""
    nvtx = sg.cuda.nvtx
    assert [nvtx.range_push("a"), nvtx.range_push("b"), nvtx.range_pop(), nvtx.range_pop(), nvtx.range_pop()] == [
        0,
        1,
        1,
        0,
        -1,
    ]
    with nvtx.range("step {}", 3):
        assert nvtx.range_push("inner") == 1 and nvtx.range_pop() == 1
    nvtx.mark("here")
    nvtx.range_end(nvtx.range_start("anywhere"))
