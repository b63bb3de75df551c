"""Probability distributions, with batch and event shapes, differentiable samples, transforms and divergences."""

from . import transforms
from .constraint_registry import biject_to, transform_to
from .continuous.cauchy import Cauchy, Gumbel, HalfCauchy, Uniform
from .continuous.exponential import Exponential, GeneralizedPareto, Pareto, Weibull
from .continuous.kumaraswamy import ContinuousBernoulli, Kumaraswamy, RelaxedBernoulli
from .continuous.normal import HalfNormal, Laplace, LogNormal, Normal
from .continuous.von_mises import VonMises
from .discrete.bernoulli import Bernoulli, Binomial, Geometric, NegativeBinomial
from .discrete.categorical import Categorical, Multinomial, OneHotCategorical, OneHotCategoricalStraightThrough
from .discrete.poisson import Poisson
from .distribution import Distribution
from .gammas.beta import Beta, Dirichlet, FisherSnedecor
from .gammas.gamma import Chi2, Gamma, InverseGamma, StudentT
from .independent import ExponentialFamily, Independent
from .kl import kl_divergence, register_kl
from .mixture_same_family import MixtureSameFamily
from .multivariate.multivariate_normal import LowRankMultivariateNormal, MultivariateNormal
from .multivariate.relaxed_categorical import LogisticNormal, RelaxedOneHotCategorical
from .multivariate.wishart import LKJCholesky, Wishart
from .transformed_distribution import TransformedDistribution
from .transforms import *

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
