"""The application behind an HTTP port: who asks, what answers, and what everything is sent with."""

from __future__ import annotations

import ipaddress
import logging
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus

import attrs
import trio
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Receive, Scope, Send

from facets.errors import GoingAway, Unauthenticated
from facets.link.identity import Authenticator, Identity

from .calls import Call, Endpoint, Service, bearer_of
from .exchange import Exchange, Gone, Wait
from .limits import Allowances, HttpLimits
from .origins import is_welcome
from .refusals import Refusal, envelope, refusal_of

__all__ = ["Application"]

_log = logging.getLogger("facets.http")

_UNKNOWN_PATH = Refusal(HTTPStatus.NOT_FOUND, "unknown_path", "There is nothing at this path.")
_FOREIGN = Refusal(HTTPStatus.FORBIDDEN, "origin_not_allowed", "Pages of this origin are not allowed.")
_TOO_MANY = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", "Too many requests; try later.", None, True, {"Retry-After": "1"}
)


@attrs.frozen
class _Route:
    service: Service
    pattern: re.Pattern[str]
    endpoint: Endpoint


class Application:
    """An ASGI application, made of services. It has no tasks of its own; each request is one."""

    def __init__(
        self,
        services: Sequence[Service],
        authenticator: Authenticator,
        now: Callable[[], float],
        limits: HttpLimits,
        origins: Collection[str] = (),
    ) -> None:
        self.is_closed = False
        """Whether nothing new is taken any more."""
        self._services = sorted(services, key=lambda service: -len(service.prefix))  # the longest prefix first
        self._routes = [_route(service, endpoint) for service in self._services for endpoint in service.endpoints]
        self._authenticator = authenticator
        self._now = now
        self._limits = limits
        self._origins = frozenset(origins)
        self._allowances = Allowances(limits.requests)
        self._stranger_allowances = Allowances(limits.stranger_requests)
        self._under_way: Counter[object] = Counter()
        self._waits: set[Wait] = set()

    def close(self) -> None:
        """Take nothing new, and end what may take its time; whoever waits is asked to come back."""
        self.is_closed = True
        for wait in list(self._waits):
            wait.end(GoingAway())

    def recheck(self) -> None:
        """End what was asked with a token that has expired or was revoked meanwhile."""
        now = self._now()
        for wait in list(self._waits):
            if wait.identity is not None and not self._authenticator.still_valid(wait.identity, now):
                wait.end(Unauthenticated())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        exchange = Exchange(scope, receive, send, self._origins)
        with suppress(Gone):
            await self._answer(exchange)

    async def _answer(self, exchange: Exchange) -> None:
        service = self._service_at(exchange.path)
        try:
            await self._take(exchange, service)
        except (Exception, ExceptionGroup) as raised:
            error = _only(raised)
            if isinstance(error, Gone):
                raise error from None
            refusal = refusal_of(error)
            if refusal.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not refusal.retryable:
                _log.error("request %s could not be answered", exchange.id, exc_info=error)
            if not exchange.has_begun:
                refuse = envelope if service is None else service.refuse
                await exchange.reply(refuse(refusal, exchange.id))

    async def _take(self, exchange: Exchange, service: Service | None) -> None:
        if not is_welcome(exchange.headers, self._origins):
            raise _FOREIGN
        if exchange.method == "OPTIONS":  # asks what a page of another origin may; changes and tells nothing
            self._allow(self._stranger_allowances, _network(exchange.address))
            await exchange.reply(Response(status_code=HTTPStatus.NO_CONTENT))
            return
        identity = self._identity(exchange, service)
        if self.is_closed:
            raise GoingAway()
        with self._counted(identity):
            route, params = self._route_at(exchange.path, exchange.method)
            body = await exchange.body(route.endpoint.largest or self._limits.body, self._limits.reading)
            call = exchange.call(identity, params, body)
            if route.endpoint.waits:
                await self._wait(exchange, route.endpoint, call)
            else:
                await exchange.reply(await route.endpoint.handle(call))

    def _identity(self, exchange: Exchange, service: Service | None) -> Identity | None:
        if service is not None and service.access == "open":
            self._allow(self._stranger_allowances, _network(exchange.address))
            return None
        token = bearer_of(exchange.headers)
        identity = None if token is None else self._authenticator.authenticate(token, self._now())
        if identity is None:
            self._allow(self._stranger_allowances, _network(exchange.address))
            raise Unauthenticated()
        exchange.connection.trust()
        self._allow(self._allowances, identity.principal)
        return identity

    def _allow(self, allowances: Allowances, who: object) -> None:
        if not allowances.take(who, trio.current_time()):
            raise _TOO_MANY

    @contextmanager
    def _counted(self, identity: Identity | None) -> Iterator[None]:
        if identity is None:
            yield
            return
        who = identity.principal
        if self._under_way[who] >= self._limits.at_once:
            raise _TOO_MANY
        self._under_way[who] += 1
        try:
            yield
        finally:
            self._under_way[who] -= 1
            if not self._under_way[who]:
                del self._under_way[who]

    def _service_at(self, path: str) -> Service | None:
        return next((one for one in self._services if f"{path}/".startswith(f"{one.prefix}/")), None)

    def _route_at(self, path: str, method: str) -> tuple[_Route, dict[str, str]]:
        found = [(route, match) for route in self._routes if (match := route.pattern.match(path))]
        for route, match in found:
            if route.endpoint.answers(method):
                return route, match.groupdict()
        if not found:
            raise _UNKNOWN_PATH
        allowed = ", ".join(sorted({route.endpoint.method for route, _ in found}))
        words = f"Not this method; there are {allowed}."
        raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", words, headers={"Allow": allowed})

    async def _wait(self, exchange: Exchange, endpoint: Endpoint, call: Call) -> None:
        wait = Wait(call.identity)
        self._waits.add(wait)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(exchange.until_gone, wait)
                with wait.scope:
                    await exchange.reply(await endpoint.handle(call))
                nursery.cancel_scope.cancel()
        finally:
            self._waits.discard(wait)
        if wait.scope.cancelled_caught and wait.why is not None:
            raise wait.why


def _route(service: Service, endpoint: Endpoint) -> _Route:
    return _Route(service, compile_path(service.prefix + endpoint.path)[0], endpoint)


def _only(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _network(address: str) -> str:
    """A household has as many addresses of IPv6 as it likes, all in one network of 64 bits."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return address if found.version == 4 else str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
