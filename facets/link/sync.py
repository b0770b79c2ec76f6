"""Remote objects for plain scripts and threads: the same as `facets.link.client`, and calls block.

    with open_link("ws://127.0.0.1:8000", token) as link:
        viewer = link.get(BlockingQuestions, SessionScope("s1"))
        for question in viewer.to_answer():
            viewer.answer(question.id, True)

One thread of the link's owns all that it holds and follows; the caller's threads hand it work and wait. So Ctrl-C,
which can come anywhere, leaves nothing half done, and several threads may use a link at once.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, TypeVar

from facets.errors import LinkLost, Unavailable
from facets.readable import Cell

from .blocking import BlockingKeyedReadable, BlockingReadable, Check, Parked, Slot, wait_for
from .dialling import check_way
from .interface import Method
from .items import Held, Made
from .link import PATIENCE, AnyLink, Token
from .messages import Cancelled, RawReturned, Refused
from .proxies import Bound, mirror_of, result_of
from .refusals import error_of
from .remote_object import AnyObject, follow, object_of
from .sync_socket import SyncSocket, dial

__all__ = ["Link", "RemoteObject", "open_link"]

T = TypeVar("T")
_log = logging.getLogger("facets.link")
_MOST_UNHANDLED = 256  # frames that have come and wait for the link's thread


class Link(AnyLink):
    """The way to the objects of another process. Made by `open_link`, usable until that block ends, in any thread."""

    def __init__(self, url: str, token: Token, tls: ssl.SSLContext | None, check: Check | None) -> None:
        self.check = check
        """For readables: looks at whether to go on waiting."""
        state = Cell("connecting")
        super().__init__(url, token, time.monotonic, state)
        self.lock = threading.RLock()
        """For objects: held by whoever reads or changes what is followed."""
        self.parked: set[Parked] = set()
        self.is_ended = False
        self.state: BlockingReadable[str] = BlockingReadable(self, state)
        """connecting, connected, lost (it is tried again), refused (it is not), or closed: the block has ended."""
        self._tls = tls
        self._due = float("inf")
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._room = threading.Semaphore(_MOST_UNHANDLED)
        self._gate = threading.Lock()
        self._is_closed = False
        self._stop = threading.Event()
        self._socket: SyncSocket | None = None
        self._owed = threading.local()

    # --- in the caller's thread -----------------------------------------------------------------------------------

    def get(self, kind: type[T], input: Hashable = None) -> T:
        """The object of a type, for an input, that this link's principal may have: as `Ctx.get`, from elsewhere.

        Raises what refuses it, `Unserved` for a type that is not declared with `remote`, and `LinkLost` while there
        is no connection. It is held until `release`, or until the link's block ends.
        """
        self.raise_if_owed()
        interface, given = self.wanted(kind, input)
        slot = Slot()
        try:
            self.submit(partial(self._begin, slot, partial(self.session.get, interface.name, given)))
            message = slot.wait(check=self.check)
        except BaseException:
            self._drop(slot)
            raise
        if isinstance(message, Exception):
            raise message
        return object_of(self, interface, RemoteObject, slot.item, message, input)  # type: ignore[return-value]

    def call(self, held: Held, method: str, bound: Bound) -> Any:
        """For objects: call a method; returns the encoded result.

        Interrupted (Ctrl-C), it gives the call up at the other side and waits for that: a result that came first is
        returned, and the interrupt raised when this thread next waits for the link, or at the end of its block.
        """
        self.raise_if_owed()
        slot = Slot()
        begin = partial(self._make, held, method, bound)  # which shows nobody what is in it (Q-SEC-1)
        try:
            self.submit(partial(self._begin, slot, begin))
            message = slot.wait(check=self.check)
        except BaseException as interrupt:  # or whatever else the handler of a signal raises
            message = self._give_up(slot)
            if message is None or isinstance(message, Cancelled):
                raise
            if not slot.is_checked:
                self._owed.interrupt = interrupt
        return _value_of(message)

    def sleep(self, seconds: float) -> None:
        """For objects: pause, at most until the link's block ends. Interrupted as a call is."""
        self.raise_if_owed()
        wait_for(self._stop, seconds, self.check)

    def _give_up(self, slot: Slot) -> Any:
        try:
            with suppress(LinkLost):
                self.submit(partial(self._cancel, slot))
            return slot.wait(PATIENCE)
        finally:
            if not slot.is_told:
                with suppress(LinkLost):
                    self.submit(partial(self._abandon, slot))

    def _drop(self, slot: Slot) -> None:
        with suppress(LinkLost):
            self.submit(lambda: None if slot.item is None else self.release(slot.item))

    def raise_if_owed(self) -> None:
        """For readables: raise the interrupt that came too late for the last call of this thread."""
        interrupt: BaseException | None = self._owed.__dict__.pop("interrupt", None)
        if interrupt is not None:
            raise interrupt

    def submit(self, work: Callable[[], None]) -> None:
        """For objects: have the link's thread do something soon. Raises `LinkLost` when the block has ended."""
        with self._gate:
            if self._is_closed:
                raise LinkLost(self.url)
            self._work.put(work)

    def greeted(self, patience: float) -> None:
        """Return once the server has taken the token; raises as `open_link` says."""
        changes = self.state.changes(timeout=None if patience == float("inf") else patience)
        try:
            while next(changes) == "connecting":
                pass
        except TimeoutError:
            raise Unavailable(self.url) from self.failure()
        self.check_greeted()

    def stop(self) -> None:
        """End it. Calls that still wait raise `LinkLost`."""
        self._stop.set()
        with suppress(LinkLost):
            self.submit(self._end)

    # --- in the link's own thread ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Be the link's thread: do what is submitted or due, one at a time, until `stop`."""
        self._dial_after(0.0)
        while not self.is_ended:
            self._do(self._next())
            if self._socket is not None:
                self._socket.flush()
        with self._gate:
            self._is_closed = True
        while not self._work.empty():
            self._do(self._work.get())
        if self._socket is not None:
            self._socket.close()

    def _do(self, work: Callable[[], None]) -> None:
        with self.lock:
            try:
                work()
            except Exception:
                _log.exception("the link to %s has a fault", self.url)

    def _next(self) -> Callable[[], None]:
        try:
            left = self._due - self.clock()
            return self._work.get() if left == float("inf") else self._work.get(timeout=max(0.0, left))
        except Empty:
            return self.tick

    def rearm(self, due: float) -> None:
        """For the link: call `tick` when it is due."""
        self._due = due

    def _begin(self, slot: Slot, begin: Callable[[], Any]) -> None:
        try:
            slot.item = begin()
        except Exception as error:
            slot.tell(error)
        else:
            slot.item.owner = slot.tell
            self.push()

    def _make(self, held: Held, method: str, bound: Bound) -> Made:
        return self.session.call(held, method, bound.args, bound.again)

    def _cancel(self, slot: Slot) -> None:
        if slot.is_told:
            return
        if slot.item is None or not self.session.cancel(slot.item):
            slot.tell(Cancelled(0))
        self.push()

    def _abandon(self, slot: Slot) -> None:
        if slot.item is not None:
            self.session.abandon(slot.item)

    def _end(self) -> None:
        self.is_ended = True
        self.ended()
        for parked in self.parked:
            parked.invalidate()

    # --- the connection -------------------------------------------------------------------------------------------

    def _dial_after(self, pause: float) -> None:
        threading.Thread(target=self._dial, args=(pause,), name=f"dialling {self.url}", daemon=True).start()

    def _dial(self, pause: float) -> None:
        """In a thread of its own, as nobody can say how long it takes."""
        if self._stop.wait(pause):
            return
        with suppress(LinkLost):
            try:
                socket = dial(self.url, self._tls, self._has_come, self._is_over)
            except Exception as error:
                self.submit(partial(self._lost, error))
                return
            try:
                self.submit(partial(self._dialled, socket))
            except LinkLost:
                socket.close()

    def _dialled(self, socket: SyncSocket) -> None:
        self._socket = socket
        if socket.is_over:
            self._lost(None)
        else:
            self.opened(socket)

    def _lost(self, error: Exception | None) -> None:
        self._socket = None
        pause = self.lost(error)
        if pause is not None and not self.is_ended:
            self._dial_after(pause)

    def _has_come(self, frame: bytes) -> None:
        """In the connection's thread: a message has come."""
        while not self._room.acquire(timeout=1.0):
            if self.is_ended:
                return
        with suppress(LinkLost):
            self.submit(partial(self._receive, frame))

    def _receive(self, frame: bytes) -> None:
        self._room.release()
        self.receive(frame)

    def _is_over(self, socket: SyncSocket) -> None:
        """In the connection's thread: it has ended."""
        with suppress(LinkLost):
            self.submit(lambda: self._lost(None) if self._socket is socket else None)


