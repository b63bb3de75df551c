"""PyTorch's `torch.utils.data.datapipes.iter.combining`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import Concater, Zipper

ConcaterIterDataPipe = Concater
ZipperIterDataPipe = Zipper
