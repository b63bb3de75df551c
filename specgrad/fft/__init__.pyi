"""PyTorch's `torch.fft`, by names: written from `torch_names.py`."""

from specgrad.generated.ops import (
    fft_fft,
    fft_fft2,
    fft_fftn,
    fft_fftshift,
    fft_hfft,
    fft_hfft2,
    fft_hfftn,
    fft_ifft,
    fft_ifft2,
    fft_ifftn,
    fft_ifftshift,
    fft_ihfft,
    fft_ihfft2,
    fft_ihfftn,
    fft_irfft,
    fft_irfft2,
    fft_irfftn,
    fft_rfft,
    fft_rfft2,
    fft_rfftn,
)
from specgrad.runtime.ops.creation.windows import fftfreq as fftfreq
from specgrad.runtime.ops.creation.windows import rfftfreq as rfftfreq

fft2 = fft_fft2
fft = fft_fft
fftn = fft_fftn
fftshift = fft_fftshift
hfft2 = fft_hfft2
hfft = fft_hfft
hfftn = fft_hfftn
ifft2 = fft_ifft2
ifft = fft_ifft
ifftn = fft_ifftn
ifftshift = fft_ifftshift
ihfft2 = fft_ihfft2
ihfft = fft_ihfft
ihfftn = fft_ihfftn
irfft2 = fft_irfft2
irfft = fft_irfft
irfftn = fft_irfftn
rfft2 = fft_rfft2
rfft = fft_rfft
rfftn = fft_rfftn
