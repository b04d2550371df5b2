"""Compiled loops, and nothing else. Each names its plain-numpy twin among the tests' oracles."""
