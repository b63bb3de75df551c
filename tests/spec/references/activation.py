"""References of the section activation of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def gelu(self, approximate):
    return (
        self * scipy.special.ndtr(self)
        if approximate == "none"
        else self / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (self + 0.044715 * self**3)))
    )
