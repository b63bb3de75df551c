"""PyTorch's `torch.multiprocessing.reductions`, by names: written from `torch_names.py`."""

from multiprocessing.reduction import ForkingPickler as ForkingPickler

from specgrad.runtime.extensions.multiprocessing.reductions import init_reductions as init_reductions
from specgrad.runtime.extensions.multiprocessing.reductions import rebuild_tensor as rebuild_tensor
from specgrad.runtime.extensions.multiprocessing.reductions import reduce_storage as reduce_storage
from specgrad.runtime.extensions.multiprocessing.reductions import reduce_tensor as reduce_tensor
