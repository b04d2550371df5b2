"""Finding a published file: a local folder first, then a download into the user's cache; always checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hiql.errors import DatasetUnavailable

DATA_DIR = "HIQL_DATA_DIR"


def fetch(name: str, url: str, sha256: str) -> Path:
    """The path of a data file ``name`` (such as "labyrinth/x.npy"), complete and with the right checksum."""
    folder = os.environ.get(DATA_DIR)
    if folder:
        return _local(Path(folder) / name, name, sha256)
    return _downloaded(name, url, sha256)


def local(name: str, sha256: str) -> Path:
    """The path of a data file that is found in the folder ``HIQL_DATA_DIR`` only."""
    folder = os.environ.get(DATA_DIR)
    if not folder:
        remedy = f"set {DATA_DIR} to a folder that holds it"
        raise DatasetUnavailable(name=name, problem=f"{DATA_DIR} is not set, and it is not downloaded", remedy=remedy)
    return _local(Path(folder) / name, name, sha256)


def _local(path: Path, name: str, sha256: str) -> Path:
    if not path.is_file():
        raise DatasetUnavailable(
            name=name,
            problem=f"{path} does not exist",
            remedy=f"correct or unset {DATA_DIR} to download it from its source",
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise DatasetUnavailable(
            name=name, problem=f"{path} is not the published file (its sha256 differs)", remedy="get it again"
        )
    return path


def _downloaded(name: str, url: str, sha256: str) -> Path:
    import pooch  # heavy, and only needed here

    try:
        return Path(
            pooch.retrieve(
                url,
                known_hash=f"sha256:{sha256}",
                fname=Path(name).name,
                path=pooch.os_cache("hiql") / Path(name).parent,
            )
        )
    except (OSError, ValueError) as error:
        raise DatasetUnavailable(
            name=name,
            problem=f"it could not be downloaded from {url} ({error})",
            remedy=f"connect to the network, or set {DATA_DIR} to a folder that holds {name}",
        ) from error
