"""PyTorch's `torch.cuda.amp.common`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.devices import amp_definitely_not_available as amp_definitely_not_available
