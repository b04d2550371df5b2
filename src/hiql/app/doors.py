"""Who may come in: only a page of ours, on this computer, that knows the secret part of the address.

Every address begins with a random token, compared in constant time. A request must be made to the loopback address by
name or number (a page elsewhere whose name was turned to 127.0.0.1, "DNS rebinding", asks for its own name), and
whatever changes anything must come from a page of ours (``Origin``). Wrong requests get the same short answer.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

READING = {"GET", "HEAD"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What our own pages may do: nothing inline, nothing from elsewhere, nobody may frame them."""
IN_A_BOX = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Reports bring a stricter policy of their own (scripts by their hash); this one adds an origin apart from ours."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # the token is in the address; "no-referrer" would hide Origin from us, too
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SHUT = "This is not the whole address. Open the one that hiql app has printed, or open.html in its folder.\n"


class Doors:
    """An ASGI application behind doors: what comes in has the token taken off its path."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif problem := self.problem(scope):
            await PlainTextResponse(problem, 403, headers=HEADERS)(scope, receive, send)
        else:
            prefix = f"/{self.token}"
            inner = {**scope, "root_path": scope.get("root_path", "") + prefix}
            await self.app(inner, receive, _with(send, HEADERS | {"Content-Security-Policy": POLICY}))

    def problem(self, scope: Scope) -> str:
        """Why a request is turned away; empty if it is not."""
        headers = Headers(scope=scope)
        if headers.getlist("host")[:2] not in [[host] for host in self.hosts]:
            return "This page answers to 127.0.0.1 and localhost only.\n"
        given = scope["path"].split("/")[1]
        if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.token.encode()):
            return SHUT
        if scope["method"] not in READING and headers.get("origin", "").removeprefix("http://") not in self.hosts:
            return "Only a page of hiql app may do this.\n"
        return ""


def _with(send: Send, headers: Mapping[str, str]) -> Send:
    """Send with further headers, unless the answer has its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = MutableHeaders(scope=message)
            for name, value in headers.items():
                own.setdefault(name, value)
        await send(message)

    return sending