def _value_of(message: Any) -> Any:
    if isinstance(message, Exception):
        raise message
    if isinstance(message, Refused):
        raise error_of(message)
    if isinstance(message, RawReturned):
        return message.value
    raise AssertionError("a call ends with what it returned, what refused it, or a cancellation")


class RemoteObject(AnyObject):
    """An object of another process: it has the methods and readables of its face, and nothing else. Calls block.

    Readables are followed from the first time that they are asked for, and read with `value`, `changes()` and, if they
    are keyed, `differences()`. `readable.unavailable` says why there is no news, if so.
    """

    is_blocking: ClassVar[bool] = True

    def readable(self, name: str) -> BlockingReadable[Any]:
        """One of its readables, followed from now on."""
        with self._link.lock:
            if name not in self._readables:
                watchable = self._face.readables[name]
                mirror = mirror_of(watchable)
                self._link.submit(partial(follow, self._link, self._interface, self._face, self._held, name, mirror))
                is_mapping = watchable.keyed and watchable.shape is None
                kind = BlockingKeyedReadable if is_mapping else BlockingReadable
                self._readables[name] = kind(self._link, mirror)
            found: BlockingReadable[Any] = self._readables[name]
            return found

    def call(self, method: Method, bound: Bound) -> Any:
        """For its methods: call one."""
        return result_of(self._interface, method, self._link.call(self._held, method.name, bound))

    def release(self) -> None:
        """Hold it no more."""
        with suppress(LinkLost):
            self._link.submit(partial(self._link.release, self._held))


