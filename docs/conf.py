"""Sphinx configuration. Pages with code are executed at build time; nothing is fetched from the network."""

import os
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).parent

project = "hiql"
author = "The hiql developers"
project_copyright = "The hiql developers"
release = metadata.version("hiql")
extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build", "_templates", "experiments/summaries"]
templates_path = ["_templates"]

# --- text -----------------------------------------------------------------------------------------------------
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "tasklist"]
myst_heading_anchors = 3

# Formulas are drawn by MathJax from a file that `make docs` lays beside the pages: readers need no network.
MATHJAX = HERE / "_build" / "mathjax"
if MATHJAX.exists():
    mathjax_path = "tex-svg.js"

# --- executed pages -------------------------------------------------------------------------------------------
nb_execution_mode = "auto"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
# The commands of a page are those of this environment, and print as into a file, 100 columns wide.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
os.environ |= {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "TTY_COMPATIBLE": "0", "TTY_INTERACTIVE": "0"}
# What pages make for readers to open lies here, and is copied into the built documentation.
EXAMPLES = HERE / "_build" / "examples"
EXAMPLES.mkdir(parents=True, exist_ok=True)
os.environ |= {"HIQL_DOCS": str(HERE), "HIQL_DOCS_EXAMPLES": str(EXAMPLES)}
html_extra_path = ["_build/examples"]

# --- API ------------------------------------------------------------------------------------------------------
autosummary_generate = sorted(str(page) for page in (HERE / "api").glob("*.md"))  # whatever an earlier build knew of
shutil.rmtree(HERE / "generated", ignore_errors=True)  # pages of names that are no longer there
# Names that differ in case only would share a page on some file systems.
autosummary_filename_map = {
    f"hiql.{name}": f"hiql.{name}-class" for name in ("evaluate.Bootstrap", "evaluate.Recovery", "worlds.Objectworld")
}
autodoc_typehints = "none"
numpydoc_show_class_members = False

# --- look -----------------------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "hiql"
html_static_path = ["_static", *(["_build/mathjax"] if MATHJAX.exists() else [])]
html_css_files = ["hiql.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "start": [], "which_method": [], "limitations": []}


# --- docstrings -----------------------------------------------------------------------------------------------


def describe_on_a_line_of_its_own(_app, _what, _name, _obj, _options, lines):
    """Docstrings say ``name : what it is``; numpydoc takes what follows a colon for a type, and prints it so."""
    for i, line in reversed(list(enumerate(lines))):
        section = next((lines[j - 1] for j in range(i, 0, -1) if re.fullmatch(r"-{3,}", lines[j])), "")
        entry = re.fullmatch(r"(\w[\w, ]*) : (.*)", line)
        if section in {"Parameters", "Attributes"} and entry:
            lines[i : i + 1] = [entry[1], f"    {entry[2]}"]


def setup(app):
    app.connect("autodoc-process-docstring", describe_on_a_line_of_its_own, priority=400)
