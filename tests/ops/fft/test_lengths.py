"""Transforms of many lengths, along rows and columns, against SciPy in the next wider dtype."""

import numpy as np
import pytest
import scipy.fft

import specgrad as sg

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 20, 32, 49, 60, 64, 100, 128, 210, 256, 360, 512, 1000, 1024, 2048]
DTYPES = {"float32": (np.float64, 1e-6), "float64": (np.longdouble, 2e-15)}


def assert_near(found, expected, limit):
    assert found.shape == expected.shape
    assert np.abs(found.numpy() - expected).max() <= limit * np.abs(expected).max()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("rows", [1, 19])
def test_lengths(n, rows, name):
    wide, limit = DTYPES[name]
    random = np.random.default_rng(n)
    x = random.standard_normal((rows, n)).astype(name)
    z = x + 1j * random.standard_normal((rows, n)).astype(name)
    exact = z.astype(np.result_type(wide, np.complex64))
    assert_near(sg.fft.fft(sg.tensor(z)), scipy.fft.fft(exact), limit)
    assert_near(sg.fft.ifft(sg.tensor(z), norm="ortho"), scipy.fft.ifft(exact, norm="ortho"), limit)
    assert_near(sg.fft.fft(sg.tensor(z.T.copy()), dim=0), scipy.fft.fft(exact.T, axis=0), limit)
    assert_near(sg.fft.fft2(sg.tensor(x)), scipy.fft.fft2(x.astype(wide)), limit)
    assert_near(sg.fft.rfft(sg.tensor(x)), scipy.fft.rfft(x.astype(wide)), limit)
    half = n // 2 + 1
    assert_near(sg.fft.irfft(sg.tensor(z[:, :half]), n), scipy.fft.irfft(exact[:, :half], n), limit)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(3, 64, 64), (2, 2, 16), (12, 48), (2, 30, 240), (5, 7, 32), (2, 6, 10), (160, 128)])
@pytest.mark.parametrize("norm", ["backward", "ortho"])
def test_real_matrices(shape, norm, name):
    """The whole spectrum of real numbers, which is symmetric, along rows, columns and both."""
    wide, limit = DTYPES[name]
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(name)
    exact = x.astype(wide)
    for dim in ((-2, -1), (-1,), (-2,), tuple(range(len(shape)))):
        assert_near(sg.fft.fftn(sg.tensor(x), dim=dim, norm=norm), scipy.fft.fftn(exact, axes=dim, norm=norm), limit)
        assert_near(sg.fft.ifftn(sg.tensor(x), dim=dim, norm=norm), scipy.fft.ifftn(exact, axes=dim, norm=norm), limit)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "shape", [(5, 96), (3, 8), (2, 3, 250), (1, 4096), (4, 64, 64), (2, 8, 16), (7, 2), (70, 1024)]
)
def test_calls_that_have_been_made_before(shape, dtype):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    z, n = sg.tensor(x + 1j * x[::-1]), shape[-1]
    for transform, of in [
        (lambda t: sg.fft.fft(t, norm="ortho"), z),
        (sg.fft.ifft, z),
        (sg.fft.fft, sg.tensor(x)),
        (lambda t: sg.fft.ifft(t, norm="ortho"), sg.tensor(x)),
        (sg.fft.fft2, sg.tensor(x)),
        (sg.fft.rfft, sg.tensor(x)),
        (lambda t: sg.fft.irfft(t, 2 * (n - 1)), z),
    ]:
        if transform is not sg.fft.fft2 or len(shape) > 1:
            of.requires_grad_()
            first, again = transform(of), transform(of)
            assert np.array_equal(first.detach().numpy(), again.detach().numpy())
            with sg.profiler.profile():  # which looks at every op: none is for native code
                general = transform(of)
            assert np.array_equal(general.detach().numpy(), again.detach().numpy())
            assert again.dtype is general.dtype
            assert again.requires_grad


def test_the_gradients_of_calls_that_have_been_made_before():
    x = np.random.default_rng(0).standard_normal((6, 32))
    for _ in range(2):
        a = sg.tensor(x, requires_grad=True)
        (sg.fft.irfft(sg.fft.rfft(a) * 2, 32) ** 2).sum().backward()
        assert np.allclose(a.grad.numpy(), 8 * x)
