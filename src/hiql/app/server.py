"""The server: addresses, and what happens there. Pages are made in :mod:`hiql.app.pages`."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from hiql.app import pages
from hiql.app.doors import IN_A_BOX, Doors
from hiql.app.examples import EXAMPLES
from hiql.app.reader import Read
from hiql.app.runs import Runs
from hiql.app.uploads import MOST_BYTES, receive, too_large
from hiql.app.wishes import Wishes, wishes_in
from hiql.app.workspace import READ, RESULTS, Place, Workspace, read_json
from hiql.errors import HiqlError
from hiql.export import write_table
from hiql.files import write_whole
from hiql.sweep.criteria import CRITERIA

MOST_BYTES_OF_A_FORM, MOST_FIELDS = 1_000_000, 1000
FULL = "The disk is full, or the folder cannot be written to. Nothing is lost; make room and try again."


def make_app(workspace: Workspace, token: str, port: int, read: Read, runs: Runs, most: int = MOST_BYTES) -> Doors:
    """The page of a workspace, behind its doors."""
    site = Site(workspace, read, runs, most)
    return Doors(Starlette(routes=site.routes(), exception_handlers=site.errors(), lifespan=site.life), token, port)


class Site:
    """What happens at each address."""

    def __init__(self, workspace: Workspace, read: Read, runs: Runs, most: int) -> None:
        self.workspace, self.read, self.runs, self.most = workspace, read, runs, most

    def routes(self) -> list[Route]:
        at = "/tables/{key:str}"
        return [
            Route("/", self.home),
            Route("/look.css", partial(_asset, "text/css", LOOK)),
            Route("/page.js", partial(_asset, "text/javascript", SCRIPT)),
            Route("/tables", self.upload, methods=["POST"]),
            Route("/examples", self.example, methods=["POST"]),
            Route(at, self.table),
            Route(f"{at}/state", self.state),
            Route(f"{at}/{{what:str}}", self.act, methods=["POST"]),
            Route(f"{at}/report", self.report),
            Route(f"{at}/everything.zip", self.everything),
            Route(f"{at}/files/{{name:str}}", self.file),
        ]

    def errors(self) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
        return {HiqlError: self.wrong, OSError: self.full, HTTPException: self.lost}

    @asynccontextmanager
    async def life(self, _: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(self.runs.resume)
        try:
            yield
        finally:
            await run_in_threadpool(self.runs.close)

    # --- pages ----------------------------------------------------------------------------------------------

    def home(self, request: Request) -> Response:
        shown = [(place, self.runs.state(place)) for place in self.workspace.places()]
        return HTMLResponse(pages.home(request.scope["root_path"], shown, self.most))

    def table(self, request: Request) -> Response:
        place = self._place(request)
        return HTMLResponse(pages.table(request.scope["root_path"], place, self.runs.state(place)))

    def state(self, request: Request) -> Response:
        state = self.runs.state(self._place(request))
        return JSONResponse(state | {"told": pages.told(state)})

    # --- tables come in -------------------------------------------------------------------------------------

    async def upload(self, request: Request) -> Response:
        """The body is the file, as it is; its name is in the query."""
        if int(request.headers.get("content-length", 0)) > self.most:
            raise too_large(self.most)
        name = request.query_params.get("name", "table")
        place = await run_in_threadpool(self.workspace.new, name, wishes=Wishes().plain())
        try:
            await receive(request.stream(), place.table, self.most)
            await run_in_threadpool(self._read, place)
        except BaseException:
            self.workspace.remove(place)
            raise
        return JSONResponse({"open": f"{request.scope['root_path']}/tables/{place.key}"}, 201)

    async def example(self, request: Request) -> Response:
        wanted = (await _form(request)).get("name", [""])[0]
        if wanted not in EXAMPLES:
            raise HTTPException(404)
        place = await run_in_threadpool(self._made, wanted)
        return _to(request, place)

    def _made(self, name: str) -> Place:
        example = EXAMPLES[name]
        place = self.workspace.new(
            example.file, wishes=example.wishes.plain(), made=[*example.command, f"--out={example.file}"]
        )
        write_table(place.table, example.make())
        self._read(place)
        return place

    def _read(self, place: Place) -> None:
        """Read the table as it is wished for, and keep what was found."""
        found = self.read(str(place.table), place.about["wishes"])
        write_whole(place.folder / READ, json.dumps(found, ensure_ascii=False))

    # --- and things are done with them ----------------------------------------------------------------------

    async def act(self, request: Request) -> Response:
        """What the buttons of a table's page do."""
        place, form = self._place(request), await _form(request)
        actions = {"read": self._correct, "run": self._run, "stop": self._stop, "remove": self._remove}
        if request.path_params["what"] not in actions:
            raise HTTPException(404)
        await run_in_threadpool(actions[request.path_params["what"]], place, form)
        gone = not place.folder.exists()
        return RedirectResponse(f"{request.scope['root_path']}/", 303) if gone else _to(request, place)

    def _correct(self, place: Place, form: dict[str, list[str]]) -> None:
        columns = read_json(place.folder / READ).get("columns", [])
        said = {each["name"]: form.get(f"role-{i}", [""])[0] for i, each in enumerate(columns)}
        kept = wishes_in(place.about["wishes"]).plain() | {name: _text(form, name) for name in ("missing", "memory")}
        kept["roles"] = said
        place.note(wishes=wishes_in(kept).plain())
        self._read(place)

    def _run(self, place: Place, form: dict[str, list[str]]) -> None:
        if self.runs.state(place)["stage"] in {"running", "waiting"}:
            return
        if form:
            asked = {
                name: ",".join(value.strip() for value in values if value.strip()) for name, values in form.items()
            }
            kept = place.about["wishes"] | {name: asked.get(name, "") for name in pages.CHOICES}
            kept |= {"by": ""} if kept["by"] == next(iter(CRITERIA)) else {}  # the command's own choice
            place.note(wishes=wishes_in(kept).plain())
        self.runs.start(place)

    def _stop(self, place: Place, _: dict[str, list[str]]) -> None:
        self.runs.stop(place)

    def _remove(self, place: Place, _: dict[str, list[str]]) -> None:
        self.runs.stop(place)
        self.workspace.remove(place)

    # --- what was found -------------------------------------------------------------------------------------

    def report(self, request: Request) -> Response:
        path = self._place(request).results / "report.html"
        if not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": IN_A_BOX})

    def file(self, request: Request) -> Response:
        """One of the files that are there: a name is compared with theirs, and never made a path."""
        place = self._place(request)
        found = [path for path in (*place.files(), place.table) if path.name == request.path_params["name"]]
        if not found:
            raise HTTPException(404)
        return FileResponse(
            found[0],
            filename=found[0].name,
            media_type="application/octet-stream",
            content_disposition_type="attachment",
        )

    def everything(self, request: Request) -> Response:
        place = self._place(request)
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in place.files():
                packed.write(path, f"{RESULTS}/{path.name}")
            packed.write(place.table, place.table.name)
            packed.writestr("commands.txt", "\n".join(pages.commands_of(place)) + "\n")
        named = {"Content-Disposition": f'attachment; filename="{place.table.stem}-hiql.zip"'}
        return Response(content.getvalue(), media_type="application/zip", headers=named)

    # --- errors ---------------------------------------------------------------------------------------------

    async def wrong(self, request: Request, error: Exception) -> Response:
        return self._sorry(request, str(error), 422)

    async def full(self, request: Request, error: Exception) -> Response:
        is_full = getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}
        return self._sorry(request, FULL if is_full else "The folder could not be read or written.", 507)

    async def lost(self, request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        return self._sorry(request, "There is nothing here." if status == 404 else "This cannot be done here.", status)

    def _sorry(self, request: Request, text: str, status: int) -> Response:
        """For scripts as JSON, for people as a page."""
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"error": text}, status)
        return HTMLResponse(pages.sorry(request.scope["root_path"], text), status)

    def _place(self, request: Request) -> Place:
        place = self.workspace.place(request.path_params["key"])
        if place is None:
            raise HTTPException(404)
        return place


def _to(request: Request, place: Place) -> Response:
    return RedirectResponse(f"{request.scope['root_path']}/tables/{place.key}", 303)


def _text(form: dict[str, list[str]], name: str) -> str:
    return form.get(name, [""])[0].strip()


async def _form(request: Request) -> dict[str, list[str]]:
    """The fields of a form that is short enough."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES_OF_A_FORM:
            raise HTTPException(413)
    try:
        return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400) from error


async def _asset(kind: str, texts: tuple[tuple[str, str], ...], _: Request) -> Response:
    """A style sheet or a script of ours, from files of packages."""
    return Response(
        "\n".join(files(room).joinpath(name).read_text(encoding="utf-8") for room, name in texts), media_type=kind
    )


LOOK = ("hiql.report", "report.css"), ("hiql.app", "app.css")
SCRIPT = (("hiql.app", "page.js"),)
