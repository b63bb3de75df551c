"""PyTorch's `torch.utils.data.datapipes.iter.grouping`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Batcher, UnBatcher

BatcherIterDataPipe = Batcher
UnBatcherIterDataPipe = UnBatcher
