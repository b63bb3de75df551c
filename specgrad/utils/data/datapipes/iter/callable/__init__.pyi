"""PyTorch's `torch.utils.data.datapipes.iter.callable`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Collator, Mapper

CollatorIterDataPipe = Collator
MapperIterDataPipe = Mapper
