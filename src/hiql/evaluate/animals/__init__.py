"""Several animals: the paper's stages."""
