"""Follower MDPs of tolls on a road network: the leader sets a toll, the follower drives from node to node."""

import heapq
from collections.abc import Sequence

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory, stationary_mdp
from stackel_bench.games.array_files import existing_file
from stackel_bench.models import FollowerMDP

Link = tuple[int, int, float]  # from, to, minutes

# Two towns, a short road through the centre (2, 4) and longer ones around it.
VALLEY: tuple[Link, ...] = (
    (0, 1, 4.0), (0, 2, 2.0), (1, 3, 4.0), (1, 2, 2.0), (2, 4, 2.0), (2, 3, 5.0),
    (3, 5, 3.0), (3, 4, 2.0), (4, 6, 3.0), (4, 5, 2.0), (5, 6, 2.0), (2, 1, 2.0),
)  # fmt: skip


def toll_mdps(
    num_leader_actions: int,
    max_toll: float,
    jam: float,
    revenue_weight: float,
    horizon: int,
    path: str | None,
) -> tuple[FollowerMDP, ...]:
    """One MDP per toll on the links of the fastest route: nodes are states, links out of a node are actions.

    Toll a of A is tau = max_toll * a/(A-1) minutes' worth on every link of the fastest route from the first
    node to the last one. Taking a link of t minutes, the driver is through with probability 1 - jam and else
    stays; it costs t (+ tau if tolled) either way. The follower's reward of a step is 1 - cost/C with
    C = max t + max_toll, 1 once it has arrived, 0 for an action that is no link. The leader's is
    w tau/max_toll + (1 - w) * [not on a link of the fastest route] with w = revenue_weight: revenue, and less
    traffic on the short road. `path` reads another network, a _net.tntp file of the Transportation Networks
    collection: init node, term node, capacity, length, free flow time, ...
    """
    tolls = checks.integer("num_leader_actions", num_leader_actions, least=2)
    most = checks.real("max_toll", max_toll, least=0, open_least=True)
    stuck = checks.real("jam", jam, least=0, most=1, open_most=True)
    weight = checks.real("revenue_weight", revenue_weight, least=0, most=1)
    steps = checks.integer("horizon", horizon, least=1)
    links = VALLEY if path is None else links_of_tntp(path)
    nodes = 1 + max(max(start, end) for start, end, _ in links)
    leaving = [[link for link in links if link[0] == node and node != nodes - 1] for node in range(nodes)]
    width = max(map(len, leaving))
    check_memory(tolls, steps, nodes, width)
    fastest = fastest_route(links, nodes)
    scale = max(minutes for _, _, minutes in links) + most
    rows = np.zeros((nodes, width, nodes))
    rows[:, :, :] = np.eye(nodes)[:, None, :]
    for node, out in enumerate(leaving):
        for action, (_, end, _) in enumerate(out):
            rows[node, action] = stuck * np.eye(nodes)[node] + (1 - stuck) * np.eye(nodes)[end]

    def mdp(toll: float) -> FollowerMDP:
        leader, follower = np.zeros((2, nodes, width))
        follower[-1], leader[-1] = 1.0, 1 - weight
        for node, out in enumerate(leaving):
            for action, link in enumerate(out):
                tolled = link[:2] in fastest
                follower[node, action] = 1 - (link[2] + toll * tolled) / scale
                leader[node, action] = weight * toll / most if tolled else 1 - weight
        return stationary_mdp(rows, leader, follower, steps)

    return tuple(mdp(most * a / (tolls - 1)) for a in range(tolls))


def fastest_route(links: Sequence[Link], nodes: int) -> set[tuple[int, int]]:
    """The links of the fastest route from the first node to the last one (Dijkstra)."""
    best: dict[int, tuple[float, int]] = {}
    queue = [(0.0, 0, 0)]
    while queue:
        minutes, node, before = heapq.heappop(queue)
        if node in best:
            continue
        best[node] = (minutes, before)
        for start, end, time in links:
            if start == node:
                heapq.heappush(queue, (minutes + time, end, node))
    if nodes - 1 not in best:
        raise InputError("path", "a network", f"a road from node 1 to node {nodes}")
    route, node = set(), nodes - 1
    while node != 0:
        route.add((best[node][1], node))
        node = best[node][1]
    return route


def links_of_tntp(path: str) -> list[Link]:
    """The links of a _net.tntp file with their free flow times, nodes counted from 0."""
    file = existing_file("path", path, (".tntp",))
    body = file.read_text("utf-8").partition("<END OF METADATA>")[2]
    links = []
    for line in body.splitlines():
        fields = line.partition("~")[0].replace(";", " ").split()
        if not fields:
            continue
        try:
            start, end, minutes = int(fields[0]), int(fields[1]), float(fields[4])
        except (ValueError, IndexError) as error:
            raise InputError(
                f"{file}", line.strip(), "init node, term node, capacity, length, time"
            ) from error
        if min(start, end) < 1 or start == end or not 0 < minutes < float("inf"):
            raise InputError(f"{file}", line.strip(), "two nodes from 1 on and a time above 0")
        links.append((start - 1, end - 1, minutes))
    if not links:
        raise InputError(f"{file}", "no link", "a <END OF METADATA> line and one line per link")
    return links
