#!/usr/bin/env bash
# Plays one role of the cluster: head, worker, mlflow or driver; anything else is run as it stands.
set -euo pipefail

head_address=${RAY_HEAD_ADDRESS:-head:6379}

# The dashboard and the job server listen inside the container's network; compose publishes them on loopback only.
start_head() {
    exec ray start --head --port=6379 --num-cpus=0 --dashboard-host=0.0.0.0 --disable-usage-stats --block "$@"
}

start_worker() {
    exec ray start --address="$head_address" --disable-usage-stats --block "$@"
}

# The address of the database is put together here, so that a password may have any character, and handed over in
# the environment, where no process list shows it.
start_mlflow() {
    MLFLOW_BACKEND_STORE_URI=$(python - <<'PYTHON'
import os
from urllib.parse import quote

user, password, host, name = (
    quote(os.environ[key], safe="") for key in ("POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_HOST", "POSTGRES_DB")
)
print(f"postgresql+psycopg2://{user}:{password}@{host}/{name}")
PYTHON
    )
    export MLFLOW_BACKEND_STORE_URI
    exec mlflow server --host 0.0.0.0 --port 5000 --workers 1 --artifacts-destination /artifacts \
        --allowed-hosts "${MLFLOW_ALLOWED_HOSTS:?names under which browsers and drivers reach the server}" "$@"
}

# A driver joins the cluster as a node without CPUs, so that Ray finds it at the address "auto". Verbs that compute
# get the cluster and the MLflow server unless the command says otherwise.
start_driver() {
    local verb=${1:-list}
    local defaults=()
    case $verb in
        run | sweep | sync | reproduce)
            [[ " $* " == *" execution="* ]] || defaults+=(execution=cluster)
            [[ " $* " == *" tracking="* ]] || defaults+=(tracking=server "tracking.uri=$MLFLOW_TRACKING_URI")
            [[ " $* " == *" output="* ]] || defaults+=(output=/results)
            if [[ " $* ${defaults[*]} " == *" execution=cluster "* && " $* " != *" execution.address="* \
                && " $* " != *" dry_run=true "* && " $* " != *" --help "* ]]; then
                ray start --address="$head_address" --num-cpus=0 --disable-usage-stats > /tmp/ray_start.log 2>&1 \
                    || { cat /tmp/ray_start.log >&2; exit 1; }
            fi
            ;;
    esac
    exec stackel-bench "$@" "${defaults[@]}"
}

role=${1:-}
case $role in
    head | worker | mlflow | driver)
        shift
        echo "$role" > /tmp/role
        "start_$role" "$@"
        ;;
    *) exec "$@" ;;
esac
