"""The folder in which the page keeps what it was given and what it found: one folder a table.

Only names made here reach the file system: a folder is called by 16 random hexadecimal digits, and a table by its own
name with everything but plain letters, digits and ``._-`` replaced.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from hiql.errors import InvalidParameter
from hiql.files import write_whole

KEY = re.compile(r"[0-9a-f]{16}")
ABOUT, READ = "about.json", "read.json"
RESULTS = "results"
LONGEST_NAME = 80
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""
NOTING = Lock()
"""Two threads of the server may have news of one table."""
ENDINGS = (".csv.gz", ".tsv.gz", ".csv", ".tsv", ".txt", ".parquet")
OTHER = ".table"
"""So that no table can be called like a file of ours."""


@dataclass(frozen=True)
class Place:
    """The folder of one table."""

    folder: Path

    @property
    def key(self) -> str:
        return self.folder.name

    @property
    def about(self) -> dict[str, Any]:
        """What is kept of a table beside itself: its name, when it came, what is wanted; empty if it is damaged."""
        return read_json(self.folder / ABOUT)

    def note(self, **news: Any) -> None:
        """Keep more of it."""
        with NOTING:
            write_whole(self.folder / ABOUT, json.dumps(self.about | news, ensure_ascii=False))

    @property
    def table(self) -> Path:
        return self.folder / safe_name(str(self.about.get("name", "")))

    @property
    def results(self) -> Path:
        return self.folder / RESULTS

    def files(self) -> list[Path]:
        """What was found, as files one may take away."""
        wanted = {".csv", ".hiql", ".html", ".png", ".svg", ".parquet"}
        found = sorted(self.results.iterdir()) if self.results.is_dir() else []
        return [path for path in found if path.suffix in wanted and not path.name.startswith(".") and path.is_file()]


class Workspace:
    """All tables, the newest first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            remedy = f"choose a folder that can be made ({error})"
            raise InvalidParameter(parameter="workspace", value=str(folder), remedy=remedy) from error

    def places(self) -> list[Place]:
        folders = [path for path in self.folder.iterdir() if KEY.fullmatch(path.name) and (path / ABOUT).is_file()]
        return sorted(map(Place, folders), key=lambda place: (place.about.get("came", ""), place.key), reverse=True)

    def place(self, key: str) -> Place | None:
        """The place of this key; None where there is none."""
        found = Place(self.folder / key)
        return found if KEY.fullmatch(key) and (found.folder / ABOUT).is_file() else None

    def new(self, name: str, **about: Any) -> Place:
        """A place for a table that the user calls ``name``; the table itself is still to be written."""
        place = Place(self.folder / secrets.token_hex(8))
        place.folder.mkdir()
        came = datetime.now(UTC).isoformat(timespec="microseconds")
        place.note(name=name[:300], came=came, **about)
        return place

    def remove(self, place: Place) -> None:
        shutil.rmtree(place.folder, ignore_errors=True)

    def token(self) -> str:
        """The secret part of the address: made once, kept where only the owner of the folder can read it."""
        path = self.folder / "token"
        with suppress(OSError, UnicodeDecodeError):
            if re.fullmatch(r"[\w-]{43}", kept := path.read_text(encoding="ascii")):
                return kept
        made = secrets.token_urlsafe(32)
        write_private(path, made)
        return made


def safe_name(name: str) -> str:
    """A file's name that is harmless on every system, and still recognisable."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")
    ending = next((each for each in ENDINGS if plain.lower().endswith(each)), OTHER)
    stem = plain.removesuffix(plain[len(plain) - len(ending) :] if ending != OTHER else "").strip("._-")
    return ("table" if not stem or RESERVED.fullmatch(stem) else stem[:LONGEST_NAME]) + ending


def write_private(path: Path, text: str) -> None:
    """A file that nobody else can read, from its first moment on."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def read_json(path: Path) -> dict[str, Any]:
    """An object of JSON from a file; empty if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; what is none is passed over."""
    with suppress(OSError):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                found = json.loads(line)
                if isinstance(found, dict):
                    yield found
