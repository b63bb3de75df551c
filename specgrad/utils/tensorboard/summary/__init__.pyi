"""PyTorch's `torch.utils.tensorboard.summary`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.tensorboard.messages import session

hparams = session
