"""The compose stack is well-formed, closed by default, and what the README's commands need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docker.files import DOCKER, compose, tool
from tests.docs.code_blocks import CommandLine, commands_of

SERVICES = compose()["services"]
TEXT = (DOCKER / "compose.yaml").read_text("utf-8")


@pytest.mark.parametrize("name", ["compose.yaml", "sandbox.yaml"])
def test_schema(name: str) -> None:
    checked = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / name)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_schema_check_would_notice_a_misspelt_key(tmp_path: Path) -> None:
    wrong = tmp_path / "compose.yaml"
    wrong.write_text(TEXT.replace("depends_on:", "depends_upon:"))
    assert tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", wrong).returncode == 1


def test_services() -> None:
    assert set(SERVICES) == {"head", "worker", "postgres", "mlflow", "driver"}
    images = {service["image"] for name, service in SERVICES.items() if name != "postgres"}
    assert len(images) == 1, "one image for head, worker, driver and MLflow"
    assert SERVICES["driver"]["profiles"] == ["driver"], "`up` starts no driver"


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_services_are_limited_and_their_root_is_only_read(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert "/tmp" in service["tmpfs"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"mem_limit", "cpus", "pids_limit"} <= service.keys()


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_published_ports_are_on_loopback(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert port.startswith("127.0.0.1:")


def test_secrets_have_no_default() -> None:
    for variable in ("RAY_AUTH_TOKEN", "POSTGRES_PASSWORD", "MLFLOW_ALLOWED_HOSTS"):
        uses = re.findall(r"\$\{" + variable + r"([^}]*)\}", TEXT)
        assert uses
        assert all(use.startswith(":?") for use in uses), "without a value compose must refuse to start"
    example = (DOCKER / "env.example").read_text("utf-8")
    assert re.findall(r"^(RAY_AUTH_TOKEN|POSTGRES_PASSWORD)=(.*)$", example, re.MULTILINE) == [
        ("RAY_AUTH_TOKEN", ""),
        ("POSTGRES_PASSWORD", ""),
    ]


@pytest.mark.parametrize("name", ["head", "worker", "driver"])
def test_ray_asks_for_its_token(name: str) -> None:
    environment = SERVICES[name]["environment"]
    assert environment["RAY_AUTH_MODE"] == "token"
    assert "RAY_AUTH_TOKEN" in environment


def test_start_order() -> None:
    assert SERVICES["worker"]["depends_on"]["head"]["condition"] == "service_healthy"
    assert SERVICES["mlflow"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    driver = SERVICES["driver"]["depends_on"]
    assert {name for name, wait in driver.items() if wait["condition"] == "service_healthy"} == {
        "head",
        "mlflow",
    }
    assert "healthcheck" in SERVICES["postgres"], "the others have the image's own"


def test_only_mlflow_reaches_the_database() -> None:
    assert compose()["networks"]["database"] == {"internal": True}
    on_it = {name for name, service in SERVICES.items() if "database" in service["networks"]}
    assert on_it == {"postgres", "mlflow"}


def test_data_is_in_named_volumes() -> None:
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert used == set(compose()["volumes"]) == {"artifacts", "kernels", "postgres", "results"}


@pytest.mark.parametrize("line", commands_of("docker", "compose"), ids=str)
def test_commands_of_the_docs_name_services_that_exist(line: CommandLine) -> None:
    words = list(line.words)
    assert words[2:4] == ["-f", "docker/compose.yaml"]
    for position, word in enumerate(words):
        if word == "--scale":
            assert words[position + 1].split("=")[0] in SERVICES
    if "run" in words:
        rest = [word for word in words[words.index("run") + 1 :] if not word.startswith("-")]
        assert rest[0] in SERVICES or "--entrypoint" in words
