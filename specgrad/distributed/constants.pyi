"""PyTorch's `torch.distributed.constants`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.world import default_pg_timeout as default_pg_timeout
