"""The pages and calls of `longreach serve`."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Coroutine, Iterable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from longreach.errors import InputError
from longreach.report.live.live_limits import LiveLimits
from longreach.report.live.live_report import LiveReport
from longreach.report.live.live_training import Busy, Training, Trainings
from longreach.report.live.playground_parts import PARTS, TASK
from longreach.report.live.request_guard import RequestGuard, TooLarge
from longreach.report.live.worker_pool import Reply, WorkerPool
from longreach.report.render import environment

PAGES = Path(__file__).with_name("pages")
FILES = {
    "playground.js": "text/javascript",
    "playground.css": "text/css",
    "asking.js": "text/javascript",
    "cards.js": "text/javascript",
    "drawing.js": "text/javascript",
    "theme.js": "text/javascript",
    "training.js": "text/javascript",
    "typed.js": "text/javascript",
    "news.js": "text/javascript",
}
"""All that is sent as it is, by name; nothing else is looked up in the file system."""
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
        return Response(_file(name), media_type=FILES[name])

    async def stamp(request: Request) -> Response:
        return JSONResponse({"stamp": await run_in_threadpool(report.stamp)})

    async def part(request: Request) -> Response:
        name = request.path_params["part"]
        if name not in PARTS:
            return _said(f"no part is named that; there are {', '.join(PARTS)}", 404)
        document = await _document(request, bounds.reading)
        reply = await _while_wanted(pool.call(name, document), request, closes)
        return JSONResponse(reply.document, reply.status)

    async def train(request: Request) -> Response:
        document = await _document(request, bounds.reading)
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

    async def events(request: Request) -> Response:
        training = trainings.get(request.path_params["name"])
        if training is None:
            return _said("no such training", 404)
        return StreamingResponse(_stream(training, closes), media_type="text/event-stream")

    async def cancel(request: Request) -> Response:
        training = trainings.get(request.path_params["name"])
        if training is None:
            return _said("no such training", 404)
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
            InputError: _bad_input,
            BadDocument: _bad_document,
            TooLarge: _too_large,
            TooSlow: _too_slow,
            NotWanted: _not_wanted,
            404: _not_there,
            405: _not_there,
        },
    )
    return RequestGuard(app, hosts, bounds.body)


class BadDocument(Exception):
    """A body that is no JSON document."""


class TooSlow(Exception):
    """A body that does not arrive."""


class NotWanted(Exception):
    """Whoever asked is gone, or the server ends."""


async def _document(request: Request, seconds: float) -> Any:
    try:
        async with asyncio.timeout(seconds):
            body = await request.body()
        return json.loads(body.decode("utf-8"))
    except TimeoutError:
        raise TooSlow from None
    except (ValueError, RecursionError, ClientDisconnect):
        raise BadDocument from None


async def _while_wanted(call: Coroutine[Any, Any, Reply], request: Request, closing: asyncio.Event) -> Reply:
    """The reply, unless whoever asked goes away first: the server by itself would compute on for nobody."""
    asked = asyncio.create_task(call)
    ends = [asyncio.create_task(_gone(request)), asyncio.create_task(closing.wait())]
    try:
        await asyncio.wait({asked, *ends}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise NotWanted
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


async def _bad_input(request: Request, error: Exception) -> Response:
    return _said(str(error), 422)


async def _bad_document(request: Request, error: Exception) -> Response:
    return _said("the body is no JSON document", 400)


async def _too_large(request: Request, error: Exception) -> Response:
    return _said("the request is too large", 413)


async def _too_slow(request: Request, error: Exception) -> Response:
    found = _said("the request did not arrive in time", 408)
    found.headers["connection"] = "close"  # the rest of it must not be read as another request
    return found


async def _not_wanted(request: Request, error: Exception) -> Response:
    return _said("the server ends", 503)


async def _not_there(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _said("there is nothing here" if status == 404 else "not in this way", status)
