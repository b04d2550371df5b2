"""The tool put to work: config, compute, draw."""
