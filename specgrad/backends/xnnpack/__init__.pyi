"""PyTorch's `torch.backends.xnnpack`, by names: written from `torch_names.py`."""

enabled: bool
