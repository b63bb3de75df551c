"""torch-pruning: channels taken out of a residual network by the graph of its gradients."""

import timm
import torch_pruning as tp
from fixed import filled, numbers, show

model = filled(timm.create_model("resnet18", num_classes=5)).eval()
x = numbers(1, 3, 32, 32)
graph = tp.DependencyGraph().build_dependency(model, example_inputs=x)
group = graph.get_pruning_group(model.conv1, tp.prune_conv_out_channels, idxs=[2, 6, 9])
print(graph.check_pruning_group(group))
group.prune()
show("first", model(x))
importance = tp.importance.MagnitudeImportance(p=2)
pruner = tp.pruner.MetaPruner(model, x, importance=importance, pruning_ratio=0.5, ignored_layers=[model.fc])
pruner.step()
show("operations and parameters", tp.utils.count_ops_and_params(model, x))
show("second", model(x))
