"""References of the section collective of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def vocab_parallel_cross_entropy(self, target):
    every = np.concatenate(list(self), 1)
    logarithm = scipy.special.logsumexp(every, axis=1)
    return (logarithm - every[np.arange(len(target)), target], logarithm)
