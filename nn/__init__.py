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
from .adaptive_softmax import AdaptiveLogSoftmaxWithLoss
from .average_pooling import AvgPool1d, AvgPool2d, AvgPool3d
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .bilinear import Bilinear
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
from .ctc import CTCLoss
from .dict_container import ModuleDict, ParameterDict
from .distance import CosineSimilarity, PairwiseDistance, TripletMarginLoss, TripletMarginWithDistanceLoss
from .dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from .embedding_bag import EmbeddingBag
from .flatten import Flatten, Unflatten
from .folding import Fold, Unfold
from .fractional_pooling import FractionalMaxPool2d, FractionalMaxPool3d
from .functional.chunking import LinearCrossEntropyOptions
from .groupnorm import GroupNorm
from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .label_losses import MultiLabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss
from .lazy_conv import LazyConv1d, LazyConv2d, LazyConv3d
from .lazy_conv_transpose import LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d
from .lazy_instancenorm import LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d
from .lazy_linear import LazyLinear
from .lazy_norms import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
from .linear import Identity, Linear
from .linear_cross_entropy import LinearCrossEntropyLoss
from .loss import L1Loss, MSELoss
from .lstm import LSTM
from .margin_losses import CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, SoftMarginLoss
from .module import Module
from .multihead_attention import MultiheadAttention
from .norm_pooling import LPPool1d, LPPool2d, LPPool3d
from .normalization import LayerNorm, LocalResponseNorm, RMSNorm
from .older_layers import Container, CrossMapLRN2d, NLLLoss2d
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from .parameter_list import ParameterList
from .pooling import MaxPool1d, MaxPool2d, MaxPool3d
from .prelu import PReLU
from .rectifier import ELU, Hardtanh, LeakyReLU, ReLU, Softplus
from .rectifier_variants import CELU, SELU, Mish, ReLU6, RReLU, Threshold
from .recurrent import GRU, RNN
from .recurrent_base import RNNBase
from .recurrent_cell_base import RNNCellBase
from .recurrent_cells import GRUCell, LSTMCell, RNNCell
from .shrinking import GLU, Hardshrink, Hardsigmoid, Hardswish, Softshrink, Softsign, Tanhshrink
from .shuffling import ChannelShuffle, PixelShuffle, PixelUnshuffle
from .softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from .sparse import Embedding
from .synchronized import DataParallel, SyncBatchNorm
from .transformer import Transformer
from .transformer_decoder_layer import TransformerDecoderLayer
from .transformer_encoder_layer import TransformerEncoderLayer
from .transformer_stacks import TransformerDecoder, TransformerEncoder
from .unpooling import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d
from .value_losses import GaussianNLLLoss, HuberLoss, KLDivLoss, PoissonNLLLoss, SmoothL1Loss

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "Buffer",
    "CELU",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Container",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "CrossMapLRN2d",
    "DataParallel",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "ELU",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "UninitializedBuffer",
    "UninitializedParameter",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "data",
    "functional",
    "init",
    "modules",
    "optim",
    "utils",
]
