"""Embeddings under PyTorch's module path; the code is one folder up."""

from ..embedding_bag import EmbeddingBag
from ..sparse import Embedding

__all__ = ["Embedding", "EmbeddingBag"]
