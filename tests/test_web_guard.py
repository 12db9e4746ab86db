"""Who may talk to the studio: Host, Origin and token, by HTTP and on a socket."""

import asyncio
import os

import pytest

from backemf.errors import ParameterError
from backemf.web.address import from_query, number_of, pack, to_query, unpack
from backemf.web.guard import COOKIE, Guard
from backemf.web.state_folder import forget_old, keep_secret


async def inner(scope, receive, send):
    """What is guarded."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def ask(kind="http", query="", host="127.0.0.1", token="", **headers: str) -> list[dict]:
    """What the guard sends for a request with these headers."""
    sent: list[dict] = []
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": kind, "path": "/look", "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in names.items()],
    }  # fmt: skip

    async def send(message):
        sent.append(message)

    async def receive():
        return {}

    asyncio.run(Guard(inner, host, token)(scope, receive, send))
    return sent


@pytest.mark.parametrize("host", ["127.0.0.1:8337", "localhost:8337", "[::1]:8337"])
def test_the_studio_itself_may(host):
    """With its own name, and from its own pages."""
    assert ask(Host=host)[0]["status"] == 200
    assert ask(Host=host, Origin=f"http://{host}")[0]["status"] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": ""},
        {"Host": "127.0.0.1:8337", "Origin": "http://evil.example"},
        {"Host": "127.0.0.1:8337", "Origin": "null"},
        {"Host": "127.0.0.1:8337", "Origin": "http://127.0.0.1:9999"},
        {"Host": "127.0.0.1:8337", "Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ],
)
def test_others_may_not(headers):
    """Neither a rebound name nor a page of another site, by HTTP or on a socket."""
    assert ask(**headers)[0]["status"] == 403
    closed = ask(kind="websocket", **headers)
    assert [message["type"] for message in closed] == ["websocket.close"]


def test_a_link_from_elsewhere_may_be_followed():
    """Clicking on a link to a studio is no attack."""
    headers = {"Host": "127.0.0.1:8337", "Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert ask(**headers)[0]["status"] == 200


def test_no_page_may_frame_it():
    """Every answer says so."""
    names = dict(ask(Host="127.0.0.1")[0]["headers"])
    assert b"frame-ancestors 'none'" in names[b"content-security-policy"]


def test_another_machine_needs_the_token():
    """The link sets a cookie and leaves the address; without it nothing is shown."""
    other = {"host": "0.0.0.0", "token": "right", "Host": "192.168.1.5:8337"}
    assert ask(**other)[0]["status"] == 403
    assert ask(**other, query="token=wrong")[0]["status"] == 403
    moved = ask(**other, query="m=a&token=right")[0]
    assert moved["status"] == 303
    headers = dict(moved["headers"])
    assert headers[b"location"] == b"/look?m=a"
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert ask(**other, Cookie=f"{COOKIE}=right")[0]["status"] == 200
    assert ask(**other, Cookie=f"{COOKIE}=wrong")[0]["status"] == 403
    assert ask(kind="websocket", **other)[0]["type"] == "websocket.close"
    assert ask(host="0.0.0.0", token="right", Host="a.example", Cookie=f"{COOKIE}=right")[0]["status"] == 403


def test_a_state_and_its_address():
    """Every text comes back, and a packed one too."""
    state = {"m": "maxon-re40-148877,mit-mini-cheetah", "cmd": "step value=24V time=10ms", "q": "a&b=c ü", "empty": ""}
    assert from_query(to_query(state)) == {name: text for name, text in state.items() if text}
    text = 'name = "ü"\n' * 50
    assert unpack(pack(text)) == text
    assert from_query(to_query({"m": pack(text)}))["m"] == pack(text)


@pytest.mark.parametrize("damaged", ["~", "~abc", "~!!", pack("x" * 9000)[:-9]])
def test_a_damaged_address_is_one_sentence(damaged):
    with pytest.raises(ParameterError, match="cut off or damaged"):
        unpack(damaged)


def test_a_small_address_cannot_hold_gigabytes():
    """A bomb is not unpacked."""
    import base64
    import zlib

    bomb = "~" + base64.urlsafe_b64encode(zlib.compress(b"0" * 50_000_000, 9)).decode()
    assert len(bomb) < 100_000
    with pytest.raises(ParameterError):
        unpack(bomb)


def test_numbers_of_an_address():
    """A number, none, and what is no finite number is one sentence."""
    assert number_of({"v": "24.5"}, "v") == 24.5 and number_of({"v": ""}, "v") is None and number_of({}, "v") is None
    for wrong in ("fast", "nan", "inf", "1e999"):
        with pytest.raises(ParameterError, match=f"v={wrong}: must be a number"):
            number_of({"v": wrong}, "v")


def test_a_secret_outlives_the_program(tmp_path):
    """The same after a restart, another in another folder."""
    (tmp_path / "other").mkdir()
    assert keep_secret(tmp_path) == keep_secret(tmp_path) != keep_secret(tmp_path / "other")
    assert len(keep_secret(tmp_path)) >= 32


def test_old_files_are_forgotten_by_their_pattern(tmp_path):
    """Only those that the pattern names and that are older than a day."""
    for name in ("storage-user-1.json", "storage-user-2.json", "secret"):
        (tmp_path / name).write_text("")
    for name in ("storage-user-1.json", "secret"):
        os.utime(tmp_path / name, (0, 0))
    forget_old(tmp_path, "storage-user-*.json")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["secret", "storage-user-2.json"]
    forget_old(tmp_path / "nowhere")
