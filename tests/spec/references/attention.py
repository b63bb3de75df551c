"""References of the section attention of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def attention(self, key, value, bias, mask, keep, keep_scale, is_causal, scale, rows_first):
    rows = lambda x: x if rows_first else x.swapaxes(1, 2)
    found = (rows(self), *[np.repeat(rows(x), rows(self).shape[2] // rows(x).shape[2], 2) for x in (key, value)])
    q = found[0]
    k = found[1]
    v = found[2]
    s = np.where(
        (True if mask is None else mask) & (np.tri(q.shape[1], k.shape[1], dtype=bool) | (not is_causal)),
        scale * np.einsum("bqhd,bkhd->bhqk", q, k) + (0 if bias is None else bias),
        -np.inf,
    )
    t = scipy.special.logsumexp(s, -1)
    total = np.where(t == -np.inf, np.inf, t)
    return (
        np.einsum(
            "bhqk,bkhd->bqhd" if rows_first else "bhqk,bkhd->bhqd",
            np.exp(s - total[..., None]) * (1 if keep is None else keep * keep_scale),
            v,
        ),
        total,
    )


def self_attention(self, heads, bias, mask, keep, keep_scale, is_causal, scale):
    found = np.moveaxis(self.reshape(*self.shape[:2], 3, heads, -1), 2, 0)
    q = found[0]
    k = found[1]
    v = found[2]
    s = np.where(
        (True if mask is None else mask) & (np.tri(q.shape[1], dtype=bool) | (not is_causal)),
        scale * np.einsum("bqhd,bkhd->bhqk", q, k) + (0 if bias is None else bias),
        -np.inf,
    )
    t = scipy.special.logsumexp(s, -1)
    total = np.where(t == -np.inf, np.inf, t)
    return (
        np.einsum(
            "bhqk,bkhd->bqhd", np.exp(s - total[..., None]) * (1 if keep is None else keep * keep_scale), v
        ).reshape(*self.shape[:2], -1),
        total,
    )
