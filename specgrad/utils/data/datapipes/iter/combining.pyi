"""PyTorch's `torch.utils.data.datapipes.iter.combining`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes.iterables import Concater, Zipper

ConcaterIterDataPipe = Concater
ZipperIterDataPipe = Zipper