@contextmanager
def open_link(
    url: str,
    token: Token,
    *,
    tls: ssl.SSLContext | None = None,
    insecure: bool = False,
    patience: float = float("inf"),
    check: Check | None = None,
) -> Iterator[Link]:
    """A link to the server at `url` for the length of the block: `wss://`, or `ws://` on this machine.

    Raises `InsecureDial` for `ws://` to anywhere else, unless `insecure` forces it: the token would cross the network.

    `token`, or what gives a fresh one at each connection, as when one has expired; it is sent in the first frame
    and stands in no URL. Waits until the server has taken it, trying for `patience` seconds; raises
    `Unauthenticated` if it does not, what `token` raises, and `Unavailable`, whose cause is why, if the time is
    over. Afterwards a lost connection comes back by itself: `link.state` says how things are. Calls of other
    threads that still wait when the block ends raise `LinkLost`. `token` is called in a thread of the link's.

    `check` is called every 0.05 s by whatever thread waits, and what it raises gives the wait up, as Ctrl-C does in
    the main thread: `trio.from_thread.check_cancelled`, or a function that looks at an event of yours.
    """
    link = Link(check_way(url, insecure), token, tls, check)
    keeper = threading.Thread(target=link.run, name=f"link to {url}", daemon=True)
    keeper.start()
    try:
        link.greeted(patience)
        yield link
        link.raise_if_owed()
    finally:
        link.stop()
        keeper.join(PATIENCE)
