"""Probability distributions, with batch and event shapes, differentiable samples, transforms and divergences."""

from . import transforms
from .constraint_registry import biject_to, transform_to
from .continuous.cauchy import Cauchy
from .continuous.exponential import Exponential
from .continuous.generalized_pareto import GeneralizedPareto
from .continuous.gumbel import Gumbel
from .continuous.half_cauchy import HalfCauchy
from .continuous.half_normal import HalfNormal
from .continuous.kumaraswamy import Kumaraswamy
from .continuous.laplace import Laplace
from .continuous.log_normal import LogNormal
from .continuous.normal import Normal
from .continuous.pareto import Pareto
from .continuous.relaxed_bernoulli import RelaxedBernoulli
from .continuous.uniform import Uniform
from .continuous.von_mises import VonMises
from .continuous.weibull import Weibull
from .discrete.bernoulli import Bernoulli
from .discrete.binomial import Binomial
from .discrete.categorical import Categorical
from .discrete.continuous_bernoulli import ContinuousBernoulli
from .discrete.geometric import Geometric
from .discrete.multinomial import Multinomial
from .discrete.negative_binomial import NegativeBinomial
from .discrete.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
from .discrete.poisson import Poisson
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .gammas.beta import Beta
from .gammas.chi2 import Chi2
from .gammas.fishersnedecor import FisherSnedecor
from .gammas.gamma import Gamma
from .gammas.inverse_gamma import InverseGamma
from .gammas.studentT import StudentT
from .independent import Independent
from .kl import kl_divergence, register_kl
from .mixture_same_family import MixtureSameFamily
from .multivariate.dirichlet import Dirichlet
from .multivariate.lkj_cholesky import LKJCholesky
from .multivariate.logistic_normal import LogisticNormal
from .multivariate.lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate.multivariate_normal import MultivariateNormal
from .multivariate.relaxed_categorical import RelaxedOneHotCategorical
from .multivariate.wishart import Wishart
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
