"""Probability distributions, with batch and event shapes, differentiable samples, transforms and divergences."""

from . import transforms
from .base.distribution import Distribution
from .bernoulli import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from .beta import Beta, Dirichlet, FisherSnedecor
from .categorical import Categorical, Multinomial, OneHotCategorical, OneHotCategoricalStraightThrough
from .cauchy import Cauchy, Gumbel, HalfCauchy, Uniform, VonMises
from .constraint_registry import biject_to, transform_to
from .exponential import Exponential, GeneralizedPareto, Pareto, Weibull
from .gamma import Chi2, Gamma, InverseGamma, StudentT
from .independent import ExponentialFamily, Independent, TransformedDistribution
from .kl import kl_divergence, register_kl
from .mixture_same_family import MixtureSameFamily
from .multivariate_normal import LowRankMultivariateNormal, MultivariateNormal
from .normal import HalfNormal, Laplace, LogNormal, Normal
from .transforms import *
from .unit_interval import ContinuousBernoulli, Kumaraswamy, LogisticNormal, RelaxedBernoulli, RelaxedOneHotCategorical
from .wishart import LKJCholesky, Wishart

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "kl_divergence",
    "register_kl",
    "transform_to",
]
__all__ += transforms.__all__
