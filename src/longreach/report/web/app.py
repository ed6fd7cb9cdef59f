"""The pages and calls of `longreach serve`, and its server.

A page of another site that is open in the same browser can send requests to this machine. So the name under
which the server was reached must be one of its own (against names that are pointed here), and what changes
something must come from its own pages.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import re
import socket
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longreach.errors import InputError
from longreach.report.render import TITLE, build, environment
from longreach.report.web.connections import Connection
from longreach.report.web.playground import PARTS, TASK
from longreach.report.web.training import Busy, Training, Trainings
from longreach.report.web.workers import LiveLimits, Reply, WorkerPool
from longreach.training.result import RESULT

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_META = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
PLAYGROUND = '<a href="/playground">Playground</a>'


@dataclass(frozen=True)
class LivePage:
    """A page, the policy that lets its own script and style through, and what it was made of."""

    html: str
    policy: str
    stamp: str


@dataclass
class LiveReport:
    """One report at a time is made; the last one is kept.

    >>> LiveReport(None).page().html.startswith("<!doctype html>")
    True
    """

    runs: Path | None
    _page: LivePage | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stamp(self) -> str:
        """Changes when a result comes, changes or goes."""
        if self.runs is None or not self.runs.is_dir():
            return "none"
        seen = hashlib.sha256()
        for path in sorted(self.runs.glob(f"*/{RESULT}")):
            try:
                seen.update(f"{path.parent.name} {path.stat().st_mtime_ns}\n".encode())
            except OSError:  # gone in between
                continue
        return seen.hexdigest()[:16]

    def page(self) -> LivePage:
        """The report as it is now."""
        with self._lock:
            stamp = self.stamp()
            if self._page is None or self._page.stamp != stamp:
                runs = self.runs if self.runs is not None and self.runs.is_dir() else None
                self._page = _live(build(runs, TITLE), stamp)
            return self._page


def _live(html: str, stamp: str) -> LivePage:
    """With a way to the playground, a look for news, and a policy that names its script and style by hash."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    policy = (
        f"default-src 'none'; script-src 'self' {' '.join(hashes['script'])}; "
        f"style-src 'self' {' '.join(hashes['style'])}; img-src data:; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    html = _META.sub("", html, count=1)
    html = html.replace("</nav>", f"{PLAYGROUND}\n</nav>", 1)
    news = f'<script src="/static/news.js" data-stamp="{stamp}" defer></script>\n</body>'
    return LivePage(html=news.join(html.rsplit("</body>", 1)), policy=policy, stamp=stamp)


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
)
SAFE = ("GET", "HEAD")
OWN_SITE = ("same-origin", "none")
"""What a browser says of requests that come from here, or that somebody typed."""


