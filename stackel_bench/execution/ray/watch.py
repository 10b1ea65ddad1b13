"""Whether a cluster is still there: looks at its head and at the node of this machine by their addresses."""

import socket
import time
from dataclasses import dataclass, field

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
