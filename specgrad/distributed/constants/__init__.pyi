"""PyTorch's `torch.distributed.constants`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.world import default_pg_timeout as default_pg_timeout
