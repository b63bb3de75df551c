"""Linear algebra: solving, inverses, determinants, decompositions, norms of matrices."""
