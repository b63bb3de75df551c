"""States of models and optimizers by the names of parameters, as checkpoints and other numbers of ranks need them."""
