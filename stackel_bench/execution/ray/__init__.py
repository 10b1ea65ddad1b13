"""Tasks on Ray: a private local cluster, or any cluster by address. Nothing else imports ray.

What Ray reads from the environment when it is imported is set here. Token authentication stays on, usage
reports stay off; where somebody has imported ray before, it keeps the mode that it has, since this process
and the ones it starts must agree.
"""

import os
import sys

__all__: tuple[str, ...] = ()

if "ray" not in sys.modules:
    os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
# By default a task that runs out of memory is retried for ever, and a node whose network is cut off is
# waited for during seven minutes.
os.environ.setdefault("RAY_task_oom_retries", "3")
os.environ.setdefault("RAY_grpc_client_keepalive_time_ms", "5000")
os.environ.setdefault("RAY_grpc_client_keepalive_timeout_ms", "5000")
# Ray ends this process without a word when the head has been away for so long; we end it earlier.
os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "180")
