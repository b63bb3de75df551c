"""References of the section embedding of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def embedding_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    rows = indices.ravel()
    return np.tensordot(
        np.arange(num_weights)[:, None] == rows,
        grad_output.reshape(rows.size, -1)
        * ((rows != padding_idx) / (np.bincount(rows)[rows] if scale_grad_by_freq else 1))[:, None],
        1,
    )


def embedding_gather(self, indices, padding_idx, scale_grad_by_freq):
    rows = indices.ravel()
    return self[indices] * ((rows != padding_idx) / (np.bincount(rows)[rows] if scale_grad_by_freq else 1)).reshape(
        *indices.shape, 1
    )


def bag_totals(weight, indices, offsets, mean, include_last_offset, padding_idx):
    return np.stack(
        [
            (lambda rows: weight[rows].sum(0) / (max(len(rows), 1) if mean else 1))(
                [i for i in bag if i != padding_idx]
            )
            for bag in np.split(indices, offsets[1:])[: len(offsets) - include_last_offset]
        ]
    )


def embedding_bag_scatter_grad(grad_output, indices, offsets, num_weights, mean, include_last_offset, padding_idx):
    bags = np.split(indices, offsets[1:])[: len(offsets) - include_last_offset]
    return np.stack(
        [
            sum(
                grad_output[b]
                * (i in bag)
                * np.sum(bag == i)
                / (max(np.sum(bag != padding_idx), 1) if mean else 1)
                * (i != padding_idx)
                for b, bag in enumerate(bags)
            )
            for i in range(num_weights)
        ]
    )


def embedding_bag(
    self, weight, offsets, max_norm, norm_type, mode, per_sample_weights, include_last_offset, padding_idx
):
    table = (
        weight
        if max_norm is None
        else weight
        * (lambda norms: np.where(norms > max_norm, max_norm / (norms + 1e-7), 1))(
            np.linalg.norm(weight, norm_type, 1, True)
        )
    )
    index = self.ravel()
    return np.stack(
        [
            (
                lambda rows: (
                    np.zeros(table.shape[1])
                    if not len(rows)
                    else dict(sum=np.sum(rows, 0), mean=np.mean(rows, 0), max=np.max(rows, 0))[mode]
                )
            )(
                np.array(
                    [
                        table[index[k]] * (1 if per_sample_weights is None else per_sample_weights.ravel()[k])
                        for k in bag
                        if padding_idx is None or index[k] != padding_idx % len(table)
                    ]
                )
            )
            for bag in (
                np.arange(self.size).reshape(self.shape)
                if self.ndim == 2
                else np.split(np.arange(self.size), offsets[1:-1] if include_last_offset else offsets[1:])
            )
        ]
    )
