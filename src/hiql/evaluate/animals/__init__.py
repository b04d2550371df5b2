"""Several animals, and histories of several lengths: the paper's stages."""
