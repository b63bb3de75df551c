"""References of the section pooling of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import math

import numpy as np


def max_pool_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode, spatial):
    found = [(v * spatial)[:spatial] for v in (kernel_size, stride or kernel_size, padding, dilation)]
    lead = self.shape[:-spatial]
    plane = self.shape[-spatial:]
    kernel = found[0]
    step = found[1]
    pads = found[2]
    splat = found[3]
    size = tuple(
        len(range(0, min(n + a, n + 2 * a + (s - 1) * ceil_mode - d * (k - 1)), s))
        for n, k, s, a, d in zip(plane, kernel, step, pads, splat)
    )
    x = self.reshape(*lead, np.prod(plane))
    windows = [
        [
            k
            for k, place in enumerate(np.ndindex(plane))
            if all(
                q + a - s * i in range(0, d * k, d) for q, a, s, i, d, k in zip(place, pads, step, at, splat, kernel)
            )
        ]
        for at in np.ndindex(size)
    ]
    return tuple(
        np.reshape(each, (*size, *lead)).transpose(*range(spatial, self.ndim), *range(spatial))
        for each in ([np.max(x[..., w], -1) for w in windows], [np.take(w, x[..., w].argmax(-1)) for w in windows])
    )


def max_pool_backward(grad_output, indices, input_shape, spatial):
    return np.sum(
        np.where(
            indices.reshape(*input_shape[:-spatial], -1, 1) == np.arange(np.prod(input_shape[-spatial:])),
            grad_output.reshape(*input_shape[:-spatial], -1, 1),
            0,
        ),
        -2,
    ).reshape(input_shape)


def max_unpool1d(self, indices, kernel_size, stride, padding, output_size):
    common = [
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(self.shape[-1:], stride or kernel_size, kernel_size, padding)
    ]
    plane = list(output_size or common)[-1:]
    rows = self.reshape(*self.shape[:-1], -1)
    places = indices.reshape(*self.shape[:-1], -1, 1) == np.arange(math.prod(plane))
    return np.sum(np.where(places, rows[..., None], 0), -2).reshape(*self.shape[:-1], *plane)


def max_unpool2d(self, indices, kernel_size, stride, padding, output_size):
    common = [
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(self.shape[-2:], stride or kernel_size, kernel_size, padding)
    ]
    plane = list(output_size or common)[-2:]
    rows = self.reshape(*self.shape[:-2], -1)
    places = indices.reshape(*self.shape[:-2], -1, 1) == np.arange(math.prod(plane))
    return np.sum(np.where(places, rows[..., None], 0), -2).reshape(*self.shape[:-2], *plane)


def max_unpool3d(self, indices, kernel_size, stride, padding, output_size):
    common = [
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(self.shape[-3:], stride or kernel_size, kernel_size, padding)
    ]
    plane = list(output_size or common)[-3:]
    rows = self.reshape(*self.shape[:-3], -1)
    places = indices.reshape(*self.shape[:-3], -1, 1) == np.arange(math.prod(plane))
    return np.sum(np.where(places, rows[..., None], 0), -2).reshape(*self.shape[:-3], *plane)


def max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode):
    x = np.pad(
        self,
        [
            *[(0, 0) for d in range(self.ndim - len(kernel_size))],
            *[(p, p + (s - 1) * ceil_mode) for p, s in zip(padding, stride or kernel_size)],
        ],
        constant_values=np.min(self),
    )
    strides = stride or kernel_size
    return np.max(
        np.lib.stride_tricks.sliding_window_view(
            x, [d * (k - 1) + 1 for d, k in zip(dilation, kernel_size)], range(-len(kernel_size), 0)
        )[(..., *[slice(None, None, s) for s in strides], *[slice(None, None, d) for d in dilation])],
        tuple(range(-len(kernel_size), 0)),
    )


def max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode):
    x = np.pad(
        self,
        [
            *[(0, 0) for d in range(self.ndim - len(kernel_size))],
            *[(p, p + (s - 1) * ceil_mode) for p, s in zip(padding, stride or kernel_size)],
        ],
        constant_values=np.min(self),
    )
    strides = stride or kernel_size
    return np.max(
        np.lib.stride_tricks.sliding_window_view(
            x, [d * (k - 1) + 1 for d, k in zip(dilation, kernel_size)], range(-len(kernel_size), 0)
        )[(..., *[slice(None, None, s) for s in strides], *[slice(None, None, d) for d in dilation])],
        tuple(range(-len(kernel_size), 0)),
    )


def max_pool3d(self, kernel_size, stride, padding, dilation, ceil_mode):
    x = np.pad(
        self,
        [
            *[(0, 0) for d in range(self.ndim - len(kernel_size))],
            *[(p, p + (s - 1) * ceil_mode) for p, s in zip(padding, stride or kernel_size)],
        ],
        constant_values=np.min(self),
    )
    strides = stride or kernel_size
    return np.max(
        np.lib.stride_tricks.sliding_window_view(
            x, [d * (k - 1) + 1 for d, k in zip(dilation, kernel_size)], range(-len(kernel_size), 0)
        )[(..., *[slice(None, None, s) for s in strides], *[slice(None, None, d) for d in dilation])],
        tuple(range(-len(kernel_size), 0)),
    )


def adaptive_max_pool_with_indices(self, output_size, spatial):
    lead = self.shape[:-spatial]
    plane = self.shape[-spatial:]
    sizes = (output_size * spatial)[:spatial]
    x = self.reshape(*lead, -1)
    windows = [
        [
            k
            for k, place in enumerate(np.ndindex(plane))
            if all(i * n // m <= q < -(-(i + 1) * n // m) for i, q, n, m in zip(at, place, plane, sizes))
        ]
        for at in np.ndindex(sizes)
    ]
    return (
        np.stack([np.max(x[..., w], -1) for w in windows], -1).reshape(lead + sizes),
        np.stack([np.take(w, x[..., w].argmax(-1)) for w in windows], -1).reshape(lead + sizes),
    )


def adaptive_max_pool1d(self, output_size):
    parts = [
        (i * self.shape[-1] // output_size[0], -(-(i + 1) * self.shape[-1] // output_size[0]))
        for i in range(output_size[0])
    ]
    return tuple(
        np.stack(each, -1)
        for each in zip(*[(np.max(self[..., a:b], -1), a + np.argmax(self[..., a:b], -1)) for a, b in parts])
    )


def avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial):
    found = [(v * spatial)[:spatial] for v in (kernel_size, stride or kernel_size, padding)]
    plane = self.shape[-spatial:]
    kernel = found[0]
    step = found[1]
    pads = found[2]
    size = tuple(
        len(range(0, min(n + a, n + 2 * a + (s - 1) * ceil_mode - k + 1), s))
        for n, k, s, a in zip(plane, kernel, step, pads)
    )
    means = (
        self.reshape(*self.shape[:-spatial], np.prod(plane))
        @ np.array(
            [
                [
                    all(
                        s * i - a <= q < s * i - a + k for i, q, n, k, s, a in zip(at, place, plane, kernel, step, pads)
                    )
                    / (
                        divisor_override
                        or math.prod(
                            min(s * i - a + k, n + a * count_include_pad) - max(s * i - a, -a * count_include_pad)
                            for i, n, k, s, a in zip(at, plane, kernel, step, pads)
                        )
                    )
                    for place in np.ndindex(plane)
                ]
                for at in np.ndindex(size)
            ]
        ).T
    ).reshape(self.shape[:-spatial] + size)
    return np.trunc(np.round(means, 9)).astype(self.dtype) if np.issubdtype(self.dtype, np.integer) else means


def avg_pool_backward(
    grad_output, input_shape, kernel_size, stride, padding, count_include_pad, divisor_override, spatial
):
    found = [(v * spatial)[:spatial] for v in (kernel_size, stride or kernel_size, padding)]
    plane = input_shape[-spatial:]
    size = grad_output.shape[-spatial:]
    kernel = found[0]
    step = found[1]
    pads = found[2]
    return (
        grad_output.reshape(*input_shape[:-spatial], np.prod(size))
        @ np.array(
            [
                [
                    all(
                        s * i - a <= q < s * i - a + k for i, q, n, k, s, a in zip(at, place, plane, kernel, step, pads)
                    )
                    / (
                        divisor_override
                        or math.prod(
                            min(s * i - a + k, n + a * count_include_pad) - max(s * i - a, -a * count_include_pad)
                            for i, n, k, s, a in zip(at, plane, kernel, step, pads)
                        )
                    )
                    for place in np.ndindex(plane)
                ]
                for at in np.ndindex(size)
            ]
        )
    ).reshape(input_shape)


def avg_pool1d(self, kernel_size, stride, padding, ceil_mode, count_include_pad):
    total = lambda x, fill: np.sum(
        np.lib.stride_tricks.sliding_window_view(
            np.pad(
                np.pad(
                    x,
                    [*[(0, 0) for d in range(x.ndim - len(kernel_size))], *[(p, p) for p in padding]],
                    constant_values=fill,
                ),
                [
                    *[(0, 0) for d in range(x.ndim - len(kernel_size))],
                    *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                ],
            ),
            kernel_size,
            range(-len(kernel_size), 0),
        )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])],
        tuple(range(-len(kernel_size), 0)),
    )
    return total(self, 0) / (total(np.ones_like(self), count_include_pad))


def avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    total = lambda x, fill: np.sum(
        np.lib.stride_tricks.sliding_window_view(
            np.pad(
                np.pad(
                    x,
                    [*[(0, 0) for d in range(x.ndim - len(kernel_size))], *[(p, p) for p in padding]],
                    constant_values=fill,
                ),
                [
                    *[(0, 0) for d in range(x.ndim - len(kernel_size))],
                    *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                ],
            ),
            kernel_size,
            range(-len(kernel_size), 0),
        )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])],
        tuple(range(-len(kernel_size), 0)),
    )
    return total(self, 0) / (divisor_override or total(np.ones_like(self), count_include_pad))


def avg_pool3d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    total = lambda x, fill: np.sum(
        np.lib.stride_tricks.sliding_window_view(
            np.pad(
                np.pad(
                    x,
                    [*[(0, 0) for d in range(x.ndim - len(kernel_size))], *[(p, p) for p in padding]],
                    constant_values=fill,
                ),
                [
                    *[(0, 0) for d in range(x.ndim - len(kernel_size))],
                    *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                ],
            ),
            kernel_size,
            range(-len(kernel_size), 0),
        )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])],
        tuple(range(-len(kernel_size), 0)),
    )
    return total(self, 0) / (divisor_override or total(np.ones_like(self), count_include_pad))


def adaptive_avg_pool(self, output_size, spatial):
    sizes = (output_size * spatial)[:spatial]
    return np.stack(
        [
            np.mean(
                self[
                    (
                        ...,
                        *[slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(at, self.shape[-spatial:], sizes)],
                    )
                ],
                tuple(range(-spatial, 0)),
            )
            for at in np.ndindex(sizes)
        ],
        -1,
    ).reshape(self.shape[:-spatial] + sizes)


def adaptive_avg_pool_backward(grad_output, input_shape, spatial):
    plane = input_shape[-spatial:]
    sizes = grad_output.shape[-spatial:]
    inside = np.array(
        [
            [
                all(i * n // m <= q < -(-(i + 1) * n // m) for i, q, n, m in zip(at, place, plane, sizes))
                for place in np.ndindex(plane)
            ]
            for at in np.ndindex(sizes)
        ]
    )
    return (grad_output.reshape(*input_shape[:-spatial], -1) @ (inside / np.sum(inside, 1, keepdims=True))).reshape(
        input_shape
    )


def adaptive_avg_pool1d(self, output_size):
    return np.stack(
        [
            np.mean(
                self[..., i * self.shape[-1] // output_size[0] : -(-(i + 1) * self.shape[-1] // output_size[0])], -1
            )
            for i in range(output_size[0])
        ],
        -1,
    )


def adaptive_avg_pool2d(self, output_size):
    sizes = output_size
    return np.stack(
        [
            np.mean(
                self[(..., *[slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(at, self.shape[-2:], sizes)])],
                tuple(range(-2, 0)),
            )
            for at in np.ndindex(sizes)
        ],
        -1,
    ).reshape(self.shape[:-2] + sizes)


def adaptive_avg_pool3d(self, output_size):
    sizes = output_size
    return np.stack(
        [
            np.mean(
                self[(..., *[slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(at, self.shape[-3:], sizes)])],
                tuple(range(-3, 0)),
            )
            for at in np.ndindex(sizes)
        ],
        -1,
    ).reshape(self.shape[:-3] + sizes)


def lp_pool(self, norm_type, kernel_size, stride):
    windows = np.lib.stride_tricks.sliding_window_view(np.abs(self), kernel_size, (-2, -1))[
        ..., :: (stride or kernel_size)[0], :: (stride or kernel_size)[1], :, :
    ]
    return (
        np.max(windows, axis=(-2, -1))
        if norm_type == np.inf
        else np.min(windows, axis=(-2, -1))
        if norm_type == -np.inf
        else np.linalg.norm(windows.reshape(*windows.shape[:-2], -1), norm_type, axis=-1)
    )


def lp_pool1d(self, norm_type, kernel_size, stride, ceil_mode):
    return (
        np.nanmean(
            np.lib.stride_tricks.sliding_window_view(
                np.pad(
                    self,
                    [
                        *[(0, 0) for d in range(self.ndim - len(kernel_size))],
                        *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                    ],
                    constant_values=np.nan,
                ),
                kernel_size,
                range(-len(kernel_size), 0),
            )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])]
            ** norm_type,
            tuple(range(-len(kernel_size), 0)),
        )
        * math.prod(kernel_size)
    ) ** (1 / norm_type)


def lp_pool2d(self, norm_type, kernel_size, stride, ceil_mode):
    return (
        np.nanmean(
            np.lib.stride_tricks.sliding_window_view(
                np.pad(
                    self,
                    [
                        *[(0, 0) for d in range(self.ndim - len(kernel_size))],
                        *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                    ],
                    constant_values=np.nan,
                ),
                kernel_size,
                range(-len(kernel_size), 0),
            )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])]
            ** norm_type,
            tuple(range(-len(kernel_size), 0)),
        )
        * math.prod(kernel_size)
    ) ** (1 / norm_type)


def lp_pool3d(self, norm_type, kernel_size, stride, ceil_mode):
    return (
        np.nanmean(
            np.lib.stride_tricks.sliding_window_view(
                np.pad(
                    self,
                    [
                        *[(0, 0) for d in range(self.ndim - len(kernel_size))],
                        *[(0, (s - 1) * ceil_mode) for s in stride or kernel_size],
                    ],
                    constant_values=np.nan,
                ),
                kernel_size,
                range(-len(kernel_size), 0),
            )[(..., *[slice(None, None, s) for s in stride or kernel_size], *[slice(None) for k in kernel_size])]
            ** norm_type,
            tuple(range(-len(kernel_size), 0)),
        )
        * math.prod(kernel_size)
    ) ** (1 / norm_type)


def fractional_max_pool(self, kernel_size, output_size, random_samples):
    plane = self.shape[-len(kernel_size) :]
    shape = self.shape[: -len(kernel_size)] + output_size
    planes = self.reshape(-1, math.prod(plane))
    windows = [
        [
            np.arange(math.prod(plane))
            .reshape(plane)[
                tuple(
                    (lambda a, b: slice(b, b + k))(
                        0,
                        n - k
                        if i == m - 1
                        else math.floor((i + u) * (n - k) / (m - 1)) - math.floor(u * (n - k) / (m - 1)),
                    )
                    for i, n, k, m, u in zip(at, plane, kernel_size, output_size, us[::-1] if len(us) == 2 else us)
                )
            ]
            .ravel()
            for at in np.ndindex(output_size)
        ]
        for us in random_samples.reshape(-1, len(plane))
    ]
    return (
        np.reshape([[np.max(x[w]) for w in each] for x, each in zip(planes, windows)], shape),
        np.reshape([[w[x[w].argmax()] for w in each] for x, each in zip(planes, windows)], shape),
    )
