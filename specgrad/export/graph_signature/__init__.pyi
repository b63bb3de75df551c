"""PyTorch's `torch.export.graph_signature`, by names: written from `torch_names.py`."""

from specgrad.nn.export.signatures import ConstantArgument as ConstantArgument
from specgrad.nn.export.signatures import ExportGraphSignature as ExportGraphSignature
from specgrad.nn.export.signatures import InputKind as InputKind
from specgrad.nn.export.signatures import InputSpec as InputSpec
from specgrad.nn.export.signatures import OutputKind as OutputKind
from specgrad.nn.export.signatures import OutputSpec as OutputSpec
from specgrad.nn.export.signatures import TensorArgument as TensorArgument
