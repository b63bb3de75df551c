"""Layers with examples of their inputs, for the tests that run them all under vmap."""

from __future__ import annotations

from typing import Any

import specgrad as sg
from specgrad import nn
from tests.nn.vmap.activation_cases import ACTIVATION_LAYERS
from tests.nn.vmap.cases import Case, classes, probabilities, reals, signs
from tests.nn.vmap.image_cases import IMAGE_LAYERS


class First(nn.Module):
    """A layer of which the first output counts."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, *inputs: Any) -> Any:
        """The first output."""
        return self.layer(*inputs)[0]


class Lengths(nn.Module):
    """A loss of sequences of given lengths."""

    def __init__(self, loss: Any, *lengths: list[int]) -> None:
        super().__init__()
        self.loss, self.lengths = loss, lengths

    def forward(self, *inputs: Any) -> Any:
        """The loss."""
        return self.loss(*inputs, *self.lengths)


class Unpooled(nn.Module):
    """Pooling, and its partial inverse."""

    def __init__(self, pool: Any, unpool: Any) -> None:
        super().__init__()
        self.pool, self.unpool = pool, unpool

    def forward(self, x: Any) -> Any:
        """The largest elements in their places, zeros elsewhere."""
        return self.unpool(*self.pool(x))


LAYERS = {
    **ACTIVATION_LAYERS,
    **IMAGE_LAYERS,
    "AdaptiveAvgPool2d": Case(lambda: nn.AdaptiveAvgPool2d((3, 2)), [reals(2, 3, 5, 4)]),
    "AvgPool1d": Case(lambda: nn.AvgPool1d(2), [reals(2, 3, 6)]),
    "AvgPool2d": Case(lambda: nn.AvgPool2d(2, padding=1), [reals(2, 3, 4, 5)]),
    "BCELoss": Case(lambda: nn.BCELoss(), [probabilities(4), probabilities(4)]),
    "BCEWithLogitsLoss": Case(lambda: nn.BCEWithLogitsLoss(reduction="sum"), [reals(4), probabilities(4)]),
    "BatchNorm1d": Case(lambda: nn.BatchNorm1d(3, track_running_stats=False), [reals(4, 3)]),
    "BatchNorm1d of sequences": Case(lambda: nn.BatchNorm1d(3).eval(), [reals(4, 3, 5)]),
    "DataParallel": Case(lambda: nn.DataParallel(nn.Linear(4, 3)), [reals(5, 4)]),
    "SyncBatchNorm": Case(lambda: nn.SyncBatchNorm(3, track_running_stats=False), [reals(2, 3, 2)]),
    "BatchNorm2d": Case(lambda: nn.BatchNorm2d(3, track_running_stats=False), [reals(2, 3, 4, 4)]),
    "Conv1d": Case(lambda: nn.Conv1d(2, 4, 3, padding=1, groups=2), [reals(2, 2, 5)]),
    "Conv1d without samples": Case(lambda: nn.Conv1d(2, 3, 2, stride=2), [reals(2, 6)]),
    "Conv2d": Case(lambda: nn.Conv2d(2, 3, (3, 2), stride=2, bias=False), [reals(2, 2, 5, 6)]),
    "Conv2d with holes": Case(lambda: nn.Conv2d(4, 4, 3, padding="same", dilation=2, groups=4), [reals(1, 4, 5, 5)]),
    "Conv2d without samples": Case(lambda: nn.Conv2d(2, 3, 2), [reals(2, 4, 4)]),
    "Bilinear": Case(lambda: nn.Bilinear(3, 2, 4), [reals(5, 3), reals(5, 2)]),
    "CrossMapLRN2d": Case(lambda: nn.CrossMapLRN2d(3), [reals(2, 4, 3, 2)]),
    "LinearCrossEntropyLoss": Case(lambda: nn.LinearCrossEntropyLoss(4, 5), [reals(5, 4), classes(5)]),
    "CrossEntropyLoss": Case(lambda: nn.CrossEntropyLoss(), [reals(5, 4), classes(5)]),
    "CrossEntropyLoss of one": Case(lambda: nn.CrossEntropyLoss(label_smoothing=0.1), [reals(4), classes()]),
    "CrossEntropyLoss of images": Case(lambda: nn.CrossEntropyLoss(ignore_index=1), [reals(2, 4, 3), classes(2, 3)]),
    "CrossEntropyLoss of probabilities": Case(lambda: nn.CrossEntropyLoss(), [reals(5, 4), probabilities(5, 4)]),
    "Dropout": Case(lambda: nn.Dropout(0.5).eval(), [reals(4)]),
    "ELU": Case(lambda: nn.ELU(0.5), [reals(4)]),
    "Embedding": Case(lambda: nn.Embedding(4, 3), [classes(5)]),
    "Embedding with padding": Case(lambda: nn.Embedding(4, 3, padding_idx=1), [classes(5)]),
    "Flatten": Case(lambda: nn.Flatten(), [reals(2, 3, 4)]),
    "GELU": Case(lambda: nn.GELU(), [reals(4)]),
    "GELU by tanh": Case(lambda: nn.GELU(approximate="tanh"), [reals(4)]),
    "Hardtanh": Case(lambda: nn.Hardtanh(), [reals(4)]),
    "Identity": Case(lambda: nn.Identity(), [reals(4)]),
    "L1Loss": Case(lambda: nn.L1Loss(), [reals(4, 2), reals(4, 2)]),
    "LayerNorm": Case(lambda: nn.LayerNorm((3, 4)), [reals(2, 3, 4)]),
    "LayerNorm without weights": Case(lambda: nn.LayerNorm(4, elementwise_affine=False), [reals(2, 3, 4)]),
    "LeakyReLU": Case(lambda: nn.LeakyReLU(0.2), [reals(4)]),
    "Linear": Case(lambda: nn.Linear(3, 2), [reals(3)]),
    "Linear of matrices": Case(lambda: nn.Linear(3, 2, bias=False), [reals(2, 5, 3)]),
    "LogSigmoid": Case(lambda: nn.LogSigmoid(), [reals(4)]),
    "LogSoftmax": Case(lambda: nn.LogSoftmax(dim=-1), [reals(4, 3)]),
    "MSELoss": Case(lambda: nn.MSELoss(), [reals(4, 2), reals(4, 2)]),
    "MaxPool1d": Case(lambda: nn.MaxPool1d(3, stride=2, padding=1), [reals(2, 2, 7)]),
    "MaxPool2d": Case(lambda: nn.MaxPool2d(2), [reals(2, 3, 4, 5)]),
    "MaxPool2d without samples": Case(lambda: nn.MaxPool2d(2), [reals(3, 4, 5)]),
    "NLLLoss": Case(lambda: nn.NLLLoss(sg.tensor([1.0, 2.0, 0.5, 1.5]).double()), [reals(5, 4), classes(5)]),
    "NLLLoss of all": Case(lambda: nn.NLLLoss(reduction="none"), [reals(5, 4), classes(5)]),
    "ReLU": Case(lambda: nn.ReLU(), [reals(4)]),
    "ReLU in place": Case(lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True)), [reals(4)]),
    "Sequential": Case(lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), [reals(3)]),
    "SiLU": Case(lambda: nn.SiLU(), [reals(4)]),
    "Sigmoid": Case(lambda: nn.Sigmoid(), [reals(4)]),
    "Softmax": Case(lambda: nn.Softmax(dim=0), [reals(4, 3)]),
    "Softplus": Case(lambda: nn.Softplus(), [reals(4)]),
    "Tanh": Case(lambda: nn.Tanh(), [reals(4)]),
    "Unflatten": Case(lambda: nn.Unflatten(1, (2, 3)), [reals(2, 6)]),
    "AdaptiveAvgPool1d": Case(lambda: nn.AdaptiveAvgPool1d(3), [reals(2, 3, 5)]),
    "AdaptiveAvgPool3d": Case(lambda: nn.AdaptiveAvgPool3d((2, 1, 2)), [reals(1, 2, 3, 2, 4)]),
    "AdaptiveMaxPool1d": Case(lambda: nn.AdaptiveMaxPool1d(2), [reals(3, 5)]),
    "AdaptiveMaxPool2d": Case(lambda: nn.AdaptiveMaxPool2d((2, 3)), [reals(2, 2, 4, 5)]),
    "AdaptiveMaxPool3d": Case(lambda: nn.AdaptiveMaxPool3d(2), [reals(1, 2, 3, 4, 3)]),
    "AvgPool3d": Case(lambda: nn.AvgPool3d(2), [reals(1, 2, 4, 4, 2)]),
    "BatchNorm3d": Case(lambda: nn.BatchNorm3d(2, track_running_stats=False), [reals(2, 2, 2, 3, 2)]),
    "Conv3d": Case(lambda: nn.Conv3d(2, 3, 2, padding=1), [reals(1, 2, 3, 3, 2)]),
    "ConvTranspose1d": Case(lambda: nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1), [reals(2, 2, 4)]),
    "ConvTranspose2d": Case(lambda: nn.ConvTranspose2d(4, 2, (2, 3), groups=2, padding=1), [reals(2, 4, 3, 4)]),
    "ConvTranspose3d": Case(lambda: nn.ConvTranspose3d(2, 2, 2, bias=False), [reals(1, 2, 2, 3, 2)]),
    "GRU": Case(lambda: First(nn.GRU(3, 4)), [reals(5, 2, 3)]),
    "GRUCell": Case(lambda: nn.GRUCell(3, 4), [reals(2, 3), reals(2, 4)]),
    "GroupNorm": Case(lambda: nn.GroupNorm(2, 4), [reals(2, 4, 3)]),
    "InstanceNorm1d": Case(lambda: nn.InstanceNorm1d(3, affine=True), [reals(2, 3, 4)]),
    "InstanceNorm2d": Case(lambda: nn.InstanceNorm2d(3), [reals(2, 3, 4, 2)]),
    "InstanceNorm3d": Case(lambda: nn.InstanceNorm3d(2), [reals(1, 2, 2, 3, 2)]),
    "LSTM": Case(lambda: First(nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True)), [reals(2, 5, 3)]),
    "LSTMCell": Case(lambda: First(nn.LSTMCell(3, 4)), [reals(2, 3)]),
    "LocalResponseNorm": Case(lambda: nn.LocalResponseNorm(2), [reals(2, 4, 3)]),
    "MaxPool3d": Case(lambda: nn.MaxPool3d(2), [reals(1, 2, 4, 4, 2)]),
    "MaxUnpool1d": Case(lambda: Unpooled(nn.MaxPool1d(2, return_indices=True), nn.MaxUnpool1d(2)), [reals(2, 3, 6)]),
    "MaxUnpool2d": Case(lambda: Unpooled(nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)), [reals(2, 2, 4, 4)]),
    "MaxUnpool3d": Case(lambda: Unpooled(nn.MaxPool3d(2, return_indices=True), nn.MaxUnpool3d(2)), [reals(2, 2, 2, 4)]),
    "MultiheadAttention": Case(
        lambda: First(nn.MultiheadAttention(4, 2)), [reals(3, 2, 4), reals(5, 2, 4), reals(5, 2, 4)]
    ),
    "RMSNorm": Case(lambda: nn.RMSNorm(4), [reals(2, 4)]),
    "RNN": Case(lambda: First(nn.RNN(3, 4)), [reals(5, 3)]),
    "RNNCell": Case(lambda: nn.RNNCell(3, 4, nonlinearity="relu"), [reals(3)]),
    "Transformer": Case(lambda: nn.Transformer(4, 2, 1, 1, 6, dropout=0.0), [reals(3, 2, 4), reals(5, 2, 4)]),
    "TransformerDecoder": Case(
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0), 1),
        [reals(3, 2, 4), reals(5, 2, 4)],
    ),
    "TransformerDecoderLayer": Case(
        lambda: nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0, norm_first=True), [reals(3, 2, 4), reals(5, 2, 4)]
    ),
    "TransformerEncoder": Case(
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0), 2), [reals(3, 2, 4)]
    ),
    "TransformerEncoderLayer": Case(
        lambda: nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True), [reals(3, 2, 4)]
    ),
    "CosineEmbeddingLoss": Case(lambda: nn.CosineEmbeddingLoss(), [reals(4, 3), reals(4, 3), signs(4)]),
    "CosineSimilarity": Case(lambda: nn.CosineSimilarity(0), [reals(4, 3), reals(4, 3)]),
    "GaussianNLLLoss": Case(lambda: nn.GaussianNLLLoss(), [reals(2, 3), reals(2, 3), probabilities(2, 3)]),
    "HingeEmbeddingLoss": Case(lambda: nn.HingeEmbeddingLoss(), [reals(4), signs(4)]),
    "HuberLoss": Case(lambda: nn.HuberLoss(), [reals(4), reals(4)]),
    "KLDivLoss": Case(lambda: nn.KLDivLoss(reduction="sum"), [reals(2, 3), probabilities(2, 3)]),
    "MarginRankingLoss": Case(lambda: nn.MarginRankingLoss(), [reals(4), reals(4), signs(4)]),
    "MultiLabelMarginLoss": Case(lambda: nn.MultiLabelMarginLoss(), [reals(2, 4), classes(2, 4)]),
    "MultiLabelSoftMarginLoss": Case(lambda: nn.MultiLabelSoftMarginLoss(), [reals(2, 4), probabilities(2, 4)]),
    "MultiMarginLoss": Case(lambda: nn.MultiMarginLoss(), [reals(5, 4), classes(5)]),
    "PairwiseDistance": Case(lambda: nn.PairwiseDistance(), [reals(2, 3), reals(2, 3)]),
    "PoissonNLLLoss": Case(lambda: nn.PoissonNLLLoss(full=True), [reals(4), probabilities(4)]),
    "SmoothL1Loss": Case(lambda: nn.SmoothL1Loss(), [reals(4), reals(4)]),
    "SoftMarginLoss": Case(lambda: nn.SoftMarginLoss(), [reals(4), signs(4)]),
    "TripletMarginLoss": Case(lambda: nn.TripletMarginLoss(), [reals(2, 3), reals(2, 3), reals(2, 3)]),
    "TripletMarginWithDistanceLoss": Case(
        lambda: nn.TripletMarginWithDistanceLoss(), [reals(2, 3), reals(2, 3), reals(2, 3)]
    ),
    "AlphaDropout": Case(lambda: nn.AlphaDropout(1.0), [reals(4)]),
    "Dropout1d": Case(lambda: nn.Dropout1d(1.0), [reals(2, 4)]),
    "Dropout2d": Case(lambda: nn.Dropout2d(1.0), [reals(1, 2, 4, 1)]),
    "Dropout3d": Case(lambda: nn.Dropout3d(1.0), [reals(2, 4, 1, 1)]),
    "EmbeddingBag": Case(lambda: nn.EmbeddingBag(4, 3), [classes(2, 3)]),
    "FeatureAlphaDropout": Case(lambda: nn.FeatureAlphaDropout(1.0), [reals(2, 4)]),
    "LPPool1d": Case(lambda: nn.LPPool1d(2, 2), [reals(3, 4)]),
    "LPPool2d": Case(lambda: nn.LPPool2d(2, 2), [reals(3, 4, 4)]),
    "LPPool3d": Case(lambda: nn.LPPool3d(2, 2), [reals(2, 2, 4, 2)]),
    "CTCLoss": Case(lambda: Lengths(nn.CTCLoss(blank=4), [4, 3], [2, 1]), [reals(4, 2, 5), classes(2, 2)]),
    "FractionalMaxPool2d": Case(
        lambda: nn.FractionalMaxPool2d(2, 3, _random_samples=sg.tensor([[[0.2, 0.7]]])), [reals(1, 5, 6)]
    ),
    "FractionalMaxPool3d": Case(
        lambda: nn.FractionalMaxPool3d(2, output_ratio=0.5, _random_samples=sg.tensor([[[0.2, 0.7, 0.4]]])),
        [reals(1, 5, 6, 4)],
    ),
}
OLDER = {"Container", "NLLLoss2d"}  # which warn, and are Module and NLLLoss
LAZY = {name for name in vars(nn) if name.startswith(("Lazy", "Uninitialized"))}  # others once they have seen an input
CONTAINERS = (
    OLDER
    | LAZY
    | {"LinearCrossEntropyOptions"}
    | {"Buffer", "Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList"}
)
BASES = {"RNNBase", "RNNCellBase"}
