"""The pages and calls of the live server, from outside."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.report.web import training as live_training
from longreach.report.web.playground import PARTS
from longreach.report.web.workers import LiveLimits
from tests.helpers.examples import at_most
from tests.helpers.extras import needs
from tests.helpers.live_server import LiveServer, live_server
from tests.helpers.paths import ROOT
from tests.helpers.report_samples import several

pytestmark = [needs("starlette"), needs("uvicorn")]

CLIENTS, CALLS = 50, 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    runs = tmp_path_factory.mktemp("live") / "runs"
    runs.mkdir()
    several(runs, "aa", "ape", 1.0, 0.9)
    with live_server(runs) as found:
        yield found


def test_pages_have_a_strict_policy_and_ask_nobody_else(server: LiveServer) -> None:
    for path in ("/", "/playground"):
        found = server.send("GET", path)
        policy = found.headers["content-security-policy"]
        assert found.status == 200
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert b"http-equiv" not in found.body
        assert found.headers["x-content-type-options"] == "nosniff"
    assert b'href="/playground"' in server.send("GET", "/").body


def test_the_report_is_that_of_the_directory_as_it_is_now(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with live_server(runs) as server:  # which is not there yet
        before, stamp = server.send("GET", "/").body, server.send("GET", "/api/stamp").document["stamp"]
        runs.mkdir()
        several(runs, "aa", "ape", 1.0, 0.9)
        assert server.send("GET", "/api/stamp").document["stamp"] != stamp
        after = server.send("GET", "/").body
        assert before != after
        assert server.send("GET", "/api/stamp").document["stamp"].encode() in after


def test_every_part_answers_for_every_kind(server: LiveServer) -> None:
    subjects = [
        {"kind": "regex", "text": "(aa)*", "alphabet": "a"},
        {"kind": "automaton", "text": '{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}'},
        {"kind": "program", "text": '#alphabet a\nL = # "a" >= 2'},
    ]
    for subject in subjects:
        for part in PARTS:
            found = server.part(part, **subject, word="aa")
            assert found.status == 200, (part, subject, found.body)


def test_nothing_but_the_pages_is_read_from_disk(server: LiveServer) -> None:
    for path in (
        "/static/../live_app.py",
        "/static/%2e%2e%2flive_app.py",
        "/static/playground.html",
        "/static//etc/passwd",
        "/etc/passwd",
        "/static/..%5clive_app.py",
        "/api/trainings/../stamp/x",
    ):
        assert server.send("GET", path).status == 404, path
    assert server.send("GET", "/static/playground.js").status == 200
    # A name of a file is the text of a program, not a file.
    found = server.part("verdicts", kind="program", text="/etc/passwd")
    assert found.status == 422
    assert b"root:" not in found.body
    assert server.part("verdicts", kind="automaton", text="/etc/passwd").status == 422


def test_other_sites_and_other_names_are_refused(server: LiveServer) -> None:
    call = {"kind": "regex", "text": "a"}
    assert server.post("/api/parts/verdicts", call, Host="evil.example").status == 421
    assert server.send("GET", "/", Host="evil.example:80").status == 421
    assert server.post("/api/parts/verdicts", call, Origin="http://evil.example").status == 403
    assert server.post("/api/parts/verdicts", call, Origin="null").status == 403
    assert server.post("/api/parts/verdicts", call, Origin="http://[").status == 403
    assert server.post("/api/parts/verdicts", call, Sec_Fetch_Site="cross-site").status == 403
    assert server.send("GET", "/api/stamp", Sec_Fetch_Site="same-site").status == 403
    # What a form of another page can send without asking.
    assert server.send("POST", "/api/trainings", b"{}", Content_Type="text/plain").status == 415
    own = f"http://127.0.0.1:{server.port}"
    assert server.post("/api/parts/verdicts", call, Origin=own, Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize(
    ("path", "document", "status"),
    [
        ("/api/parts/verdicts", {"kind": "regex", "text": "(a"}, 422),
        ("/api/parts/verdicts", {"kind": "regex", "text": "a" * 30_000}, 422),
        ("/api/parts/verdicts", {"kind": "regex", "text": "a" * 100_000}, 413),
        ("/api/parts/verdicts", {"kind": "regex"}, 422),
        ("/api/parts/verdicts", {"kind": "python", "text": "1"}, 422),
        ("/api/parts/verdicts", {"kind": "regex", "text": "a", "alphabet": 7}, 422),
        ("/api/parts/trace", {"kind": "regex", "text": "a*", "word": "aab"}, 422),
        ("/api/parts/trace", {"kind": "regex", "text": "a*", "word": "a" * 61}, 422),
        ("/api/parts/trace", {"kind": "regex", "text": "a*", "side": "rope"}, 422),
        ("/api/parts/verdicts", {"kind": "regex", "text": "\ud800"}, 422),
        ("/api/parts/verdicts", {"kind": "regex", "text": "a", "alphabet": "a\udfff"}, 422),
        ("/api/parts/trace", {"kind": "regex", "text": "a*", "word": "\ud800"}, 422),
        ("/api/parts/no-such-part", {"kind": "regex", "text": "a"}, 404),
        ("/api/parts/task", {"kind": "regex", "text": "a"}, 404),
        ("/api/trainings", {"kind": "regex", "text": "a*", "minutes": 1e9}, 422),
        ("/api/trainings", {"kind": "regex", "text": "(a"}, 422),
        ("/api/trainings", {"kind": "regex", "text": "a*", "seeds": "many"}, 422),
        ("/api/trainings", [], 422),
    ],
)  # fmt: skip
def test_bad_input_is_answered_with_a_message(
    server: LiveServer, path: str, document: Any, status: int
) -> None:
    found = server.post(path, document)
    assert found.status == status
    assert found.document["error"]


def test_names_are_compared_as_names(server: LiveServer) -> None:
    from longreach.report.web.app import RequestGuard

    assert server.send("GET", "/api/stamp", Host="LocalHost.").status == 200
    guard = RequestGuard(lambda *_: None, ["Lab.Example."], 100)  # type: ignore[arg-type, return-value]
    assert guard._refusal("GET", "/", {"host": "lab.example:8765"}) is None
    typed = server.send(
        "POST", "/api/parts/verdicts", b'{"kind": "regex", "text": "a"}', Content_Type="Application/JSON"
    )
    assert typed.status == 200


def test_what_may_be_trained_is_said(server: LiveServer, tmp_path: Path) -> None:
    found = server.send("GET", "/api/trainings").document
    assert found == {"running": [], "most": 1, "minutes": 10.0}
    with live_server(tmp_path, LiveLimits(trainings=0)) as other:
        refused = other.post("/api/trainings", {"kind": "regex", "text": "a*"})
        assert refused.status == 403
        assert "does not train" in refused.document["error"]


def test_a_task_that_is_hard_to_read_holds_nobody_up(tmp_path: Path) -> None:
    hard = {"kind": "regex", "text": "a?" * 2000, "minutes": 0.1}
    with (
        live_server(tmp_path, LiveLimits(workers=1, seconds=2.0)) as server,
        ThreadPoolExecutor(3) as clients,
    ):
        server.part("verdicts", kind="regex", text="a")  # the process has started
        posts = [clients.submit(server.post, "/api/trainings", hard) for _ in range(3)]
        time.sleep(0.3)
        begun = time.monotonic()
        assert server.send("GET", "/api/stamp").status == 200
        waited = time.monotonic() - begun
        statuses = sorted(post.result().status for post in posts)
    assert waited < 2.0
    assert 409 in statuses
    assert set(statuses) <= {201, 408, 409, 413, 422}


def test_calls_that_nobody_waits_for_hold_nobody_up(tmp_path: Path) -> None:
    body = json.dumps({"kind": "regex", "text": "a{4000}"}).encode()
    head = (
        "POST /api/parts/verdicts HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with live_server(tmp_path, LiveLimits(workers=1, seconds=30.0)) as server:
        server.part("verdicts", kind="regex", text="a")  # the process has started
        for _ in range(4):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(head.encode() + body)
                time.sleep(0.1)
        begun = time.monotonic()
        assert server.part("verdicts", kind="regex", text="(aa)*").status == 200
        assert time.monotonic() - begun < 20.0  # the four together take longer


PART = (
    b"POST /api/parts/verdicts HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{"
)
STAMP = b"GET /api/stamp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def received(client: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := client.recv(1 << 16):
            found += chunk
    return found


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (PART, [b"408"]),
        (PART[:40], [b"408"]),
        (STAMP + STAMP[:20], [b"200", b"408"]),
        (STAMP, [b"200"]),
        (b"", []),
    ],
    ids=["half a body", "half a header", "half a second header", "nothing more", "nothing"],
)
def test_a_request_that_does_not_come_is_not_waited_for(
    tmp_path: Path, sent: bytes, statuses: list[bytes]
) -> None:
    with (
        live_server(tmp_path, LiveLimits(reading=0.5)) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=60) as client,
    ):
        client.sendall(sent)
        assert re.findall(rb"HTTP/1.1 (\d+)", received(client)) == statuses


def test_a_request_that_comes_letter_by_letter_has_no_more_time(tmp_path: Path) -> None:
    with (
        live_server(tmp_path, LiveLimits(reading=0.5)) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=0.05) as client,
    ):
        begun, found = time.monotonic(), b""
        while not found:
            assert time.monotonic() - begun < 60
            with contextlib.suppress(TimeoutError, BrokenPipeError):
                client.sendall(b"G")
                found = client.recv(100)
        assert found.startswith(b"HTTP/1.1 408")


def test_answers_that_nobody_reads_are_given_up(tmp_path: Path) -> None:
    page = STAMP.replace(b"/api/stamp", b"/static/report.css")
    with live_server(tmp_path, LiveLimits(reading=0.5)) as server, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(60)
        client.connect(("127.0.0.1", server.port))
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            client.sendall(page * 1_000_000)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("limits", [LiveLimits(reading=120.0), LiveLimits(reading=120.0, connections=100)])
def test_half_sent_headers_keep_nobody_else_waiting(tmp_path: Path, limits: LiveLimits, address: str) -> None:
    with live_server(tmp_path, limits) as server, contextlib.ExitStack() as stack:
        there = ("127.0.0.1", server.port)
        try:
            other = stack.enter_context(socket.create_connection(there, 60, source_address=(address, 0)))
        except OSError:
            pytest.skip(f"{address} is not an address of this machine")
        for _ in range(300):
            client = stack.enter_context(socket.create_connection(there, timeout=60))
            client.sendall(PART[:40])
        assert server.send("GET", "/api/stamp").status == 200  # from the same address
        if address != "127.0.0.1" and limits.connections > 300:  # it was there first, and stays
            other.sendall(STAMP)
            assert other.recv(100).startswith(b"HTTP/1.1 200")
        with socket.create_connection(there, 60, source_address=(address, 0)) as late:
            late.sendall(STAMP)
            assert late.recv(100).startswith(b"HTTP/1.1 200")


def test_a_client_that_is_answered_on_all_its_connections_gets_no_more(tmp_path: Path) -> None:
    with live_server(tmp_path, LiveLimits(per_client=2, workers=1, seconds=30.0)) as server:
        body = json.dumps({"kind": "regex", "text": "a{4000}"}).encode()
        head = PART.partition(b"Content-Length")[0] + f"Content-Length: {len(body)}\r\n\r\n".encode()
        with contextlib.ExitStack() as stack:
            for _ in range(2):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                client.sendall(head + body)
            time.sleep(0.5)
            assert server.send("GET", "/api/stamp").status == 503


def test_it_ends_at_once_with_a_stream_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("longreach.report.web.app.ENDING", 60)  # seconds, for connections that stay
    monkeypatch.setattr(live_training, "MODULE", "tests.helpers.patient_training")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{os.environ.get('PYTHONPATH', '')}")
    with live_server(tmp_path) as server:
        found = server.post("/api/trainings", {"kind": "regex", "text": "a*", "minutes": 1})
        assert found.status == 201
        assert server.send("GET", "/api/trainings").document["running"] == [found.document]
        again = server.post("/api/trainings", {"kind": "regex", "text": "b*", "minutes": 1})
        assert again.status == 409
        assert again.document["running"] == [found.document]
        client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        path = f"/api/trainings/{found.document['training']}/events"
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        assert client.recv(10).startswith(b"HTTP/1.1")
        begun = time.monotonic()
    client.close()
    assert time.monotonic() - begun < 30
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


def test_bodies_that_are_no_documents(server: LiveServer) -> None:
    for body in (b"", b"{", b"\xff\xfe", b"[" * 5000, b"NaN", b'"text"'):
        found = server.send("POST", "/api/parts/verdicts", body, Content_Type="application/json")
        assert 400 <= found.status < 500, body[:10]
    assert server.send("DELETE", "/api/trainings/nobody").status == 404
    assert server.send("GET", "/api/trainings/nobody/events").status == 404
    assert server.send("PUT", "/api/trainings", b"{}").status == 405


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
SUBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["regex", "automaton", "program"]) | DOCUMENTS,
        "text": st.text(alphabet='ab()|*+?{}[],1\\"#=:\n&<', max_size=30) | DOCUMENTS,
        "alphabet": st.text(alphabet="ab,\\ ", max_size=5) | DOCUMENTS,
        "word": st.text(alphabet="ab c", max_size=10) | DOCUMENTS,
        "side": st.sampled_from(["nope", "ape"]) | DOCUMENTS,
    },
)


@settings(max_examples=at_most(60))
@given(st.sampled_from(list(PARTS)), SUBJECTS | DOCUMENTS)
def test_whatever_is_sent_is_answered_and_nothing_breaks(
    server: LiveServer, part: str, document: Any
) -> None:
    found = server.post(f"/api/parts/{part}", document)
    assert found.status in (200, 408, 422), (found.status, found.body, json.dumps(document))
    assert isinstance(found.document, dict)
    assert found.status == 200 or found.document["error"]


def test_many_clients_at_once_each_get_their_own_answer(server: LiveServer) -> None:
    def visit(number: int) -> list[str]:
        length = number % 7 + 1
        found = [server.part("verdicts", kind="regex", text=f"({'a' * length})*") for _ in range(CALLS)]
        assert {each.status for each in found} == {200}
        return [each.document["title"] for each in found]

    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(visit, range(CLIENTS)))
    assert answers == [[f"({'a' * (number % 7 + 1)})*"] * CALLS for number in range(CLIENTS)]


def test_a_call_that_takes_too_long_is_ended_and_others_go_on(tmp_path: Path) -> None:
    limits = LiveLimits(workers=1, seconds=0.05, waiting=1)
    with live_server(tmp_path, limits) as server:
        slow = server.part("profile", kind="regex", text="(a|b)*a(a|b){7}")
        assert slow.status == 408
        assert "seconds" in slow.document["error"]
    with live_server(tmp_path, LiveLimits(workers=1, seconds=60.0)) as server:
        assert server.part("verdicts", kind="regex", text="a*").status == 200
