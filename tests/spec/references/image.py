"""References of the section image of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np


def border_pad(self, pad, mode):
    pairs = np.reshape(pad, (-1, 2))[::-1]
    return np.pad(
        self[(..., *[slice(max(0, -a), n + min(0, b)) for n, (a, b) in zip(self.shape[-len(pairs) :], pairs)])],
        [*[(0, 0) for n in self.shape[len(pairs) :]], *[(max(a, 0), max(b, 0)) for a, b in pairs]],
        dict(reflect="reflect", replicate="edge", circular="wrap")[mode],
    )


def border_pad_backward(grad_output, input_shape, pad, mode):
    pairs = np.reshape(pad, (-1, 2))[::-1]
    shown = np.pad(
        np.arange(np.prod(input_shape)).reshape(input_shape)[
            (..., *[slice(max(0, -a), n + min(0, b)) for n, (a, b) in zip(input_shape[-len(pairs) :], pairs)])
        ],
        [*[(0, 0) for n in input_shape[len(pairs) :]], *[(max(a, 0), max(b, 0)) for a, b in pairs]],
        dict(reflect="reflect", replicate="edge", circular="wrap")[mode],
    )
    sums = np.zeros(np.prod(input_shape), grad_output.dtype)
    return [np.add.at(sums, shown, grad_output), sums.reshape(input_shape)][1]


def pixel_shuffle(self, upscale_factor):
    r = upscale_factor
    return np.concatenate(
        [
            np.stack(
                [
                    np.concatenate([np.stack([self[..., i * r + j :: r * r, :, :] for j in range(r)], -1)], -1)
                    for i in range(r)
                ],
                -3,
            )
        ],
        -3,
    ).reshape(*self.shape[:-3], -1, self.shape[-2] * r, self.shape[-1] * r)


def pixel_unshuffle(self, downscale_factor):
    r = downscale_factor
    return np.stack([self[..., i::r, j::r] for i in range(r) for j in range(r)], -3).reshape(
        *self.shape[:-3], -1, self.shape[-2] // r, self.shape[-1] // r
    )


def resample(self, dim, length, filter, align_corners, scale, antialias):
    n = self.shape[dim]
    m = length
    step = (
        (self.shape[dim] - 1) / max(length - 1, 1)
        if align_corners
        else 1 / scale
        if scale
        else self.shape[dim] / length
    )
    a = -0.5 if antialias else -0.75
    taps = np.arange(n) if antialias else np.arange(-9, n + 9)
    centres = (
        np.floor((np.arange(m) + (filter == "nearest-exact") / 2) * step)
        if "nearest" in filter
        else np.arange(m) * step + (0 if align_corners and not antialias else (step - 1) / 2)
    )
    t = abs(taps - centres[:, None]) / (max(step, 1) if antialias else 1)
    w = dict(
        linear=np.maximum(1 - t, 0),
        cubic=np.where(t < 1, (a + 2) * t**3 - (a + 3) * t**2 + 1, a * (t - 1) * (t - 2) ** 2 * (t < 2)),
        lanczos=np.sinc(t) * np.sinc(t / 3) * (t < 3),
    ).get(filter, t == 0)
    return np.moveaxis(
        np.tensordot(
            w / np.sum(w, 1, keepdims=True) @ (np.clip(taps, 0, n - 1)[:, None] == np.arange(n)), self, (1, dim)
        ),
        0,
        dim,
    )


def resample_backward(grad_output, dim, length, filter, align_corners, scale, antialias):
    n = length
    m = grad_output.shape[dim]
    step = (
        (length - 1) / max(grad_output.shape[dim] - 1, 1)
        if align_corners
        else 1 / scale
        if scale
        else length / grad_output.shape[dim]
    )
    a = -0.5 if antialias else -0.75
    taps = np.arange(n) if antialias else np.arange(-9, n + 9)
    centres = (
        np.floor((np.arange(m) + (filter == "nearest-exact") / 2) * step)
        if "nearest" in filter
        else np.arange(m) * step + (0 if align_corners and not antialias else (step - 1) / 2)
    )
    t = abs(taps - centres[:, None]) / (max(step, 1) if antialias else 1)
    w = dict(
        linear=np.maximum(1 - t, 0),
        cubic=np.where(t < 1, (a + 2) * t**3 - (a + 3) * t**2 + 1, a * (t - 1) * (t - 2) ** 2 * (t < 2)),
        lanczos=np.sinc(t) * np.sinc(t / 3) * (t < 3),
    ).get(filter, t == 0)
    return np.moveaxis(
        np.tensordot(
            w / np.sum(w, 1, keepdims=True) @ (np.clip(taps, 0, n - 1)[:, None] == np.arange(n)), grad_output, (0, dim)
        ),
        0,
        dim,
    )


def resample_bytes(self, dim, length, filter, antialias):
    n = self.shape[dim]
    step = self.shape[dim] / length
    taps = np.arange(n) if antialias else np.arange(-1, n + 1)
    return (
        (
            lambda w: np.floor(
                np.moveaxis(
                    np.tensordot(w / np.sum(w, 1, keepdims=True), self.take(np.clip(taps, 0, n - 1), dim), (1, dim)),
                    0,
                    dim,
                )
                + 0.5
            ).astype(int)
        )(
            np.maximum(
                1
                - abs(taps - (np.arange(length) * step + (step - 1) / 2)[:, None]) / (max(step, 1) if antialias else 1),
                0,
            )
        )
        if filter == "linear"
        else None
    )


def sample_grid(self, grid, interpolation_mode, padding_mode, align_corners):
    plane = self.shape[2:]
    image = np.pad(
        self,
        [(0, 0), (0, 0), *[(9, 9) for n in self.shape[2:]]],
        ["constant", "edge", "reflect" if align_corners else "symmetric"][padding_mode],
    )
    return np.einsum(
        ["nchw,nph,npw->ncp", "ncdhw,npd,nph,npw->ncp"][len(plane) - 2],
        image,
        *[
            (
                lambda taps, at: (
                    lambda t: [
                        np.maximum(1 - t, 0),
                        taps == np.round(at),
                        np.where(t < 1, 1.25 * t**3 - 2.25 * t**2 + 1, -0.75 * (t - 1) * (t - 2) ** 2 * (t < 2)),
                    ][interpolation_mode]
                )(abs(taps - at))
            )(np.arange(-9, n + 9), (g.reshape(len(g), -1, 1) + 1) / 2 * (n - align_corners) - (1 - align_corners) / 2)
            for n, g in zip(plane, np.moveaxis(grid, -1, 0)[::-1])
        ],
    ).reshape(self.shape[:2] + grid.shape[1:-1])


def grid_sampler(self, grid, interpolation_mode, padding_mode, align_corners):
    plane = self.shape[2:]
    image = np.pad(
        self,
        [(0, 0), (0, 0), *[(9, 9) for n in self.shape[2:]]],
        ["constant", "edge", "reflect" if align_corners else "symmetric"][padding_mode],
    )
    return np.einsum(
        ["nchw,nph,npw->ncp", "ncdhw,npd,nph,npw->ncp"][len(plane) - 2],
        image,
        *[
            (
                lambda taps, at: (
                    lambda t: [
                        np.maximum(1 - t, 0),
                        taps == np.round(at),
                        np.where(t < 1, 1.25 * t**3 - 2.25 * t**2 + 1, -0.75 * (t - 1) * (t - 2) ** 2 * (t < 2)),
                    ][interpolation_mode]
                )(abs(taps - at))
            )(np.arange(-9, n + 9), (g.reshape(len(g), -1, 1) + 1) / 2 * (n - align_corners) - (1 - align_corners) / 2)
            for n, g in zip(plane, np.moveaxis(grid, -1, 0)[::-1])
        ],
    ).reshape(self.shape[:2] + grid.shape[1:-1])


def affine_grid_generator(theta, size, align_corners):
    return np.einsum(
        "...k,nik->n...i",
        np.stack(
            [
                *np.meshgrid(
                    *[
                        (2 * np.arange(n) + 1) / n - 1
                        if not align_corners
                        else np.linspace(-1, 1, n)
                        if n > 1
                        else np.zeros(n)
                        for n in size[2:]
                    ],
                    indexing="ij",
                )[::-1],
                np.ones(size[2:]),
            ],
            -1,
        ),
        theta,
    )
