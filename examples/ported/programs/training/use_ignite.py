"""pytorch-ignite: an engine with metrics and handlers."""

import torch
from fixed import filled, numbers, show
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss
from torch import nn

model = filled(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)))
criterion = nn.CrossEntropyLoss()
data = [(numbers(8, 4) * (i + 1), torch.arange(8) % 3) for i in range(3)]
trainer = create_supervised_trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), criterion)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(criterion)})


@trainer.on(Events.EPOCH_COMPLETED)
def evaluated(engine):
    evaluator.run(data)
    show("epoch", [engine.state.output, evaluator.state.metrics["accuracy"], evaluator.state.metrics["loss"]])


trainer.run(data, max_epochs=3)
