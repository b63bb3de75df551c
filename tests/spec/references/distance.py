"""References of the section distance of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def pdist(self, p):
    return (
        scipy.spatial.distance.pdist(self, "minkowski", p=p)
        if 0 < p < np.inf
        else scipy.spatial.distance.pdist(self, "chebyshev" if p else "hamming") * (1 if p else self.shape[1])
    )


def cosine_similarity(x1, x2, dim, eps):
    return (
        np.sum(x1 * x2, dim)
        / np.maximum(np.linalg.norm(x1 + x2 * 0, axis=dim), eps)
        / np.maximum(np.linalg.norm(x2 + x1 * 0, axis=dim), eps)
    )
