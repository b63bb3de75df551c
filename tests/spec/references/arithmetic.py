"""References of the section arithmetic of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def pow_scalar(self, exponent):
    return (
        np.trunc(np.float_power(self, exponent)).astype(int)
        if np.array(self).dtype == int and exponent.dtype == int
        else np.power(self, exponent)
    )


def div_tensor_mode(self, other, rounding_mode):
    return (
        np.true_divide(self, other)
        if rounding_mode is None
        else np.floor_divide(self, other)
        if rounding_mode == "floor"
        else np.trunc(np.true_divide(self, other)).astype(np.result_type(self, other))
    )


def div_scalar_mode(self, other, rounding_mode):
    return (
        np.true_divide(self, other)
        if rounding_mode is None
        else np.floor_divide(self, other)
        if rounding_mode == "floor"
        else np.trunc(np.true_divide(self, other)).astype(np.result_type(self, other))
    )
