#!/usr/bin/env bash
# Runs the compose stack for real and checks what comes out of it: build, two workers, `sweep study=quickstart` into
# MLflow on PostgreSQL, one worker cut off the network and PostgreSQL restarted on the way; at the end every cell is
# there once, in the results and in MLflow, and equals a run on this machine without containers.
#
# With an engine running, its own images are used. Without one (root needed), an engine is started that lives below a
# temporary folder and is gone afterwards; base images that cannot be pulled are replaced by stand-ins made from
# Debian's packages (docker.io, docker-compose and mmdebstrap must be installed). Stand-ins are never published.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra study <<< "${STUDY:-study=quickstart}"
export MLFLOW_PORT=${MLFLOW_PORT:-15000} RAY_DASHBOARD_PORT=${RAY_DASHBOARD_PORT:-18265}
export COMPOSE_PROJECT_NAME=stackel-verify DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1
export RAY_AUTH_TOKEN POSTGRES_PASSWORD
RAY_AUTH_TOKEN=$(python3 -c 'import secrets; print(secrets.token_hex(32))')
POSTGRES_PASSWORD=$(python3 -c 'import secrets; print(secrets.token_hex(16) + "/@:%")') # any character is allowed
export MLFLOW_ALLOWED_HOSTS=mlflow:5000,127.0.0.1:$MLFLOW_PORT
files=(--file docker/compose.yaml)
folder=$(mktemp -d)
engine=""

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

compose() {
    if docker compose version > /dev/null 2>&1; then
        docker compose "${files[@]}" "$@"
    else
        docker-compose "${files[@]}" "$@"
    fi
}

clean_up() {
    local code=$?
    if ((code)); then
        say "FAILED (exit code $code); the last words of every service:"
        compose logs --tail=40 2>&1 | tail -200 || true
    fi
    say "taking everything down"
    docker rm --force stackel-verify-driver > /dev/null 2>&1 || true
    compose down --volumes --remove-orphans > "$folder/down.log" 2>&1 || true
    if [[ -n $engine ]]; then
        kill "$(cat "$folder/docker.pid")" 2> /dev/null || true
        wait "$engine" || true
    fi
    rm -rf "$folder"
    exit "$code"
}
trap clean_up EXIT

start_engine() {
    export PATH=/usr/bin:/usr/sbin:$PATH DOCKER_HOST=unix://$folder/docker.sock
    mkdir -p "$folder/config"
    export DOCKER_CONFIG=$folder/config
    dockerd --data-root "$folder/data" --exec-root "$folder/run" --pidfile "$folder/docker.pid" \
        --host "$DOCKER_HOST" --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --bridge=none \
        > "$folder/dockerd.log" 2>&1 &
    engine=$!
    for _ in $(seq 60); do
        docker info > /dev/null 2>&1 && return
        sleep 1
    done
    cat "$folder/dockerd.log"
    return 1
}

# python:3.11 from Debian's own Python 3.11, which trusts what this machine trusts.
make_python_stand_in() {
    mmdebstrap --quiet --variant=minbase --include=ca-certificates,python3,python3-venv,python3-pip \
        --customize-hook='rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED' \
        --customize-hook='ln -sf python3 "$1"/usr/bin/python' \
        --customize-hook='copy-in /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs' \
        bookworm - 2> "$folder/mmdebstrap.log" |
        docker import --change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt' \
            --change 'ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt' \
            --change 'ENV REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt' - "$1" > /dev/null
}

