"""Kubernetes manifests and Ray's cluster file: valid, closed by default, of one version."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

import stackel_bench
from tests.docker.files import DOCKER, MANIFESTS, ROOT, documents, tool

ALL = [(path.name, document) for path in MANIFESTS for document in documents(path)]
NATIVE = [(name, d) for name, d in ALL if not d["apiVersion"].startswith(("ray.io", "kustomize"))]
YAML_FILES = [*MANIFESTS, *DOCKER.glob("*.yaml"), *ROOT.glob("*.y*ml"), *(ROOT / ".github").rglob("*.yml")]
LINT = """{extends: default, rules: {line-length: {max: 120}, document-start: disable,
  braces: {max-spaces-inside: 1}, comments: {min-spaces-from-content: 1}, truthy: {check-keys: false}}}"""


def only(kind: str) -> dict[str, Any]:
    """The single document of this kind."""
    (found,) = [document for _, document in ALL if document["kind"] == kind]
    return found


def containers(node: object) -> Iterator[dict[str, Any]]:
    """Every container of a document, however deep."""
    if isinstance(node, dict):
        yield from [*node.get("containers", []), *node.get("initContainers", [])]
        for value in node.values():
            yield from containers(value)
    elif isinstance(node, list):
        for value in node:
            yield from containers(value)


CONTAINERS = [container for _, document in ALL for container in containers(document)]


def test_yaml_is_tidy() -> None:
    checked = tool("yamllint", "--strict", "--config-data", LINT, *YAML_FILES)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(("name", "document"), NATIVE, ids=[f"{n}-{d['kind']}" for n, d in NATIVE])
def test_native_kinds_by_kubernetes_own_schema(name: str, document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_pods_are_restricted_limited_and_kept_inside() -> None:
    labels = only("Namespace")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    for container in CONTAINERS:  # what "restricted" asks for, and limits
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["readOnlyRootFilesystem"] is True
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"].keys() >= {"cpu", "memory"}
    (inside,) = [d for _, d in ALL if d["kind"] == "NetworkPolicy" and d["metadata"]["name"] == "inside-only"]
    assert inside["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert all(rule["to"] for rule in inside["spec"]["egress"])
    (mlflow,) = [container for container in CONTAINERS if container["name"] == "mlflow"]
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= mlflow.keys()


def test_ray_kinds() -> None:
    cluster, job = only("RayCluster")["spec"], only("RayJob")["spec"]
    assert job["rayClusterSpec"] == cluster, "the job's cluster is the standing one"
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    pinned = re.search(r"^ray==(.*)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert pinned is not None
    assert cluster["rayVersion"] == pinned[1]
    for group in cluster["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    check_by_schema_if_there_is_one(only("RayCluster"))


def check_by_schema_if_there_is_one(cluster: dict[str, Any]) -> None:
    """KubeRay's own schema is not part of this repository; RAYCLUSTER_SCHEMA names a copy of it."""
    beside = ROOT.parent / "shared" / "data" / "raycluster-v1.schema.json"
    schema = Path(os.environ.get("RAYCLUSTER_SCHEMA", beside))
    if schema.is_file():
        import jsonschema

        validator = jsonschema.validators.validator_for(json.loads(schema.read_text("utf-8")))
        validator(json.loads(schema.read_text("utf-8"))).validate(cluster)


def test_job_runs_a_command_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stackel_bench.cli import main

    monkeypatch.chdir(tmp_path)
    program, *words = only("RayJob")["spec"]["entrypoint"].split()
    assert program == "stackel-bench"
    kept = [word for word in words if not word.startswith("output=")]
    assert main([*kept, "dry_run=true"]) == 0


def test_images_have_the_version_of_this_package() -> None:
    own = {c["image"] for c in CONTAINERS if c["image"].startswith("stackel-bench")}
    assert own == {f"stackel-bench:{stackel_bench.__version__}"}
    assert documents(DOCKER / "ray_cluster.yaml")[0]["docker"]["image"] in own
    (image,) = only("Kustomization")["images"]
    assert image["newTag"] == stackel_bench.__version__


def test_secrets_come_from_secrets_and_services_stay_inside() -> None:
    assert CONTAINERS
    for container in CONTAINERS:
        for variable in container.get("env", []):
            if re.search("PASSWORD|TOKEN", variable["name"]):
                assert "secretKeyRef" in variable["valueFrom"]
    assert all(d["spec"].get("type", "ClusterIP") == "ClusterIP" for _, d in ALL if d["kind"] == "Service")


def test_kustomization_names_all_files_but_the_job() -> None:
    named = set(only("Kustomization")["resources"])
    assert named == {path.name for path in MANIFESTS} - {"kustomization.yaml", "rayjob.yaml"}


def test_cluster_launcher() -> None:
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = documents(DOCKER / "ray_cluster.yaml")[0]
    validate_config(prepare_config(config))
    assert any("RAY_AUTH_MODE=token" in option for option in config["docker"]["run_options"])
    assert "--dashboard-host=127.0.0.1" in " ".join(config["head_start_ray_commands"])
