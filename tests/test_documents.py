"""The examples of README and CONTRIBUTING run as printed; the API pages miss no public name."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

from hiql.cli.simulate import SIMULATORS

ROOT = Path(__file__).parent.parent


def blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, i) for name in ("README.md", "CONTRIBUTING.md") for i in range(len(blocks(name)))],
)
def test_examples_run_as_printed(name, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(name)[number], name, "exec", dont_inherit=True), {"__name__": "__main__"})


def test_there_are_examples():
    assert len(blocks("README.md")) == 1
    assert len(blocks("CONTRIBUTING.md")) == 3


def test_no_file_names_a_machine_path_or_records_download_addresses():
    assert not list(ROOT.glob("*.lock"))
    assert "://" not in (ROOT / "constraints.txt").read_text()


# --- the documentation ----------------------------------------------------------------------------------------

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if not {"_build", "generated"} & set(path.parts))
PACKAGES = (
    *("hiql", "hiql.worlds", "hiql.parts", "hiql.dynamics", "hiql.choices", "hiql.rewards"),
    *("hiql.baselines", "hiql.evaluate", "hiql.sweep"),
    *("hiql.export", "hiql.plots", "hiql.report", "hiql.datasets", "hiql.errors"),
)


def api_page(package):
    return (DOCS / "api" / f"{package.split('.')[-1]}.md").read_text()


def public_names(package):
    """Those of ``__all__``; the errors are all classes of their module."""
    module = importlib.import_module(package)
    own_classes = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == package]
    return getattr(module, "__all__", [name for name in own_classes if inspect.isclass(getattr(module, name))])


def summarised(package):
    """Names in the lists from which pages are generated."""
    lists = re.findall(r"\.\. autosummary::\n((?: +.*\n|\n)*)", api_page(package))
    lines = [line.strip() for part in lists for line in part.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def named_in_text(package):
    """Names of the package that its page mentions as code or as a link, such as `hiql.export.METHODS`."""
    return set(re.findall(rf"`~?{re.escape(package)}\.(\w+)`", api_page(package)))


def found(dotted):
    """The object of a dotted name; functions go before the modules that are called like them."""
    head, _, tail = dotted.rpartition(".")
    parent = found(head) if head else None
    return getattr(parent, tail) if hasattr(parent, tail) else importlib.import_module(dotted)


@pytest.mark.parametrize("package", PACKAGES)
def test_api_pages_miss_no_public_name(package):
    missing = set(public_names(package)) - set(summarised(package)) - named_in_text(package)
    assert not missing, f"docs/api: add {sorted(missing)} to the page of {package}"


@pytest.mark.parametrize("package", PACKAGES)
def test_api_pages_list_nothing_twice_and_nothing_that_does_not_exist(package):
    names = summarised(package)
    assert len(names) == len(set(names))
    assert not [name for name in names if not callable(found(f"{package}.{name}"))]


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_have_docstrings(package):
    values = {name: getattr(importlib.import_module(package), name) for name in public_names(package)}
    made_up = [
        name
        for name, value in values.items()
        if (inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value))
        and (not value.__doc__ or value.__doc__.startswith(f"{name}("))  # dataclasses and named tuples make one up
    ]
    assert not made_up


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_pages_name_only_what_exists(page):
    links = re.findall(r"\{(?:func|class|mod|meth)\}`[^`]*?~?(hiql[\w.]*)>?`", page.read_text())
    for name in links:
        found(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_pages_name_no_machine_path(page):
    assert not re.search(r"(?<![\w.])/(?:work|tmp|home|root|Users)/", page.read_text())


def test_every_command_has_its_help_in_the_api():
    text = (DOCS / "api" / "command_line.md").read_text()
    for command in ("demo", "info", "fit", "select", "decode", "report", "live", "app"):
        assert f'show("{command}")' in text
    for command in SIMULATORS:
        assert f'show("simulate", "{command}")' in text
    for command in ("gridworld", "labyrinth", "reversal", "related"):
        assert f'show("reproduce", "{command}")' in text
