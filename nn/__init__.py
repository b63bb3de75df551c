"""Layers, losses and what belongs to training them. `nn.functional` has the same as functions without state."""

from . import data, functional, init, modules, optim, utils
from .activation import GELU, LogSigmoid, Sigmoid, SiLU, Tanh
from .adaptive_pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
from .average_pooling import AvgPool1d, AvgPool2d, AvgPool3d
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .border_padding import (
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
)
from .circular_padding import CircularPad1d, CircularPad2d, CircularPad3d
from .classification import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, NLLLoss
from .constant_padding import ConstantPad1d, ConstantPad2d, ConstantPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d
from .container import ModuleList, Sequential
from .conv import Conv1d, Conv2d, Conv3d
from .conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .dict_container import ModuleDict, ParameterDict
from .dropout import Dropout
from .flatten import Flatten, Unflatten
from .folding import Fold, Unfold
from .groupnorm import GroupNorm
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .linear import Identity, Linear
from .loss import L1Loss, MSELoss
from .lstm import LSTM
from .module import Module
from .multihead_attention import MultiheadAttention
from .normalization import LayerNorm, LocalResponseNorm, RMSNorm
from .parameter import Buffer, Parameter
from .parameter_list import ParameterList
from .pooling import MaxPool1d, MaxPool2d, MaxPool3d
from .rectifier import ELU, Hardtanh, LeakyReLU, ReLU, Softplus
from .recurrent import GRU, RNN
from .recurrent_base import RNNBase
from .recurrent_cell_base import RNNCellBase
from .recurrent_cells import GRUCell, LSTMCell, RNNCell
from .shuffling import ChannelShuffle, PixelShuffle, PixelUnshuffle
from .softmax import LogSoftmax, Softmax
from .sparse import Embedding
from .transformer import Transformer
from .transformer_decoder_layer import TransformerDecoderLayer
from .transformer_encoder_layer import TransformerEncoderLayer
from .transformer_stacks import TransformerDecoder, TransformerEncoder
from .unpooling import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d

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
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "Hardtanh",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "Unflatten",
    "data",
    "functional",
    "init",
    "modules",
    "optim",
    "utils",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "Fold",
    "Unfold",
    "ChannelShuffle",
    "PixelShuffle",
    "PixelUnshuffle",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]
