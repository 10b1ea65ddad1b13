"""A cluster that is gone is noticed: its node on this machine at once, its head after a while."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from stackel_bench.execution.executor import ClusterLostError
from stackel_bench.execution.ray import watch as cluster
from stackel_bench.execution.ray.watch import ClusterWatch

Open = Callable[[], socket.socket]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    now = [0.0]
    monkeypatch.setattr(cluster.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def server() -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(socket.create_server(("127.0.0.1", 0)))


def test_nothing_is_said_while_both_listen(clock: list[float], server: Open) -> None:
    watch = ClusterWatch(server().getsockname(), server().getsockname(), "here", 10)
    for now in range(0, 100, 3):
        clock[0] = float(now)
        watch.look()


def test_a_dead_node_is_known_at_the_next_look(clock: list[float], server: Open) -> None:
    node = server()
    watch = ClusterWatch(server().getsockname(), node.getsockname(), "here", 1000)
    node.close()
    clock[0] = 0.9 * cluster.WATCH_SECONDS
    watch.look()  # too early to look
    clock[0] = 1.1 * cluster.WATCH_SECONDS
    with pytest.raises(ClusterLostError, match="the Ray node of this machine died, here"):
        watch.look()


def test_a_silent_head_may_come_back_until_patience_ends(clock: list[float], server: Open) -> None:
    head, node = server(), server()
    address = head.getsockname()
    watch = ClusterWatch(address, node.getsockname(), "here", 10)
    head.close()
    clock[0] = 9.0
    watch.look()
    with socket.create_server(address):
        clock[0] = 15.0
        watch.look()
    clock[0] = 24.0
    watch.look()
    clock[0] = 26.0
    with pytest.raises(ClusterLostError, match=r"the head does not answer \(.*refused\), here"):
        watch.look()
