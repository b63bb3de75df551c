"""pyro-ppl: stochastic variational inference of a normal mean, with a Trace_ELBO whose noise is averaged out."""

import pyro
import pyro.distributions as dist
import torch
from fixed import show
from pyro.infer import SVI, TraceMeanField_ELBO
from pyro.optim import Adam
from torch.distributions import constraints

data = torch.tensor([1.2, 0.7, 1.9, 1.4, 0.9])


def model(data):
    mean = pyro.sample("mean", dist.Normal(0.0, 10.0))
    with pyro.plate("data", len(data)):
        pyro.sample("obs", dist.Normal(mean, 1.0), obs=data)


def guide(data):
    loc = pyro.param("loc", torch.tensor(0.0))
    scale = pyro.param("scale", torch.tensor(1.0), constraint=constraints.positive)
    pyro.sample("mean", dist.Normal(loc, scale))


pyro.set_rng_seed(0)
pyro.clear_param_store()
svi = SVI(model, guide, Adam({"lr": 0.03}), loss=TraceMeanField_ELBO(num_particles=20, vectorize_particles=True))
for _ in range(400):
    svi.step(data)
loc, scale = pyro.param("loc").item(), pyro.param("scale").item()
assert abs(loc - data.sum().item() / (5 + 0.01)) < 0.1 and abs(scale - 5.01**-0.5) < 0.1, (loc, scale)
trace = pyro.poutine.trace(pyro.condition(model, data={"mean": torch.tensor(1.0)})).get_trace(data)
show("log density", trace.log_prob_sum())
