"""PyTorch's `torch.autograd.anomaly_mode`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd import detect_anomaly as detect_anomaly
from specgrad.runtime.autograd import set_detect_anomaly as set_detect_anomaly
