"""PyTorch's `torch.optim._functional`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adagrad import adadelta as adadelta
from specgrad.nn.optim.adagrad import adagrad as adagrad
from specgrad.nn.optim.adam import adam as adam
from specgrad.nn.optim.adam import adamax as adamax
from specgrad.nn.optim.adam import adamw as adamw
from specgrad.nn.optim.adam import nadam as nadam
from specgrad.nn.optim.adam_variants import radam as radam
from specgrad.nn.optim.sgd import asgd as asgd
from specgrad.nn.optim.sgd import rmsprop as rmsprop
from specgrad.nn.optim.sgd import rprop as rprop
from specgrad.nn.optim.sgd import sgd as sgd
