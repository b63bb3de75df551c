"""Memory of freed arrays is used again instead of being taken from the operating system anew, in large pages."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from specgrad.runtime.tensor.memory import keep_freed_memory

COUNT = """
import resource
import numpy as np
import specgrad

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(3):
    [np.ones(1 << 18) for _ in range(3)], np.ones(1 << 23)
before = faults()
for _ in range(20):
    [np.ones(1 << 18) for _ in range(3)]
for _ in range(20):
    np.ones(1 << 23)
print(faults() - before)
"""

# What a process has of the system, in KiB, and how many arrays lie where it has asked for large pages: whether it gets
# them depends on the memory that other processes have left.
ASKING = """
def has(*keys):
    lines = [line.split() for line in open("/proc/self/status") if line.startswith(keys)]
    return [int(line[1]) for line in lines]

def lie_in_large_pages(addresses):
    count = 0
    for line in open("/proc/self/smaps"):
        first, *words = line.split()
        if first.count("-") == 1:
            begin, end = (int(address, 16) for address in first.split("-"))
        if first == "VmFlags:" and "hg" in words:
            count += sum(begin <= address < end for address in addresses)
    return count

"""

# As it begins, with arrays, and without them. Small blocks that come and go are kept by the C library, behind the
# arrays if they came later, and hold what lies before them: nothing is looked up here but two numbers.
STATES = """
import os, resource
if "LIMITED" in os.environ:
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, resource.getrlimit(resource.RLIMIT_DATA)[1]))
import numpy as np
import specgrad

print(*has("VmSize", "VmRSS"))
arrays = [np.ones(1 << 18) for _ in range(320)]
print(*has("VmSize", "VmRSS"))
del arrays
print(*has("VmSize", "VmRSS"))
"""

PLACES = """
import numpy as np
import specgrad

arrays = [np.ones(1 << 18) for _ in range(320)]
print(lie_in_large_pages([array.ctypes.data for array in arrays]))
"""

# As the process begins, with tensors, without, after `empty_cache`, with tensors again.
GIVEN_BACK = """
import numpy as np
import specgrad as sg

def show(*tensors):
    print(*has("VmRSS"), lie_in_large_pages([tensor.data_ptr() for tensor in tensors]))

def state():
    made = [sg.full((1 << 18,), 2.0, dtype=sg.float64) for _ in range(160)]
    show(*made)
    return made

show()
kept = sg.full((1 << 18,), 3.0)
made = state()
circle = [made]
circle.append(circle)
del made, circle
show()
sg.cpu.empty_cache()
show()
made = state()
assert kept.sum().item() == 3 << 18
"""

FORKED = """
import os, threading
import numpy as np
import specgrad

kept = [np.full(1 << 18, float(k)) for k in range(8)]
made = []
threads = [threading.Thread(target=lambda: made.append(specgrad.ones(1 << 18) + 1)) for _ in range(4)]
for thread in threads:
    thread.start()
child = os.fork()
if child == 0:
    for array in kept:
        array += 100
    again = [specgrad.ones(1 << 18) for _ in range(8)]
    right = all(a[0] == 100 + k for k, a in enumerate(kept)) and all(float(a.sum()) == 1 << 18 for a in again)
    os._exit(0 if right else 1)
for thread in threads:
    thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert all((array == k).all() for k, array in enumerate(kept))
assert [float(tensor.sum()) for tensor in made] == [2.0 * (1 << 18)] * 4
"""
COMPLIES = sys.platform == "linux" and bool(platform.libc_ver()[0])  # glibc
PAGES = 20 * (3 * 512 + 16384)  # of all arrays that are made
LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage").exists()  # else the system knows none
glibc_only = pytest.mark.skipif(not COMPLIES, reason="another C library")


def output(program: str, **environment: str) -> str:
    """What a program prints where nothing in the environment says how memory is to be found."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=clean | environment, capture_output=True, text=True, check=True).stdout


def states(**environment: str) -> list[list[int]]:
    """Addresses and memory in KiB: after the import, with 320 arrays of 2 MiB, and without them."""
    return [[int(word) for word in line.split()] for line in output(ASKING + STATES, **environment).splitlines()]


def test_freed_memory_is_kept() -> None:
    """Making arrays of 2 MiB, or of 64 MiB, again costs next to no page faults."""
    assert int(output(COUNT)) < PAGES / 100 or not COMPLIES


@glibc_only
def test_addresses_are_no_memory() -> None:
    """What is reserved takes no memory, and what is freed beyond the bound goes back to the operating system."""
    states()  # from now on both find the same bytecode
    (reserved, before), (_, full), (_, freed) = states()
    limited = states(LIMITED="1")[0]
    assert reserved - limited[0] > 400 << 10
    assert before - limited[1] < 8 << 10
    assert full - before > 600 << 10
    assert freed - before < 530 << 10


@glibc_only
def test_pages_are_large() -> None:
    """Arrays of 2 MiB lie where the system has been asked for large pages."""
    assert int(output(ASKING + PLACES)) > 150 or not LARGE_PAGES


@glibc_only
def test_freed_memory_can_be_given_back() -> None:
    """And what comes afterwards lies in large pages as before."""
    begin, full, freed, given, again = (
        list(map(int, line.split())) for line in output(ASKING + GIVEN_BACK).splitlines()
    )
    assert full[0] - begin[0] > 300 << 10 and freed[0] - begin[0] > 200 << 10
    assert given[0] - begin[0] < 32 << 10
    assert again[0] - begin[0] > 300 << 10 and (again[1] >= full[1] > 100 or not LARGE_PAGES)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes that share memory")
def test_forks_and_threads() -> None:
    """Parent, child and threads have memory of their own."""
    assert not output(FORKED)


def test_the_user_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings in the environment are left alone."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "0")
    assert not keep_freed_memory()
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=0")
    assert not keep_freed_memory()
