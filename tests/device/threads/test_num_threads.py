"""The number of threads is set for BLAS and for the parallel kernels, and read back."""

import subprocess
import sys

import pytest

import specgrad as sg


def test_number_of_threads_is_kept() -> None:
    """What was set is what get_num_threads says (in a process of its own: the setting is global)."""
    code = "import specgrad as sg; sg.set_num_threads(1); assert sg.get_num_threads() == 1; sg.mm(sg.eye(2), sg.eye(2))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_all_cpus_by_default() -> None:
    """Without a setting there is at least one thread."""
    assert sg.get_num_threads() >= 1


@pytest.mark.parametrize("number", [0, -1, 1.5, "2", True, None])
def test_only_positive_integers(number: object) -> None:
    """Anything but a positive integer is refused, in PyTorch's class."""
    with pytest.raises(RuntimeError, match="expected a positive integer"):
        sg.set_num_threads(number)