# PostgreSQL from Debian, with as much of the official image's manners as the compose file relies on.
make_postgres_stand_in() {
    mkdir -p "$folder/postgres"
    cat > "$folder/postgres/start.sh" << 'SCRIPT'
#!/bin/bash
set -e
bin=$(echo /usr/lib/postgresql/*/bin)
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # shellcheck disable=SC2086
    "$bin/initdb" $POSTGRES_INITDB_ARGS --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") --auth=scram-sha-256 \
        --pgdata="$PGDATA"
    echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    "$bin/pg_ctl" --pgdata="$PGDATA" --options="-c listen_addresses='' -k /tmp" --wait start
    PGPASSWORD=$POSTGRES_PASSWORD "$bin/createdb" --host=/tmp --username="$POSTGRES_USER" "$POSTGRES_DB"
    "$bin/pg_ctl" --pgdata="$PGDATA" --wait stop
fi
exec "$bin/postgres" -D "$PGDATA" -c "listen_addresses=*" -k /tmp
SCRIPT
    chmod +x "$folder/postgres/start.sh"
    cat > "$folder/postgres/Dockerfile" << 'SCRIPT'
FROM python:3.11-slim-bookworm
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql > /dev/null
RUN mkdir -p /var/lib/postgresql/data && chown postgres:postgres /var/lib/postgresql/data
COPY start.sh /usr/local/bin/
USER postgres
STOPSIGNAL SIGINT
CMD ["start.sh"]
SCRIPT
    docker build --quiet --network host --tag "$1" "$folder/postgres" > /dev/null
}

base_image() { # NAME MAKER
    if docker image inspect "$1" > /dev/null 2>&1; then return; fi
    if [[ -z $engine ]] && docker pull --quiet "$1" > /dev/null; then return; fi
    say "a stand-in for $1"
    "$2" "$1"
}

wait_for() { # SECONDS WHAT COMMAND...
    local limit=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        ((SECONDS < limit)) || { say "gave up waiting for $what"; return 1; }
        sleep 1
    done
}

healthy() {
    local id
    for id in $(compose ps -q head mlflow postgres worker); do
        [[ $(docker inspect --format '{{.State.Health.Status}}' "$id") == healthy ]] || return 1
    done
}

finished_cells() { docker exec stackel-verify-driver bash -c 'cat /results/sweeps/*/journal.jsonl | wc -l' 2> /dev/null; }
at_least() { local count; count=$(finished_cells) && ((count >= $1)); }

if ! docker info > /dev/null 2>&1; then
    start_engine
    SANDBOX=1
    say "engine started: $(docker version --format '{{.Server.Version}}')"
fi
[[ -z ${SANDBOX:-} ]] || files+=(--file docker/sandbox.yaml) # also asked for by SANDBOX=1 with an engine of yours
base_image python:3.11-slim-bookworm make_python_stand_in
base_image postgres:16-bookworm make_postgres_stand_in

say "building the image"
compose build head > "$folder/build.log" 2>&1 || { tail -50 "$folder/build.log"; false; }
say "image built: $(docker image inspect --format '{{.Size}}' stackel-bench:local | numfmt --to=iec)B, user $(docker image inspect --format '{{.Config.User}}' stackel-bench:local)"

# On a machine that is busy with other things a service may miss its time to start; it is started again.
for attempt in 1 2 3; do
    compose up --detach --no-build --scale worker=2 > "$folder/up.log" 2>&1 && break
    say "up, attempt $attempt: $(tail -2 "$folder/up.log" | sed -n 1p)"
    ((attempt < 3))
done
wait_for 300 "all services to be healthy" healthy
say "healthy: head, 2 workers, mlflow, postgres"
listening=$(docker ps --format '{{.Ports}}' | tr ',' '\n' | grep -e '->' || true)
if [[ -n $(grep -v '127\.0\.0\.1:' <<< "$listening") ]]; then # no pipe to grep -q: pipefail sees it broken
    say "something listens beyond loopback: $listening"
    exit 1
fi

say "driver: sweep ${study[*]}"
compose run --rm -T --name stackel-verify-driver driver sweep "${study[@]}" > "$folder/driver.log" 2>&1 &
driver=$!
wait_for 300 "the first cells" at_least 3
read -r victim < <(compose ps -q worker) # `| head -1` may end the script: pipefail sees the broken pipe
docker network disconnect --force "${COMPOSE_PROJECT_NAME}_cluster" "$victim"
say "cut one worker off the network after $(finished_cells) cells"
wait_for 600 "more cells" at_least 8
compose restart postgres > "$folder/restart.log" 2>&1
say "restarted PostgreSQL after $(finished_cells) cells"
wait "$driver" || { tail -40 "$folder/driver.log"; exit 1; }
say "driver finished:"
tail -4 "$folder/driver.log" | sed 's/^/         /'

mkdir -p "$folder/cluster" "$folder/local"
compose run --rm -T --no-deps --entrypoint tar driver --create --directory /results sweeps |
    tar --extract --directory "$folder/cluster"
say "the same sweep on this machine, without containers"
.venv/bin/stackel-bench sweep "${study[@]}" tracking=off quiet=true "output=$folder/local" > "$folder/local.log" 2>&1
.venv/bin/python docker/compare_sweeps.py "$folder"/cluster/sweeps/* "$folder"/local/sweeps/* \
    "http://127.0.0.1:$MLFLOW_PORT"
say "passed"
