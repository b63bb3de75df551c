"""lightning: a module trained, validated and checkpointed by the Trainer."""

import logging
import tempfile
import warnings

import lightning as L
import torch
from fixed import filled, numbers, show
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
losses = []


class Model(L.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.net = filled(nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 3)))

    def training_step(self, batch, index):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        losses.append(loss.item())
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


data = DataLoader(TensorDataset(numbers(24, 4), torch.arange(24) % 3), batch_size=8)
trainer = L.Trainer(
    max_epochs=3,
    accelerator="cpu",
    devices=1,
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    default_root_dir=tempfile.mkdtemp(),
    gradient_clip_val=1.0,
)
model = Model()
trainer.fit(model, data, data)
show("losses", losses)
show("validated", trainer.callback_metrics["val_loss"])
again = Model.load_from_checkpoint(trainer.checkpoint_callback.best_model_path)
show("loaded", again.net(numbers(2, 4)))
