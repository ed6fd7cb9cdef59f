"""What every request must fulfil, before anything is done for it.

A page of another site that is open in the same browser can send requests to this machine. So the name under
which the server was reached must be one of its own (against names that are pointed here), and what changes
something must come from its own pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class TooLarge(Exception):
    """A body that says nothing of its length goes on and on."""


def _limited(receive: Receive, most: int) -> Receive:
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise TooLarge
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
