"""The version, under PyTorch's names; `torch` is the version of PyTorch whose API specgrad follows."""

from . import __version__ as __version__

debug = False
cuda: str | None = None  # specgrad is built for no version of CUDA: kernels are compiled where they run
hip: str | None = None
xpu: str | None = None
git_version = "unknown"
torch = "2.13.0"
