"""Discrete Fourier transforms under PyTorch's names."""

from .generated.ops import fft_fft as fft
from .generated.ops import fft_fft2 as fft2
from .generated.ops import fft_fftn as fftn
from .generated.ops import fft_fftshift as fftshift
from .generated.ops import fft_hfft as hfft
from .generated.ops import fft_hfft2 as hfft2
from .generated.ops import fft_hfftn as hfftn
from .generated.ops import fft_ifft as ifft
from .generated.ops import fft_ifft2 as ifft2
from .generated.ops import fft_ifftn as ifftn
from .generated.ops import fft_ifftshift as ifftshift
from .generated.ops import fft_ihfft as ihfft
from .generated.ops import fft_ihfft2 as ihfft2
from .generated.ops import fft_ihfftn as ihfftn
from .generated.ops import fft_irfft as irfft
from .generated.ops import fft_irfft2 as irfft2
from .generated.ops import fft_irfftn as irfftn
from .generated.ops import fft_rfft as rfft
from .generated.ops import fft_rfft2 as rfft2
from .generated.ops import fft_rfftn as rfftn
from .runtime.ops.creation.windows import fftfreq, rfftfreq

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
