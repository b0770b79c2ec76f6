"""A host in a thread of its own, for programs that do not run on trio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any, Generic, TypeVar

import trio

from .errors import Unavailable
from .host import Host, open_host

__all__ = ["Portal", "open_background_host"]

R = TypeVar("R")


class _Call(Generic[R]):
    """A function and its arguments, which it shows to nobody: an answer may be among them (Q-SEC-1)."""

    __slots__ = ("_args", "_function")

    def __init__(self, function: Callable[..., Awaitable[R]], args: tuple[Any, ...]) -> None:
        self._function = function
        self._args = args

    def __call__(self) -> Awaitable[R]:
        return self._function(*self._args)


class Portal:
    """The way into a host that runs in another thread. Safe from any thread and from asyncio.

    Made by `open_background_host`. After that block calls raise `Unavailable`, also those still under way.
    """

    def __init__(self) -> None:
        self.host: Host
        """The host; touch it only inside functions that `call` and `acall` run."""
        self._token: trio.lowlevel.TrioToken
        self._nursery: trio.Nursery
        self._stop = trio.Event()
        self._open = False
        self._pending: set[Future[Any]] = set()

    def call(self, function: Callable[..., Awaitable[R]], *args: Any) -> R:
        """Run `await function(*args)` in the host's thread; blocks this one until it returns or raises.

        Not from the host's own thread, which it would block for ever: there it raises `RuntimeError`.
        """
        if self._open and threading.get_ident() == self._thread:
            raise RuntimeError("the portal was called from the host's own thread; await the function instead")
        call = _Call(function, args)
        del args
        future, _ = self._submit(call)
        try:
            return future.result()
        except CancelledError:
            raise Unavailable("the background host") from None

    async def acall(self, function: Callable[..., Awaitable[R]], *args: Any) -> R:
        """The same from asyncio, without blocking its loop. Cancelling the asyncio task cancels the call."""
        cancelled = _cancellations()
        call = _Call(function, args)
        del args
        future, scope = self._submit(call)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if _cancellations() == cancelled:
                raise Unavailable("the background host") from None
            self._cancel(scope)
            raise

    def _submit(self, call: _Call[R]) -> tuple[Future[R], trio.CancelScope]:
        future: Future[R] = Future()
        scope = trio.CancelScope()
        if not self._open:
            raise Unavailable("the background host")
        self._pending.add(future)
        try:
            self._token.run_sync_soon(self._start, call, future, scope)
        except trio.RunFinishedError:
            self._pending.discard(future)
            raise Unavailable("the background host") from None
        return future, scope

    def _start(self, call: _Call[Any], future: Future[Any], scope: trio.CancelScope) -> None:
        if self._open:
            self._nursery.start_soon(self._run, call, future, scope)
        else:
            self._settle(future, None)

    async def _run(self, call: _Call[Any], future: Future[Any], scope: trio.CancelScope) -> None:
        with scope:
            try:
                result = await call()
            except BaseException as error:
                self._settle(future, None if _is_cancellation(error) else error)
                if not isinstance(error, Exception):
                    raise
            else:
                self._settle(future, None, result)

    def _settle(self, future: Future[Any], error: BaseException | None, *result: Any) -> None:
        self._pending.discard(future)
        with suppress(InvalidStateError):  # asyncio cancels its futures when it likes, from its own thread
            if result:
                future.set_result(result[0])
            elif error is None:
                future.cancel()
            else:
                future.set_exception(error)

    def _cancel(self, scope: trio.CancelScope) -> None:
        with suppress(trio.RunFinishedError):  # the call has ended with its host
            self._token.run_sync_soon(scope.cancel)

    def _end(self) -> None:
        with suppress(trio.RunFinishedError):  # it has ended by itself; what it raised is known otherwise
            self._token.run_sync_soon(self._stop.set)

    async def _serve(self, ready: Future[None], options: dict[str, Any]) -> None:
        async with open_host(**options) as self.host, trio.open_nursery() as self._nursery:
            self._token = trio.lowlevel.current_trio_token()
            self._thread = threading.get_ident()
            self._open = True
            ready.set_result(None)
            try:
                await self._stop.wait()
            finally:
                self._open = False
                self._nursery.cancel_scope.cancel()

    def _thread_main(self, ready: Future[None], ended: Future[None], options: dict[str, Any]) -> None:
        try:
            trio.run(self._serve, ready, options)
        except BaseException as error:
            (ended if ready.done() else ready).set_exception(error)
        finally:
            for future in list(self._pending):
                self._settle(future, None)
            if not ended.done():
                ended.set_result(None)


def _is_cancellation(error: BaseException) -> bool:
    """Whether it is nothing else; of a function with a nursery it comes as a group."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_cancellation, error.exceptions))
    return isinstance(error, trio.Cancelled)


def _cancellations() -> int:
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


@contextmanager
def open_background_host(**options: Any) -> Iterator[Portal]:
    """Run a host in a thread of its own for the length of the block; takes what `open_host` takes, by name.

    For threads and for asyncio programs. Raises what opening the host raises. Leaving the block cancels the calls
    that are still under way (they raise `Unavailable`), closes the host, joins its thread, and raises what went
    wrong there: nothing is lost. What the block raises comes out as it is, in a group if the host failed as well.
    """
    portal, ready, ended = Portal(), Future[None](), Future[None]()
    thread = threading.Thread(target=portal._thread_main, args=(ready, ended, options), name="facets-host")
    thread.start()
    errors: list[BaseException] = []
    try:
        ready.result()
        yield portal
    except BaseException as error:
        errors.append(error)
    finally:
        if not ready.exception():
            portal._end()
        thread.join()
    if failure := ended.exception():
        errors.append(failure)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BaseExceptionGroup("the background host ended with errors", errors)
