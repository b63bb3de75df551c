"""torch_geometric: graph convolutions and attention on a small graph."""

import torch
from fixed import filled, numbers, trained
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool

edges = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0, 4, 0], [1, 0, 2, 1, 3, 2, 0, 3, 0, 4]])
graphs = [Data(x=numbers(5, 4) * (i + 1), edge_index=edges, y=torch.tensor([i % 2])) for i in range(4)]


class Network(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.first, self.last = layer(4, 8), nn.Linear(8, 2)

    def forward(self, data):
        return self.last(global_mean_pool(self.first(data.x, data.edge_index).relu(), data.batch))


for layer in (GCNConv, SAGEConv, GATConv, lambda a, b: GINConv(nn.Linear(a, b))):
    model = filled(Network(layer))
    batch = next(iter(DataLoader(graphs, batch_size=4)))
    trained(model, lambda: nn.functional.cross_entropy(model(batch), batch.y), steps=3)
