"""PyTorch's `torch.multiprocessing.pool`, by names: written from `torch_names.py`."""

from multiprocessing.pool import Pool as Pool
