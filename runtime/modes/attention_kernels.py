"""Which of PyTorch's kernels of attention programs allow: kept, as there is one kernel here."""

allowed = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True, "reduced_math": False}
