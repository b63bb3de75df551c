"""Pooling layers."""

from ..utils import _pair as _pair  # programs import these from here
from ..utils import _single as _single
from ..utils import _triple as _triple
from .average import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
)
from .average import _AdaptiveAvgPoolNd as _AdaptiveAvgPoolNd
from .average import _AdaptiveMaxPoolNd as _AdaptiveMaxPoolNd
from .average import _AvgPoolNd as _AvgPoolNd
from .average import _LPPoolNd as _LPPoolNd
from .maximum import (
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from .maximum import _MaxPoolNd as _MaxPoolNd
from .maximum import _MaxUnpoolNd as _MaxUnpoolNd

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]
