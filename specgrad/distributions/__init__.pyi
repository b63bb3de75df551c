"""PyTorch's `torch.distributions`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions import *
from specgrad.nn.distributions.transforms.base import Transform as Transform
from specgrad.nn.distributions.transforms.cat_stack import *
from specgrad.nn.distributions.transforms.composed import *
from specgrad.nn.distributions.transforms.elementwise import *
from specgrad.nn.distributions.transforms.vectors import *

from . import bernoulli as bernoulli
from . import beta as beta
from . import binomial as binomial
from . import categorical as categorical
from . import cauchy as cauchy
from . import chi2 as chi2
from . import constraint_registry as constraint_registry
from . import constraints as constraints
from . import continuous_bernoulli as continuous_bernoulli
from . import dirichlet as dirichlet
from . import distribution as distribution
from . import exp_family as exp_family
from . import exponential as exponential
from . import fishersnedecor as fishersnedecor
from . import gamma as gamma
from . import generalized_pareto as generalized_pareto
from . import geometric as geometric
from . import gumbel as gumbel
from . import half_cauchy as half_cauchy
from . import half_normal as half_normal
from . import independent as independent
from . import inverse_gamma as inverse_gamma
from . import kl as kl
from . import kumaraswamy as kumaraswamy
from . import laplace as laplace
from . import lkj_cholesky as lkj_cholesky
from . import log_normal as log_normal
from . import logistic_normal as logistic_normal
from . import lowrank_multivariate_normal as lowrank_multivariate_normal
from . import mixture_same_family as mixture_same_family
from . import multinomial as multinomial
from . import multivariate_normal as multivariate_normal
from . import negative_binomial as negative_binomial
from . import normal as normal
from . import one_hot_categorical as one_hot_categorical
from . import pareto as pareto
from . import poisson as poisson
from . import relaxed_bernoulli as relaxed_bernoulli
from . import relaxed_categorical as relaxed_categorical
from . import studentT as studentT
from . import transformed_distribution as transformed_distribution
from . import transforms as transforms
from . import uniform as uniform
from . import utils as utils
from . import von_mises as von_mises
from . import weibull as weibull
from . import wishart as wishart
