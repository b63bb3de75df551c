"""PyTorch's `torch.version`, by names: written from `torch_names.py`."""

from specgrad import __version__ as __version__

debug: bool
cuda: str | None
hip: str | None
xpu: str | None
git_version: str
torch: str
