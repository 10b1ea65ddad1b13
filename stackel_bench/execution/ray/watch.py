"""Whether a cluster is still there, by the addresses of its head and this node, and whether to stop."""

import signal
import socket
import threading
import time
from dataclasses import dataclass, field
from types import FrameType

from stackel_bench.execution.executor import ClusterLostError

WATCH_SECONDS = 2.0  # between two looks
Address = tuple[str, int]


@dataclass
class ClusterWatch:
    """Ray ends a driver's process without a word when its head or its node is gone; this finds out before."""

    head: Address
    node: Address  # on this machine
    place: str  # where that is, for the message
    patience: float  # seconds without an answer from the head after which it is gone
    _looked: float = field(init=False)
    _answered: float = field(init=False)

    def __post_init__(self) -> None:
        self._looked = self._answered = time.monotonic()

    def look_at_node(self) -> None:
        """Raise a ClusterLostError if this machine's node is dead: Ray's next call would end the process."""
        try:
            socket.create_connection(self.node, timeout=WATCH_SECONDS).close()
        except ConnectionRefusedError as error:
            raise ClusterLostError(f"the Ray node of this machine died, {self.place}") from error
        except OSError:  # slow, or an interface that is down: no proof
            pass

    def look(self) -> None:
        """Raise a ClusterLostError if the node is dead, or the head has been silent for long."""
        now = time.monotonic()
        if now < self._looked + WATCH_SECONDS:
            return
        self._looked = now
        self.look_at_node()
        try:
            socket.create_connection(self.head, timeout=WATCH_SECONDS).close()
            self._answered = now
        except OSError as error:
            if now > self._answered + self.patience:
                raise ClusterLostError(f"the head does not answer ({error}), {self.place}") from error


class Interrupts:
    """Signals to stop, remembered until `end`: Python drops one that strikes in a callback of Ray's."""

    def __init__(self) -> None:
        self._asked = False
        self._usual: dict[int, signal._HANDLER] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if callable(signal.getsignal(number)):  # not ignored
                    self._usual[number] = signal.signal(number, self._remember)

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        usual = self._usual[number]
        assert callable(usual)
        usual(number, frame)

    def look(self) -> None:
        """Raise a KeyboardInterrupt if there was a signal."""
        if self._asked:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Give signals back to who had them before."""
        for number, usual in self._usual.items():
            signal.signal(number, usual)
