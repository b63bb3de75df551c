"""References of the section exponential of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def logaddexp(self, other):
    return (
        np.logaddexp(self, other)
        if np.isrealobj(self)
        else scipy.special.logsumexp(np.stack(np.broadcast_arrays(self, other)), axis=0)
    )
