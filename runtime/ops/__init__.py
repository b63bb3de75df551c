"""The ops by family: all that is written by hand for one op lies in one folder.

checks.py     of arguments, called by generated functions before anything else (key `check`)
formulas.py   helpers of gradient formulas and of composites, written in ops
cpu.py        kernels: NumPy arrays in, NumPy arrays out (keys `kernel` and `backward`)
plans.py      for kernels of the same names: which compiled kernels do the same on flat memory
batching.py   what vmap does (key `batch`)

A kind may have more files than one: cpu_loops.py, checks_pairs.py.

NumPy warns where inf and nan come out of kernels; here they are results like others, and no news.
"""

import warnings

warnings.filterwarnings("ignore", category=RuntimeWarning, module=__name__.replace(".", r"\.") + r"\.\w+\.cpu")