class RequestGuard:
    """Host, origin, method and size are checked; every answer has a strict policy for contents."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], body: int) -> None:
        self._app = app
        self._hosts = frozenset(map(plain_name, hosts))
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refusal(scope["method"], scope["path"], headers)
        if refused is not None:
            await _refuse(send, *refused)
            return
        await self._app(scope, _limited(receive, self._body), send)

    def _refusal(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, str] | None:
        if host_name(headers.get("host", "")) not in self._hosts:
            return 421, "this server does not go by that name; `longreach serve --name NAME` allows one"
        api = path.startswith("/api/")
        if api or method not in SAFE:
            if headers.get("sec-fetch-site", "none") not in OWN_SITE:
                return 403, "requests from other sites are refused"
            origin = headers.get("origin")
            if origin is not None and not _same(origin, headers.get("host")):
                return 403, "requests from other sites are refused"
        if (
            method == "POST"
            and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json"
        ):
            return 415, "application/json is expected"
        size = headers.get("content-length", "0")
        if not (size.isascii() and size.isdigit()):
            return 400, "the length of the request is no number"
        if int(size) > self._body:
            return 413, f"at most {self._body:,} bytes are read"
        return None


def host_name(host: str) -> str:
    """The name in a Host header, without the port.

    >>> host_name("127.0.0.1:8765"), host_name("[::1]:80"), host_name("localhost")
    ('127.0.0.1', '::1', 'localhost')
    """
    try:
        return plain_name(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return ""


def plain_name(host: str) -> str:
    """A name as it is compared: small letters, without the dot at the end that some write.

    >>> plain_name("Lab.Example.")
    'lab.example'
    """
    return host.lower().removesuffix(".")


def _same(origin: str, host: str | None) -> bool:
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


class Refused(Exception):
    """A request that is not answered: with a status as of HTTP, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def _limited(receive: Receive, most: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:  # it said nothing of its length
            raise Refused(413, "the request is too large")
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            known = {name.lower() for name, _ in headers}
            for name, value in (*HEADERS, ("content-security-policy", POLICY)):
                if name.encode() not in known:
                    headers.append((name.encode(), value.encode()))
            message = {**message, "headers": headers}
        await send(message)

    return sent


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


PAGES = Path(__file__).with_name("pages")
FILES = (
    "playground.js", "playground.css", "asking.js", "cards.js", "drawing.js", "theme.js", "training.js",
    "typed.js", "news.js",
)  # fmt: skip
"""All that is sent as it is; nothing else is looked up in the file system."""
TYPES = {".js": "text/javascript", ".css": "text/css"}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
BEAT = 15.0
"""Seconds after which a stream says that it is alive."""


def make_app(
    runs: Path,
    *,
    hosts: Iterable[str] = LOOPBACK,
    limits: LiveLimits | None = None,
    closing: asyncio.Event | None = None,
) -> ASGIApp:
    """The server over a results directory; `hosts` are the names under which it may be reached.

    Once `closing` is set, streams end and calls are given up, so that the server can end.
    """
    bounds, closes = limits or LiveLimits(), closing or asyncio.Event()
    report, pool = LiveReport(runs), WorkerPool(bounds)
    trainings = Trainings(runs, bounds, lambda document: pool.call(TASK, document))
    style = environment().get_template("style.css.jinja").render()

    async def overview(request: Request) -> Response:
        page = await run_in_threadpool(report.page)
        return Response(page.html, media_type="text/html", headers={"content-security-policy": page.policy})

    async def playground(request: Request) -> Response:
        return Response(_file("playground.html"), media_type="text/html")

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "report.css":
            return Response(style, media_type="text/css")
        if name not in FILES:
            return _said("no such file", 404)
        return Response(_file(name), media_type=TYPES[Path(name).suffix])

    async def stamp(request: Request) -> Response:
        return JSONResponse({"stamp": await run_in_threadpool(report.stamp)})

    async def part(request: Request) -> Response:
        name = request.path_params["part"]
        if name not in PARTS:
            return _said(f"no such part; there are {', '.join(PARTS)}", 404)
        document = await _document(request)
        reply = await _while_wanted(pool.call(name, document), request, closes)
        return JSONResponse(reply.document, reply.status)

    async def train(request: Request) -> Response:
        document = await _document(request)
        if not bounds.trainings:
            return _said("this server does not train; `longreach serve --trainings 1` does", 403)
        try:
            found = await trainings.start(document)
        except Busy:
            reason = "another training is running; wait for it or cancel it"
            return JSONResponse({"error": reason, "running": _named(trainings.running)}, 409)
        if isinstance(found, Reply):
            return JSONResponse(found.document, found.status)
        return JSONResponse({"training": found.name, "title": found.title}, 201)

    async def running(request: Request) -> Response:
        known = {"running": _named(trainings.running), "most": bounds.trainings, "minutes": bounds.minutes}
        return JSONResponse(known)

    def named(request: Request) -> Training:
        if (training := trainings.get(request.path_params["name"])) is None:
            raise Refused(404, "no such training")
        return training

    async def events(request: Request) -> Response:
        training = named(request)
        return StreamingResponse(_stream(training, closes), media_type="text/event-stream")

    async def cancel(request: Request) -> Response:
        training = named(request)
        await trainings.cancel(training)
        return JSONResponse({"training": training.name, "over": True})

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        async with pool.running():
            try:
                yield
            finally:
                await trainings.end()

    app = Starlette(
        routes=[
            Route("/", overview),
            Route("/playground", playground),
            Route("/static/{name}", static),
            Route("/api/stamp", stamp),
            Route("/api/parts/{part}", part, methods=["POST"]),
            Route("/api/trainings", running),
            Route("/api/trainings", train, methods=["POST"]),
            Route("/api/trainings/{name}/events", events),
            Route("/api/trainings/{name}", cancel, methods=["DELETE"]),
        ],
        lifespan=life,
        exception_handlers={
            InputError: _refused,
            Refused: _refused,
            404: _not_there,
            405: _not_there,
        },
    )
    return RequestGuard(app, hosts, bounds.body)


async def _document(request: Request) -> Any:
    try:
        return json.loads((await request.body()).decode("utf-8"))
    except (ValueError, RecursionError, ClientDisconnect):
        raise Refused(400, "the body is no JSON document") from None


async def _while_wanted(call: Coroutine[Any, Any, Reply], request: Request, closing: asyncio.Event) -> Reply:
    """The reply, unless the client disconnects first: the server would go on computing for nobody."""
    asked = asyncio.create_task(call)
    ends = [asyncio.create_task(_gone(request)), asyncio.create_task(closing.wait())]
    try:
        await asyncio.wait({asked, *ends}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise Refused(503, "the server ends")
        return asked.result()
    finally:
        for task in (asked, *ends):
            task.cancel()
        await asyncio.gather(asked, *ends, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _stream(training: Training, closing: asyncio.Event) -> AsyncIterator[str]:
    """Server-sent events: a line of JSON each, and a comment now and then."""
    source = training.follow().__aiter__()
    coming = asyncio.ensure_future(anext(source, None))
    closed = asyncio.create_task(closing.wait())
    try:
        while not closing.is_set():
            await asyncio.wait({coming, closed}, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                yield ": alive\n\n"
                continue
            event = coming.result()
            if event is None:
                return
            yield f"data: {json.dumps(event)}\n\n"
            coming = asyncio.ensure_future(anext(source, None))
    finally:
        coming.cancel()
        closed.cancel()


def _named(trainings: Iterable[Training]) -> list[dict[str, str]]:
    return [{"training": each.name, "title": each.title} for each in trainings]


def _file(name: str) -> bytes:
    return (PAGES / name).read_bytes()


def _said(reason: str, status: int) -> JSONResponse:
    return JSONResponse({"error": reason}, status)


async def _refused(request: Request, error: Exception) -> Response:
    return _said(str(error), getattr(error, "status", 422))


async def _not_there(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _said("there is nothing here" if status == 404 else "not in this way", status)


ENDING = 5
"""Seconds that connections have to close."""


class LiveServer(uvicorn.Server):
    """Waits for no stream when it ends."""

    def __init__(
        self, runs: Path, hosts: Iterable[str] = LOOPBACK, *, limits: LiveLimits | None = None
    ) -> None:
        self._closing = asyncio.Event()
        bounds = limits or LiveLimits()
        app = make_app(runs, hosts=hosts, limits=bounds, closing=self._closing)
        protocol = type("LimitedConnection", (Connection,), {"limits": bounds})
        super().__init__(
            uvicorn.Config(
                app, port=0, log_level="warning", server_header=False, http=protocol, ws="none",
                timeout_graceful_shutdown=ENDING, limit_concurrency=bounds.connections,
            )
        )  # fmt: skip

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and calls, then connections, then trainings and workers."""
        self._closing.set()
        await super().shutdown(sockets)
