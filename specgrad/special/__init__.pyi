"""PyTorch's `torch.special`, by names: written from `torch_names.py`."""

from specgrad.generated.ops import airy_ai as airy_ai
from specgrad.generated.ops import bessel_j0 as bessel_j0
from specgrad.generated.ops import bessel_j1 as bessel_j1
from specgrad.generated.ops import bessel_y0 as bessel_y0
from specgrad.generated.ops import bessel_y1 as bessel_y1
from specgrad.generated.ops import digamma as digamma
from specgrad.generated.ops import entr as entr
from specgrad.generated.ops import erf as erf
from specgrad.generated.ops import erfc as erfc
from specgrad.generated.ops import erfcx as erfcx
from specgrad.generated.ops import erfinv as erfinv
from specgrad.generated.ops import exp2 as exp2
from specgrad.generated.ops import expm1 as expm1
from specgrad.generated.ops import i0 as i0
from specgrad.generated.ops import i0e as i0e
from specgrad.generated.ops import i1 as i1
from specgrad.generated.ops import i1e as i1e
from specgrad.generated.ops import igamma, igammac, lgamma, mvlgamma, sigmoid
from specgrad.generated.ops import log1p as log1p
from specgrad.generated.ops import log_ndtr as log_ndtr
from specgrad.generated.ops import log_softmax as log_softmax
from specgrad.generated.ops import logit as logit
from specgrad.generated.ops import logsumexp as logsumexp
from specgrad.generated.ops import modified_bessel_k0 as modified_bessel_k0
from specgrad.generated.ops import modified_bessel_k1 as modified_bessel_k1
from specgrad.generated.ops import ndtr as ndtr
from specgrad.generated.ops import ndtri as ndtri
from specgrad.generated.ops import polygamma as polygamma
from specgrad.generated.ops import round as round
from specgrad.generated.ops import scaled_modified_bessel_k0 as scaled_modified_bessel_k0
from specgrad.generated.ops import scaled_modified_bessel_k1 as scaled_modified_bessel_k1
from specgrad.generated.ops import sinc as sinc
from specgrad.generated.ops import softmax as softmax
from specgrad.generated.ops import spherical_bessel_j0 as spherical_bessel_j0
from specgrad.generated.ops import xlog1py as xlog1py
from specgrad.generated.ops import xlogy as xlogy
from specgrad.generated.ops import zeta as zeta
from specgrad.runtime.ops.numeric.polynomials import chebyshev_polynomial_t as chebyshev_polynomial_t
from specgrad.runtime.ops.numeric.polynomials import chebyshev_polynomial_u as chebyshev_polynomial_u
from specgrad.runtime.ops.numeric.polynomials import chebyshev_polynomial_v as chebyshev_polynomial_v
from specgrad.runtime.ops.numeric.polynomials import chebyshev_polynomial_w as chebyshev_polynomial_w
from specgrad.runtime.ops.numeric.polynomials import hermite_polynomial_h as hermite_polynomial_h
from specgrad.runtime.ops.numeric.polynomials import hermite_polynomial_he as hermite_polynomial_he
from specgrad.runtime.ops.numeric.polynomials import laguerre_polynomial_l as laguerre_polynomial_l
from specgrad.runtime.ops.numeric.polynomials import legendre_polynomial_p as legendre_polynomial_p
from specgrad.runtime.ops.numeric.polynomials import shifted_chebyshev_polynomial_t as shifted_chebyshev_polynomial_t
from specgrad.runtime.ops.numeric.polynomials import shifted_chebyshev_polynomial_u as shifted_chebyshev_polynomial_u
from specgrad.runtime.ops.numeric.polynomials import shifted_chebyshev_polynomial_v as shifted_chebyshev_polynomial_v
from specgrad.runtime.ops.numeric.polynomials import shifted_chebyshev_polynomial_w as shifted_chebyshev_polynomial_w

expit = sigmoid
gammainc = igamma
gammaincc = igammac
gammaln = lgamma
modified_bessel_i0 = i0
modified_bessel_i1 = i1
multigammaln = mvlgamma
psi = digamma
