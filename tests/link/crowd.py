"""Many viewers on one server, as raw peers: quick ones that answer at once, and slow ones that do not even read."""

import socket

import trio

from tests.link.raw import PATIENCE


class Rebuilt:
    """What a viewer knows from its frames alone; every difference has to fit to what came before."""

    def __init__(self):
        self.value = {}
        self.revision = None
        self.frames = 0

    def take(self, told):
        self.frames += 1
        if told["type"] == "snapshot":
            self.value, self.revision = dict(told["value"]), told["revision"]
            return
        assert told["type"] == "difference"
        assert told["base"] == self.revision
        for key in told.get("drop", {}):
            self.value.pop(key, None)
        self.value.update(told.get("put", {}))
        self.revision = told["revision"]


async def answer_everything(peer, object, watch):
    """Be a person that answers as soon as a question has come."""
    while True:
        told = await hear_patiently(peer)
        if told.get("id") == watch:
            for question in told.get("put", told.get("value")) or ():
                await peer.say(answer(peer, object, question))


async def only_listen(peer, *_):
    """Be a person that looks on."""
    while True:
        await hear_patiently(peer)


async def hear_patiently(peer):
    """The next message, however long it takes."""
    while True:
        with trio.move_on_after(PATIENCE / 2):
            return await peer.hear()


def answer(peer, object, question):
    args = {"id": question, "value": True}
    return {"type": "call", "id": peer.new_id(), "object": object, "method": "answer", "args": args}


def connection_of(server, principal):
    """The server's end of the only connection of a principal, which is made to hold little in its socket."""
    (peer,) = [one for one in server.peers if one.identity.principal == principal]
    connection = peer._connection
    connection.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return connection
