"""Who may come in: attacks from other pages, other names of this computer, other browsers."""

from __future__ import annotations

import pytest

from tests.app.site import HOME, PORT, TRACK, Visitor


@pytest.fixture
def visitor(tmp_path):
    return Visitor(tmp_path / "app")


def test_who_has_the_address_comes_in(visitor):
    assert visitor.get().status_code == 200
    assert visitor.client.get(f"http://localhost:{PORT}/{visitor.token}/").status_code == 200


@pytest.mark.parametrize("address", ["/", "/tables", "/look.css", "/{}x/", "/{:.42}/", "/%00/", "/é/", "//{}/"])
def test_without_the_token_there_is_nothing(visitor, address):
    answer = visitor.client.get(address.format(visitor.token))
    assert answer.status_code == 403
    assert visitor.token not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"127.0.0.1.evil.example:{PORT}",
        f"0.0.0.0:{PORT}",
        "",
    ],
)
def test_a_name_that_was_turned_to_this_computer_is_not_ours(visitor, host):
    """DNS rebinding: the browser believes it speaks to evil.example, and says so."""
    assert visitor.get(headers={"Host": host}).status_code == 403
    posted = visitor.post("/examples", {"name": "bandit"}, headers={"Host": host, "Origin": f"http://{host}"})
    assert posted.status_code == 403
    assert visitor.workspace.places() == []


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        f"https://127.0.0.1:{PORT}",
        f"{HOME}.evil.example",
        "http://127.0.0.1:80",
        "",
        HOME + "/",
    ],
)
def test_a_page_elsewhere_can_start_nothing_even_if_it_knew_the_token(visitor, origin):
    path = visitor.opened(TRACK)
    for what in ("/tables", "/examples", f"{path}/run", f"{path}/read", f"{path}/stop", f"{path}/remove"):
        answer = visitor.post(what, {"name": "bandit"}, headers={"Origin": origin})
        assert answer.status_code == 403
    assert len(visitor.workspace.places()) == 1
    assert visitor.runs.state(visitor.place(path))["stage"] == "new"


def test_a_request_that_does_not_say_where_it_comes_from_changes_nothing(visitor):
    del visitor.client.headers["Origin"]
    assert visitor.post("/examples", {"name": "bandit"}).status_code == 403
    assert visitor.get().status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_do_nothing(visitor, method):
    path = visitor.opened(TRACK)
    assert visitor.client.request(method, f"/{visitor.token}{path}").status_code == 405
    assert visitor.place(path) is not None


def test_pages_may_run_nothing_inline_and_be_framed_by_nobody(visitor):
    for path in ("/", visitor.opened(TRACK), "/look.css", "/page.js"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        headers = answer.headers
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers


def test_the_token_is_long_kept_and_for_the_owner_only(visitor, tmp_path):
    assert len(visitor.token) == 43
    assert Visitor(tmp_path / "app").token == visitor.token
    assert (tmp_path / "app" / "token").stat().st_mode & 0o077 == 0
    (tmp_path / "app" / "token").write_text("short")
    assert len(Visitor(tmp_path / "app").token) == 43


def test_a_websocket_is_refused(visitor):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), visitor.client.websocket_connect(f"/{visitor.token}/"):
        pass
