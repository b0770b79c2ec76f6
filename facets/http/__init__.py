"""The HTTP port of a host: services of endpoints, behind the tokens of its links.

It comes with the extra `http`. It knows nothing of what is served.
"""

from facets.errors import MissingExtra

try:
    from .calls import Call, Endpoint, Service
    from .events import Event, EventStream
    from .limits import HttpLimits
    from .refusals import Refusal, Refuse, envelope, json_response
    from .server import HttpServer, open_http_server
except ModuleNotFoundError as error:
    if error.name in ("hypercorn", "starlette"):
        raise MissingExtra("the HTTP port", error.name, "http", "serve links alone") from error
    raise

__all__ = [
    "Call",
    "Endpoint",
    "Event",
    "EventStream",
    "HttpLimits",
    "HttpServer",
    "Refusal",
    "Refuse",
    "Service",
    "envelope",
    "json_response",
    "open_http_server",
]
