"""How exact element-wise ops are: their values and derivatives beside numbers of as many digits as it takes."""
