"""Sphinx configuration."""

from importlib import metadata

project = "hiql"
author = "The hiql developers"
release = metadata.version("hiql")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"
html_theme = "pydata_sphinx_theme"
html_title = "hiql"
exclude_patterns = ["_build"]
