#!/bin/sh
# A cluster of three nodes, each in a network namespace of its own; one of them loses its network in the middle
# of a sweep. By hand, as root: sh tests/sweeps/namespaces.sh FOLDER-OF-ray-AND-stackel-bench
# Nothing outside the namespaces is touched; everything is stopped by its pid.
set -eu
bin=${1:-.venv/bin}
bin=$(cd "$bin" && pwd)
work=$(mktemp -d)
pids=
cleanup() {
    for pid in $pids; do kill -KILL "$pid" 2>/dev/null || true; done
    for node in head one two; do ip netns delete "stackel-$node" 2>/dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT INT TERM

unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY grpc_proxy
RAY_AUTH_MODE=token
RAY_AUTH_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
RAY_grpc_client_keepalive_time_ms=5000
RAY_grpc_client_keepalive_timeout_ms=5000
RAY_health_check_initial_delay_ms=1000
RAY_health_check_period_ms=1000
RAY_health_check_timeout_ms=2000
RAY_health_check_failure_threshold=3
export RAY_AUTH_MODE RAY_AUTH_TOKEN RAY_grpc_client_keepalive_time_ms RAY_grpc_client_keepalive_timeout_ms \
    RAY_health_check_initial_delay_ms RAY_health_check_period_ms RAY_health_check_timeout_ms \
    RAY_health_check_failure_threshold

for node in head one two; do
    ip netns add "stackel-$node"
    ip -n "stackel-$node" link set lo up
done
ip -n stackel-head link add bridge0 type bridge
ip -n stackel-head addr add 10.77.0.1/24 dev bridge0
ip -n stackel-head link set bridge0 up
number=2
for node in one two; do
    ip -n stackel-head link add "to-$node" type veth peer name uplink netns "stackel-$node"
    ip -n stackel-head link set "to-$node" master bridge0 up
    ip -n "stackel-$node" addr add "10.77.0.$number/24" dev uplink
    ip -n "stackel-$node" link set uplink up
    number=$((number + 1))
done

# start NAMESPACE ARGUMENTS...: a Ray node with a /dev/shm, processes and a folder of its own
start() {
    node=$1
    shift
    mkdir -p "$work/$node"
    ip netns exec "stackel-$node" unshare --mount --pid --fork --kill-child --mount-proc sh -c \
        'mount -t tmpfs tmpfs /dev/shm && mount --bind "$1" "$2" && shift 2 && exec "$@"' sh \
        "$work/$node" "$work/head" "$bin/ray" start --block --disable-usage-stats "$@" >"$work/$node.log" 2>&1 &
    pids="$pids $!"
}
# The head has no CPUs, so that all work is done on the other two; the driver shares its namespace.
ip netns exec stackel-head "$bin/ray" start --block --disable-usage-stats --head --num-cpus=0 \
    --node-ip-address=10.77.0.1 --port=6379 --temp-dir="$work/head" >"$work/head.log" 2>&1 &
pids="$pids $!"
sleep 15
start one --address=10.77.0.1:6379 --node-ip-address=10.77.0.2 --num-cpus=1
start two --address=10.77.0.1:6379 --node-ip-address=10.77.0.3 --num-cpus=1
sleep 20

sweep() {
    "$@" "$bin/stackel-bench" sweep game=bandit/random "game.instance_seed=range(0,20)" budget=fixed \
        budget.samples=100000 budget.epsilon=0.1,0.2 tie_breaking=pessimistic,optimistic replicates=100 \
        tracking=off quiet=true execution.batch_seconds=0.1 $where
}
where="execution=serial output=$work/undisturbed"
sweep env >/dev/null
where="execution=cluster execution.address=10.77.0.1:6379 output=$work/output"
before=$(date +%s)
sweep ip netns exec stackel-head env >"$work/sweep.log" 2>&1 &
driver=$!
pids="$pids $driver"
tries=0
until [ "$(cat "$work"/output/sweeps/*/journal.jsonl 2>/dev/null | wc -l)" -ge 8 ]; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || { cat "$work"/*.log; exit 1; }
    sleep 0.1
done
ip -n stackel-two link set uplink down
cut=$(date +%s)
echo "link down after $(cat "$work"/output/sweeps/*/journal.jsonl | wc -l) of 80 cells"
wait $driver || { cat "$work/sweep.log"; exit 1; }
echo "sweep finished $(($(date +%s) - cut)) s after the cut, $(($(date +%s) - before)) s in all"
cmp "$work"/undisturbed/sweeps/*/results.csv "$work"/output/sweeps/*/results.csv
echo "results are those of an undisturbed serial run, byte for byte"
