"""rtdl: transformers and residual networks for tables, embeddings of numbers."""

import torch
from fixed import filled, numbers, show, trained
from rtdl_num_embeddings import PeriodicEmbeddings, PiecewiseLinearEncoding, compute_bins
from rtdl_revisiting_models import FTTransformer, ResNet

x, kinds = numbers(16, 5), torch.arange(16)[:, None] % 3
model = FTTransformer(n_cont_features=5, cat_cardinalities=[3], d_out=1, **FTTransformer.get_default_kwargs())
model = filled(model)
trained(model, lambda: model(x, kinds).pow(2).mean(), steps=2, optimizer=model.make_default_optimizer())
sizes = {"n_blocks": 2, "d_block": 8, "d_hidden": None, "d_hidden_multiplier": 2.0}
net = filled(ResNet(d_in=5, d_out=1, dropout1=0.0, dropout2=0.0, **sizes))
trained(net, lambda: net(x).pow(2).mean())
show("periodic", filled(PeriodicEmbeddings(5, 4, lite=False))(x))
show("piecewise", PiecewiseLinearEncoding(compute_bins(x, n_bins=4))(x))
