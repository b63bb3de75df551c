"""PyTorch's `torch.fx`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.code import CodeGen as CodeGen
from specgrad.nn.fx.graph import Graph as Graph
from specgrad.nn.fx.graph_module import GraphModule as GraphModule
from specgrad.nn.fx.interpreter import Interpreter as Interpreter
from specgrad.nn.fx.interpreter import Transformer as Transformer
from specgrad.nn.fx.node import Node as Node
from specgrad.nn.fx.node import has_side_effect as has_side_effect
from specgrad.nn.fx.node_arguments import map_arg as map_arg
from specgrad.nn.fx.passes import replace_pattern as replace_pattern
from specgrad.nn.fx.patches import wrap as wrap
from specgrad.nn.fx.proxy import Proxy as Proxy
from specgrad.nn.fx.tracer import PH as PH
from specgrad.nn.fx.tracer import Tracer as Tracer
from specgrad.nn.fx.tracer import symbolic_trace as symbolic_trace

from . import _compatibility as _compatibility
from . import _symbolic_trace as _symbolic_trace
from . import experimental as experimental
from . import graph as graph
from . import graph_module as graph_module
from . import immutable_collections as immutable_collections
from . import interpreter as interpreter
from . import node as node
from . import passes as passes
from . import proxy as proxy
from . import subgraph_rewriter as subgraph_rewriter
