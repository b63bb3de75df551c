"""Softmax, log-softmax and their gradients on a device: row programs along `dim`."""

from collections.abc import Callable
from typing import Any

from ...device.cuda.array import DeviceArray
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch.row_programs import over

ROW = (Output("row"),)


def along_rows(name: str, count: int) -> Callable[..., DeviceArray]:
    """The kernel of a program of so many arrays along `dim`; the input has the dtype that is asked for already."""

    def kernel(*args: Any) -> DeviceArray:
        return over(name, args[:count], args[count], outputs=ROW)

    return kernel


softmax = along_rows("softmax", 1)
log_softmax = along_rows("log_softmax", 1)
softmax_backward = along_rows("softmax_backward", 2)
log_softmax_backward = along_rows("log_softmax_backward", 2)
