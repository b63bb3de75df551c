"""pytorch-lightning: accumulated gradients, several optimizers by hand, and early stopping."""

import logging
import tempfile
import warnings

import pytorch_lightning as pl
import torch
from fixed import filled, numbers, show
from pytorch_lightning.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Pair(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.first, self.second = filled(nn.Linear(4, 4)), filled(nn.Linear(4, 1))

    def training_step(self, batch, index):
        for optimizer in self.optimizers():
            optimizer.zero_grad()
            self.manual_backward(self.loss(batch))
            optimizer.step()

    def loss(self, batch):
        return nn.functional.mse_loss(self.second(self.first(batch[0]).relu()).squeeze(-1), batch[1])

    def validation_step(self, batch, index):
        self.log("loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.first.parameters(), lr=0.05), torch.optim.Adam(self.second.parameters(), lr=0.01)


data = DataLoader(TensorDataset(numbers(16, 4), numbers(16)), batch_size=4)
options = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False}
trainer = pl.Trainer(
    max_epochs=4, accelerator="cpu", default_root_dir=tempfile.mkdtemp(), callbacks=[EarlyStopping("loss")], **options
)
model = Pair()
trainer.fit(model, data, data)
show("loss", trainer.callback_metrics["loss"])
show("parameters", [p.detach().abs().sum() for p in model.parameters()])
