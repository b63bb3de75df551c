"""PyTorch's `torch.masked`, by names: written from `torch_names.py`."""

from specgrad.nn.masked import MaskedTensor as MaskedTensor
from specgrad.nn.masked import as_masked_tensor as as_masked_tensor
from specgrad.nn.masked import is_masked_tensor as is_masked_tensor
from specgrad.nn.masked import masked_tensor as masked_tensor
from specgrad.runtime.extensions.masked.along_dim import cumprod as cumprod
from specgrad.runtime.extensions.masked.along_dim import cumsum as cumsum
from specgrad.runtime.extensions.masked.along_dim import log_softmax as log_softmax
from specgrad.runtime.extensions.masked.along_dim import normalize as normalize
from specgrad.runtime.extensions.masked.along_dim import softmax as softmax
from specgrad.runtime.extensions.masked.along_dim import softmin as softmin
from specgrad.runtime.extensions.masked.reductions import amax as amax
from specgrad.runtime.extensions.masked.reductions import amin as amin
from specgrad.runtime.extensions.masked.reductions import argmax as argmax
from specgrad.runtime.extensions.masked.reductions import argmin as argmin
from specgrad.runtime.extensions.masked.reductions import logaddexp as logaddexp
from specgrad.runtime.extensions.masked.reductions import logsumexp as logsumexp
from specgrad.runtime.extensions.masked.reductions import mean as mean
from specgrad.runtime.extensions.masked.reductions import median as median
from specgrad.runtime.extensions.masked.reductions import norm as norm
from specgrad.runtime.extensions.masked.reductions import prod as prod
from specgrad.runtime.extensions.masked.reductions import std as std
from specgrad.runtime.extensions.masked.reductions import sum as sum
from specgrad.runtime.extensions.masked.reductions import var as var
