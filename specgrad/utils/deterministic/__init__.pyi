"""PyTorch's `torch.utils.deterministic`, by names: written from `torch_names.py`."""

fill_uninitialized_memory: bool
