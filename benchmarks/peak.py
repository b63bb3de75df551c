"""Peak memory of a step: ``python -m benchmarks.peak LIBRARY WORKLOAD`` prints bytes above what was there before.

The kernel's own count of resident memory is set back after model and data are made and one step has run, then read
after three more: it sees every library's memory, whatever allocates it. What importing the library and making the
data have left in the C library's heap is given back before, in every library's process alike.
"""

import contextlib
import ctypes
import importlib
import json
import subprocess
import sys

from .workloads import WORKLOADS


def _status(key: str) -> int:
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status", encoding="utf-8") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def _give_back() -> None:
    """Give free memory in the heap back, where the C library is GNU's."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def peak_bytes(library: str, name: str) -> int:
    """How far resident memory rises above that before the model was made."""
    torch = importlib.import_module(library)
    torch.set_num_threads(1)
    torch.ones(1).add(1)
    _give_back()
    before = _status("VmRSS")
    step = WORKLOADS[name](torch)
    step()
    _give_back()
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")
    for _ in range(3):
        step()
    return _status("VmHWM") - before


def peaks(libraries: list[str], name: str, env: dict[str, str]) -> list[int | None]:
    """The peak of each library, each in a process of its own; None where it cannot run the workload."""
    matches = []
    for library in libraries:
        command = [sys.executable, "-m", "benchmarks.peak", library, name]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        matches.append(json.loads(done.stdout) if done.returncode == 0 else None)
    return matches


if __name__ == "__main__":
    print(json.dumps(peak_bytes(sys.argv[1], sys.argv[2])))
