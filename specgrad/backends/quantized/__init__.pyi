"""PyTorch's `torch.backends.quantized`, by names: written from `torch_names.py`."""

engine: str
supported_engines: list[str]
