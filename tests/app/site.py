"""A page to knock at: a workspace in a folder of the test, a reader in this process, and no fits unless wanted."""

from __future__ import annotations

import html
import re
import time
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from hiql.app.reading import read
from hiql.app.runs import Runs
from hiql.app.server import make_app
from hiql.app.workspace import Workspace

PORT = 8737
PATIENCE = 100.0
HOME = f"http://127.0.0.1:{PORT}"
TRACK = "session,state,action\n" + "".join(f"s{i // 20},{i % 3},{'ab'[i % 2]}\n" for i in range(80))


class Visitor:
    """A browser that knows the address."""

    def __init__(self, folder, runs=None, port=PORT, **options):
        self.workspace = Workspace(folder)
        self.runs = Runs(self.workspace, jobs=1) if runs is None else runs(self.workspace)
        self.token = self.workspace.token()
        self.app = make_app(self.workspace, self.token, port, read, self.runs, **options)
        self.client = TestClient(self.app, base_url=HOME, raise_server_exceptions=False, headers={"Origin": HOME})

    def get(self, path="/", **options):
        return self.client.get(f"/{self.token}{path}", **options)

    def post(self, path, form=None, **options):
        return self.client.post(f"/{self.token}{path}", data=form, **options)

    def send(self, content, name="table.csv"):
        text = content.encode() if isinstance(content, str) else content
        return self.post("/tables", params={"name": name}, content=text, headers={"Accept": "application/json"})

    def opened(self, content, name="table.csv"):
        """The path of the page of a table that was sent."""
        answer = self.send(content, name)
        assert answer.status_code == 201, answer.text
        return urlsplit(answer.json()["open"]).path.removeprefix(f"/{self.token}")

    def place(self, path):
        return self.workspace.place(path.rsplit("/", 1)[-1])


def until(true, patience=PATIENCE):
    """Wait for something; the value that it then has."""
    end = time.monotonic() + patience
    while not (value := true()):
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)
    return value


def shown(answer):
    """The text of a page, as it is read."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())
