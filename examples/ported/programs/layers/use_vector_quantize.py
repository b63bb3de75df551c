"""vector-quantize-pytorch: quantizers whose codes do not depend on chance."""

from fixed import numbers, show
from vector_quantize_pytorch import FSQ, LFQ, VectorQuantize

out, index = FSQ(levels=[8, 5, 5])(numbers(1, 16, 3))
show("fsq", out)
show("index", index)
out, index, loss = LFQ(codebook_size=16, dim=4).eval()(numbers(1, 16, 4))
show("lfq", out)
quantize = VectorQuantize(dim=4, codebook_size=8).eval()
quantize.codebook = numbers(8, 4)
show("vq", quantize(numbers(1, 16, 4))[0])
