"""ptwt and pytorch-wavelets: wavelet transforms."""

import ptwt
import pywt
import torch
from fixed import numbers, show
from pytorch_wavelets import DTCWTForward, DWTForward, DWTInverse

x = numbers(2, 3, 32, 32)
low, high = DWTForward(J=2, wave="db3", mode="zero")(x)
show("low", low)
show("high", high[0])
show("inverse", DWTInverse(wave="db3", mode="zero")((low, high)))
show("dual tree", DTCWTForward(J=2)(x)[0])
parts = ptwt.wavedec2(x, pywt.Wavelet("haar"), level=2)
show("haar", parts[0])
show("again", ptwt.waverec2(parts, pywt.Wavelet("haar")))
show("continuous", ptwt.cwt(numbers(2, 64), torch.arange(1, 8), "mexh")[0].abs())
