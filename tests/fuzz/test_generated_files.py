"""Tables and documents that hypothesis makes up: read faithfully or refused, never anything else."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hiql
from hiql.errors import HiqlError, ModelFileError
from tests.fuzz.targets import fit_quickly, models

pytestmark = pytest.mark.slow
THOROUGH = settings(max_examples=1500, suppress_health_check=list(HealthCheck))

CELLS = st.one_of(
    st.integers(-3, 5).map(str),
    st.sampled_from(["", " ", "NA", "nan", "None", "-", ".", "?", "inf", "1e400", "1.0", "01", "True", "9" * 25, "+1"]),
    st.floats().map(str),
    st.integers().map(str),
    st.dates().map(str),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
NAMES = st.sampled_from(["session", "state", "action", "step", " state", "State", "subject", "", "x"])


@st.composite
def tables(draw):
    """Lines of cells under a header, with any delimiter, line end, encoding and raggedness."""
    names = draw(st.permutations(["session", "state", "action"])) + draw(st.lists(NAMES, max_size=3))
    n_rows = draw(st.integers(0, 8))
    rows = [draw(st.lists(CELLS, min_size=len(names), max_size=len(names))) for _ in range(n_rows)]
    if rows and draw(st.booleans()):
        rows[-1] = rows[-1][: draw(st.integers(0, len(names)))] + draw(st.lists(CELLS, max_size=2))
    delimiter, end = draw(st.sampled_from([",", ";", "\t", "|", " "])), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    quote = draw(st.sampled_from(["", '"']))
    lines = [delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in [names, *rows]]
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    return (end.join(lines) + end).encode(encoding, errors="replace")


@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
@THOROUGH
@given(tables(), st.booleans())
def test_generated_tables(content, known_size):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        with suppress(HiqlError):
            fit_quickly(hiql.read_table(path, n_states=9 if known_size else None))


KINDS = ["tuple", "dict", "array", "sparse", "float"]
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just(10**40)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.builds(
            lambda kind, value: {kind: value}, st.sampled_from(["tuple", "dict", "array", "sparse", "float"]), inner
        ),
        st.builds(
            lambda kind, value: {"type": kind, "fields": value},
            st.sampled_from(["MDP", "World", "MarkovChain", "IAVI", "Restarts", "Attempt", "Coding", "ExpectedIQL"]),
            inner,
        ),
    ),
    max_leaves=6,
)


def use(model):
    """What loads as a model also works as one."""
    coding = model.coding_
    labels = {"state_labels": coding.state_labels, "action_labels": coding.action_labels}
    sizes = {"n_states": coding.n_states, "n_actions": coding.n_actions}
    data = hiql.Trajectories.from_arrays([[0, 1, 2]], [[0, 1, 2]], **sizes, **labels)
    assert np.isfinite(model.score(data))
    assert np.isfinite(model.smooth_proba(data)).all()
    assert set(model.decode(data)) <= set(range(model.n_intentions))


def places(tree, at=()):
    """Where in a document something could be put instead."""
    yield at
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(inner, (*at, key))


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    models(folder)
    with zipfile.ZipFile(folder / "model") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@THOROUGH
@given(st.data())
def test_generated_documents(content, data):
    document = json.loads(content["model.json"])
    *way, last = data.draw(st.sampled_from([place for place in places(document) if place]))
    inner = document
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(VALUES)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.hiql"
        with zipfile.ZipFile(path, "w") as archive:
            for name, entry in (content | {"model.json": json.dumps(document)}).items():
                archive.writestr(name, entry)
        with suppress(ModelFileError):
            use(hiql.load(path))
