"""Layers, losses and what belongs to training them. `nn.functional` has the same as functions without state."""

from . import data, functional, init, modules, optim, utils
from .activation import GELU, LogSigmoid, Sigmoid, SiLU, Tanh
from .average_pooling import AdaptiveAvgPool2d, AvgPool1d, AvgPool2d
from .batchnorm import BatchNorm1d, BatchNorm2d
from .classification import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, NLLLoss
from .container import ModuleList, Sequential
from .conv import Conv1d, Conv2d
from .dict_container import ModuleDict, ParameterDict
from .dropout import Dropout
from .flatten import Flatten, Unflatten
from .linear import Identity, Linear
from .loss import L1Loss, MSELoss
from .module import Module
from .normalization import LayerNorm
from .parameter import Buffer, Parameter
from .parameter_list import ParameterList
from .pooling import MaxPool1d, MaxPool2d
from .rectifier import ELU, Hardtanh, LeakyReLU, ReLU, Softplus
from .recurrent import GRU, LSTM, RNN
from .recurrent_base import RNNBase
from .recurrent_cell_base import RNNCellBase
from .recurrent_cells import GRUCell, LSTMCell, RNNCell
from .softmax import LogSoftmax, Softmax
from .sparse import Embedding

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "GRUCell",
    "LSTM",
    "LSTMCell",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Hardtanh",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "Unflatten",
    "data",
    "functional",
    "init",
    "modules",
    "optim",
    "utils",
]
