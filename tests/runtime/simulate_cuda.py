"""Run by test_cuda_simulator.py in a process of its own: every CUDA kernel in numba's simulator against the CPU's.

Prints one line for each kernel whose results differ, and the number of kernels that were compared.
"""

from __future__ import annotations

import importlib
import sys
import warnings

import numpy as np

from specgrad.runtime.kernels.cuda.compile import kernel, launch
from specgrad.runtime.kernels.table import ElementKernels
from tests.runtime.cuda_cases import PACKAGE, arguments, cases

THREADS = 4  # two blocks, the second one not full


def main() -> int:
    """Compare all kernels in float64; the status is the number of those that differ."""
    warnings.simplefilter("ignore")
    wrong = compared = 0
    for case in cases():
        expected, found = arguments(case, np.float64), arguments(case, np.float64)
        getattr(ElementKernels(PACKAGE, case.op), case.name)(*expected.values())
        launch(kernel(PACKAGE, case.op, case.name), *found.values(), threads=THREADS)
        compared += 1
        for name in case.outputs():
            if not np.allclose(found[name], expected[name], rtol=1e-13, atol=1e-15, equal_nan=True):
                wrong += 1
                print(f"{case} {name}: simulator {found[name]}, CPU {expected[name]}")
    print(f"{compared} kernels compared, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    importlib.import_module("numba.cuda")
    sys.exit(main())
