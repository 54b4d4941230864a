"""The manifests of deploy/kubernetes are what Kubernetes accepts, and what Palio understands."""

from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from palio_server.api.app import OPERATIONS
from palio_server.cli.serve import serve
from palio_server.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "deploy" / "kubernetes").glob("*.yml"))
DOCUMENTS = [document for file in FILES for document in yaml.safe_load_all(file.read_text())]
SETS = [each for each in DOCUMENTS if each["kind"] == "StatefulSet"]
CONTAINERS = [each["spec"]["template"]["spec"]["containers"][0] for each in SETS]
VERSION = "1.34"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: f"{each['kind']}-{each['metadata']['name']}")
def test_kubernetes_knows_every_word(document):
    kubernetes_validate.validate(document, VERSION, strict=True)


def test_the_validation_would_notice_a_mistake():
    broken = yaml.safe_load(yaml.safe_dump(SETS[0]))
    broken["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSION, strict=True)


def test_services_and_budgets_find_the_pods():
    pods = {each["metadata"]["name"]: each["spec"]["template"]["metadata"]["labels"] for each in SETS}
    for each in DOCUMENTS:
        selector = each.get("spec", {}).get("selector", {})
        wanted = selector.get("matchLabels", selector)
        if wanted:
            assert wanted.items() <= pods[each["metadata"]["name"]].items(), each["kind"]
        if each["kind"] == "StatefulSet":
            assert each["spec"]["serviceName"] in {
                service["metadata"]["name"] for service in DOCUMENTS if service["kind"] == "Service"
            }


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda each: each["args"][2])
def test_palio_knows_what_it_is_given(container):
    known = {option for parameter in serve.params for option in parameter.opts}
    assert {word for word in container["args"] if word.startswith("--")} <= known | {"--role"}
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.__struct_fields__} | {"PALIO_LOG"}
    assert {each["name"] for each in container["env"] if each["name"].startswith(PREFIX)} <= settings
    paths = {operation.path for operation in OPERATIONS}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"] in paths
    assert int(container["args"][container["args"].index("--port") + 1]) == container["ports"][0]["containerPort"]


def test_what_comes_from_the_secret_is_in_it():
    (secret,) = [each for each in DOCUMENTS if each["kind"] == "Secret"]
    for container in CONTAINERS:
        asked = [each["valueFrom"]["secretKeyRef"] for each in container["env"] if "secretKeyRef" in str(each)]
        assert asked
        assert all(each["name"] == "palio" and each["key"] in secret["stringData"] for each in asked)
