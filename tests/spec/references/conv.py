"""References of the section conv of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def convolution(self, weight, bias, stride, padding, dilation, groups):
    plane = self.shape[2 - weight.ndim :]
    size = tuple(
        (n + a - d * (k - 1) - 1) // s + 1
        for n, a, d, k, s in zip(
            self.shape[2 - weight.ndim :],
            np.sum(np.repeat(padding, 2 * len(stride) // len(padding)).reshape(-1, 2), 1),
            dilation,
            weight.shape[2:],
            stride,
        )
    )
    return np.einsum(
        "ngcq,gock,pkq->ngop",
        self.reshape(-1, groups, weight.shape[1], np.prod(plane)),
        weight.reshape(groups, -1, weight.shape[1], np.prod(weight.shape[2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(
                                stride, at, dilation, tap, padding[:: len(padding) // len(stride)], place
                            )
                        )
                        for place in np.ndindex(plane)
                    ]
                    for tap in np.ndindex(weight.shape[2:])
                ]
                for at in np.ndindex(size)
            ]
        ),
    ).reshape(*self.shape[: -len(size) - 1], len(weight), *size) + (
        0 if bias is None else bias.reshape(-1, *[1 for n in size])
    )


def convolution_input_backward(grad_output, weight, input_shape, stride, padding, dilation, groups):
    return np.einsum(
        "ngop,gock,pkq->ngcq",
        grad_output.reshape(-1, groups, len(weight) // groups, np.prod(grad_output.shape[-len(stride) :])),
        weight.reshape(groups, -1, weight.shape[1], np.prod(weight.shape[2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(
                                stride, at, dilation, tap, padding[:: len(padding) // len(stride)], place
                            )
                        )
                        for place in np.ndindex(input_shape[-len(stride) :])
                    ]
                    for tap in np.ndindex(weight.shape[2:])
                ]
                for at in np.ndindex(grad_output.shape[-len(stride) :])
            ]
        ),
    ).reshape(input_shape)


def convolution_weight_backward(grad_output, self, weight_shape, stride, padding, dilation, groups):
    return np.einsum(
        "ngop,ngcq,pkq->gock",
        grad_output.reshape(-1, groups, weight_shape[0] // groups, np.prod(grad_output.shape[-len(stride) :])),
        self.reshape(-1, groups, weight_shape[1], np.prod(self.shape[-len(stride) :])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(
                                stride, at, dilation, tap, padding[:: len(padding) // len(stride)], place
                            )
                        )
                        for place in np.ndindex(self.shape[-len(stride) :])
                    ]
                    for tap in np.ndindex(weight_shape[2:])
                ]
                for at in np.ndindex(grad_output.shape[-len(stride) :])
            ]
        ),
    ).reshape(weight_shape)


def conv1d(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(self, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv1d_padding(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(
        self,
        [
            (0, 0),
            (0, 0),
            *[
                (d * (k - 1) // 2, -(-d * (k - 1) // 2)) if padding == "same" else (0, 0)
                for d, k in zip(dilation, weight.shape[2:])
            ],
        ],
    )
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv2d(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(self, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv2d_padding(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(
        self,
        [
            (0, 0),
            (0, 0),
            *[
                (d * (k - 1) // 2, -(-d * (k - 1) // 2)) if padding == "same" else (0, 0)
                for d, k in zip(dilation, weight.shape[2:])
            ],
        ],
    )
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv3d(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(self, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv3d_padding(self, weight, bias, stride, padding, dilation, groups):
    x = np.pad(
        self,
        [
            (0, 0),
            (0, 0),
            *[
                (d * (k - 1) // 2, -(-d * (k - 1) // 2)) if padding == "same" else (0, 0)
                for d, k in zip(dilation, weight.shape[2:])
            ],
        ],
    )
    w = weight
    return np.concatenate(
        [
            sum(
                np.einsum(
                    "nc...,oc->no...",
                    x[
                        (
                            slice(None),
                            slice(g * w.shape[1], (g + 1) * w.shape[1]),
                            *[
                                slice(i * d, m - d * (k - 1 - i), s)
                                for i, d, m, k, s in zip(tap, dilation, x.shape[2:], w.shape[2:], stride)
                            ],
                        )
                    ],
                    np.split(w, groups)[g][(..., *tap)],
                )
                for tap in np.ndindex(w.shape[2:])
            )
            for g in range(groups)
        ],
        1,
    ) + (0 if bias is None else np.expand_dims(bias, list(range(1, w.ndim - 1))))


def conv_transpose1d(self, weight, bias, stride, padding, output_padding, groups, dilation):
    size = tuple(
        (n - 1) * s - 2 * a + d * (k - 1) + e + 1
        for n, s, a, d, k, e in zip(self.shape[-1:], stride, padding, dilation, weight.shape[2:], output_padding)
    )
    return np.einsum(
        "ngcp,gcok,pkq->ngoq",
        self.reshape(-1, groups, len(weight) // groups, np.prod(self.shape[-1:])),
        weight.reshape(groups, -1, weight.shape[1], np.prod(weight.shape[2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(stride, at, dilation, tap, padding, place)
                        )
                        for place in np.ndindex(size)
                    ]
                    for tap in np.ndindex(weight.shape[2:])
                ]
                for at in np.ndindex(self.shape[-1:])
            ]
        ),
    ).reshape(*self.shape[:-2], -1, *size) + (0 if bias is None else bias.reshape(-1, 1))


def conv_transpose2d_input(self, weight, bias, stride, padding, output_padding, groups, dilation):
    size = tuple(
        (n - 1) * s - 2 * a + d * (k - 1) + e + 1
        for n, s, a, d, k, e in zip(self.shape[-2:], stride, padding, dilation, weight.shape[2:], output_padding)
    )
    return np.einsum(
        "ngcp,gcok,pkq->ngoq",
        self.reshape(-1, groups, len(weight) // groups, np.prod(self.shape[-2:])),
        weight.reshape(groups, -1, weight.shape[1], np.prod(weight.shape[2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(stride, at, dilation, tap, padding, place)
                        )
                        for place in np.ndindex(size)
                    ]
                    for tap in np.ndindex(weight.shape[2:])
                ]
                for at in np.ndindex(self.shape[-2:])
            ]
        ),
    ).reshape(*self.shape[:-3], -1, *size) + (0 if bias is None else bias.reshape(-1, 1, 1))


def conv_transpose3d_input(self, weight, bias, stride, padding, output_padding, groups, dilation):
    size = tuple(
        (n - 1) * s - 2 * a + d * (k - 1) + e + 1
        for n, s, a, d, k, e in zip(self.shape[-3:], stride, padding, dilation, weight.shape[2:], output_padding)
    )
    return np.einsum(
        "ngcp,gcok,pkq->ngoq",
        self.reshape(-1, groups, len(weight) // groups, np.prod(self.shape[-3:])),
        weight.reshape(groups, -1, weight.shape[1], np.prod(weight.shape[2:])),
        np.array(
            [
                [
                    [
                        all(
                            s * p + d * k - a == q
                            for s, p, d, k, a, q in zip(stride, at, dilation, tap, padding, place)
                        )
                        for place in np.ndindex(size)
                    ]
                    for tap in np.ndindex(weight.shape[2:])
                ]
                for at in np.ndindex(self.shape[-3:])
            ]
        ),
    ).reshape(*self.shape[:-4], -1, *size) + (0 if bias is None else bias.reshape(-1, 1, 1, 1))
