"""Behaviour as data: containers, tables, bandit trials, folds, published data sets."""
