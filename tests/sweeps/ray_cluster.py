"""A Ray cluster of several nodes on this machine: `python -m tests.sweeps.ray_cluster`.

Prints the address of the head, obeys `kill` (a worker goes without a farewell) and `join` (another one
comes), and stops everything at `stop` or at the end of its input.
"""

from __future__ import annotations

import os
import sys

os.environ.update(
    RAY_AUTH_MODE=os.environ.get("CLUSTER_AUTH_MODE", "token"),
    RAY_USAGE_STATS_ENABLED="0",
    # A dead node is noticed within seconds.
    RAY_health_check_initial_delay_ms="1000",
    RAY_health_check_period_ms="1000",
    RAY_health_check_timeout_ms="2000",
    RAY_health_check_failure_threshold="3",
)

from ray.cluster_utils import Cluster


def main() -> None:
    # Loopback addresses of their own, or Ray takes all nodes for one machine.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "node_ip_address": "127.0.0.2"})
    try:
        workers = [cluster.add_node(num_cpus=1, node_ip_address=f"127.0.0.{last}") for last in (3, 4)]
        print(cluster.address, flush=True)
        for line in sys.stdin:
            if line.strip() == "kill":
                cluster.remove_node(workers.pop(), allow_graceful=False)
                print("killed", flush=True)
            elif line.strip() == "join":
                cluster.add_node(num_cpus=1, node_ip_address="127.0.0.5")
                print("joined", flush=True)
            else:
                break
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
