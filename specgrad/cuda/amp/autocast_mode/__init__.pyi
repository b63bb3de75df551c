"""PyTorch's `torch.cuda.amp.autocast_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.amp.deprecated_names import CudaAutocast, cuda_custom_bwd, cuda_custom_fwd

autocast = CudaAutocast
custom_bwd = cuda_custom_bwd
custom_fwd = cuda_custom_fwd
