"""Softmax, log-softmax and their gradients on a device: row programs along `dim`."""

from __future__ import annotations

from ...device.cuda.array import DeviceArray
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch.row_programs import over

ROW = (Output("row"),)


def softmax(input: DeviceArray, dim: int, dtype: object = None) -> DeviceArray:
    return over("softmax", (input,), dim, outputs=ROW)


def log_softmax(input: DeviceArray, dim: int, dtype: object = None) -> DeviceArray:
    return over("log_softmax", (input,), dim, outputs=ROW)


def softmax_backward(grad_output: DeviceArray, output: DeviceArray, dim: int) -> DeviceArray:
    return over("softmax_backward", (grad_output, output), dim, outputs=ROW)


def log_softmax_backward(grad_output: DeviceArray, output: DeviceArray, dim: int) -> DeviceArray:
    return over("log_softmax_backward", (grad_output, output), dim, outputs=ROW)
