"""Calls that may never return: made in a thread, waited for aloud, and given up at a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

Value = TypeVar("Value")
_TELL_SECONDS = 10.0


def in_background(function: Callable[..., Value], *arguments: object) -> Future[Value]:
    """The Future of a call in a daemon thread, so that Ctrl-C need not wait for it."""
    future: Future[Value] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # raised again where the result is asked for
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


def wait_for(
    future: Future[Value], seconds: float, tell: Callable[[float], None] = lambda waited: None
) -> Value:
    """The result; a TimeoutError after so many seconds in all, however busy the other side seems.

    Says now and then for how long it has been waiting. Timeouts of sockets count from byte to byte.
    """
    start = time.monotonic()
    while not future.done():
        waited = time.monotonic() - start
        if waited >= seconds:
            raise TimeoutError(f"no answer within {seconds:g} seconds")
        if waited >= _TELL_SECONDS:
            tell(waited)
        wait([future], min(_TELL_SECONDS, seconds - waited))
    return future.result()
