"""PyTorch's `torch.utils.data.datapipes.iter.callable`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes.batches import Collator
from specgrad.nn.data.pipes.iterables import Mapper

CollatorIterDataPipe = Collator
MapperIterDataPipe = Mapper
