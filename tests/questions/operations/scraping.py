"""A server asked over HTTP, as Prometheus or a load balancer asks it."""

import trio
from prometheus_client.parser import text_string_to_metric_families

PATIENCE = 10.0


async def exchanged(server, path, method="GET", headers=()):
    """(status, headers by name in lower case, body) of one plain request to what has an `address`."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    with trio.fail_after(PATIENCE):
        stream = await trio.open_tcp_stream(*server.address)
        async with stream:
            await stream.send_all("\r\n".join(lines).encode())
            data = b"".join([chunk async for chunk in stream])
    head, _, body = data.decode().partition("\r\n\r\n")
    status, *fields = head.split("\r\n")
    named = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    return int(status.split()[1]), named, body


async def fetched(server, path, **request):
    """(status, body)."""
    status, _, body = await exchanged(server, path, **request)
    return status, body


def samples_of(text):
    """What was scraped: a name with its labels, as written -> the value."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return found


async def scraped(server):
    """What `/metrics` says."""
    status, text = await fetched(server, "/metrics")
    assert status == 200
    return samples_of(text)
