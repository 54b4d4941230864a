"""docker-compose.yml is valid, and what it names is there. (For its commands see test_compose_run.py.)"""

import json
import re

import pytest
import yaml
from compose_file import (
    ROOT,
    Missing,
    compose,
    env_example,
    interpolate,
    let_through,
    of_profile,
    profiles_chosen,
    stages,
    variables_in,
)
from compose_spec import PyCompose

SERVICES = compose()["services"]
SECRETS = env_example()


def accepted(document) -> PyCompose:
    return PyCompose.from_json(json.dumps(document))


def test_the_file_keeps_to_the_compose_specification():
    cluster = {"gateway-1", "gateway-2", "referee-1", "referee-2", "referee-3", "proxy"}
    both = {"postgres", "mosquitto", "setup", "alpha", "beta"}
    watched = {"prometheus", "grafana"}
    assert set(accepted(compose()).service_names()) == {"server", *both, *cluster, *watched}
    assert profiles_chosen() == ["single"]
    assert set(of_profile("single")) == {"server", *both}
    assert set(of_profile("cluster")) == {*both, *cluster}
    assert set(of_profile("watched")) == {*both, *watched}


def test_prometheus_finds_each_server_by_a_name_of_its_own_and_grafana_finds_prometheus():
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "compose.yml").read_text())
    ((job,),) = (config["scrape_configs"],)
    assert job["authorization"]["credentials_file"] in SERVICES["prometheus"]["command"][0]
    (names,) = (found["names"] for found in job["dns_sd_configs"])
    for profile in ("single", "cluster"):
        services = {**of_profile(profile), **of_profile("watched")}
        ours = {name for name, each in services.items() if "serve" in each.get("command", [])}
        found = {name for name in names if name in services or any(name in aliases(each) for each in services.values())}
        assert len(found) == len(ours), "one name for each server"
    provisioned = ROOT / "deploy" / "grafana" / "provisioning"
    (source,) = yaml.safe_load((provisioned / "datasources" / "prometheus.yml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    (provider,) = yaml.safe_load((provisioned / "dashboards" / "palio.yml").read_text())["providers"]
    mounts = [volume.split(":")[1] for volume in SERVICES["grafana"]["volumes"]]
    assert f"{provider['options']['path']}/palio.json" in mounts


@pytest.mark.parametrize("profile", ["single", "cluster"])
def test_in_each_profile_what_is_needed_is_there_once(profile):
    services = of_profile(profile)
    for name, each in services.items():
        for needed, wait in each.get("depends_on", {}).items():
            assert needed in services or not wait.get("required", True), (name, needed)
    ports = [port for each in services.values() for port in each.get("ports", [])]
    assert len(ports) == len(set(ports))
    names = [*services, *(alias for each in services.values() for alias in aliases(each))]
    assert names.count("server") == 1, "bots join ws://server:8000"


def aliases(service):
    return service.get("networks", {}).get("default", {}).get("aliases", [])


def test_servers_that_share_the_work_have_a_listener_of_the_broker_where_none_throws_another_out():
    port = SERVICES["mosquitto"]["environment"]["SERVERS_PORT"]
    assert not any(port in published for published in SERVICES["mosquitto"]["ports"])
    for name in [name for name, each in SERVICES.items() if "serve" in each.get("command", [])]:
        environment = SERVICES[name]["environment"]
        assert environment["PALIO_MQTT"].startswith("mqtt://server:")
        assert environment["PALIO_MQTT"].endswith("@mosquitto:1883" if name == "server" else f"@mosquitto:{port}")
        assert environment.get("PALIO_WORKER", name) == name


def test_the_proxy_knows_all_gateways_and_they_believe_it():
    config = (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()
    gateways = [name for name, each in SERVICES.items() if "gateway" in each.get("command", [])]
    upstreams = dict(re.findall(r"upstream (\w+) \{(.*?)\n    \}", config, re.DOTALL))
    assert sorted(upstreams) == ["gateways", "gateways_of_models", "gateways_of_sockets"]
    for upstream in upstreams.values():
        assert re.findall(r"server (\S+):8000", upstream) == gateways
    assert "hash $model consistent;" in upstreams["gateways_of_models"]
    for held_open in ("gateways_of_models", "gateways_of_sockets"):
        assert upstreams[held_open].count("max_fails=0;") == len(gateways)
    for name in gateways:
        assert "--forwarded-from" in SERVICES[name]["command"], name


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["services", "server", "healtcheck"], {"test": ["CMD", "true"]}, "healtcheck"),
        (["services", "server", "healthcheck", "retires"], 3, "retires"),
        (["services", "alpha", "build", "targte"], "bot", "targte"),
        (["servcies"], {}, "servcies"),
        (["services", "server", "healthcheck", "interval"], "soon", "interval|duration"),
        (["services", "server", "depends_on", "mosquitto", "condition"], "service_well", "service_well"),
        (["services", "server", "ports"], ["a:b"], "port|invalid"),
    ],
)
def test_the_validation_would_notice_a_mistake(path, value, words):
    document = compose()
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=words):
        accepted(document)


def test_every_variable_is_explained_and_every_explained_one_is_used():
    assert variables_in((ROOT / "docker-compose.yml").read_text()) == set(SECRETS)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_has_no_default(name):
    for poor in ({}, {name: ""}):
        with pytest.raises(Missing, match=f"^{name}: copy .env.example to .env"):
            compose({key: value for key, value in SECRETS.items() if key != name} | poor)
    for word in ("${%s:-secret}", "${%s-secret}", "$%s"):
        with pytest.raises(ValueError, match="defaults"):
            interpolate(word % name, SECRETS)


def test_the_examples_of_secrets_fit_where_they_stand():
    for name, value in SECRETS.items():
        assert re.fullmatch(r"[\w.~-]+", value), "goes into addresses without being quoted"
        assert not name.endswith("_SECRET") or 16 <= len(value) <= 128, "`palio bot add --token-stdin` wants it so"


def test_whoever_is_waited_for_can_become_what_is_waited_for():
    waits = [
        (name, wait["condition"]) for each in SERVICES.values() for name, wait in each.get("depends_on", {}).items()
    ]
    assert waits
    for name, condition in waits:
        if condition == "service_healthy":
            assert "healthcheck" in SERVICES[name], name
        else:
            assert condition == "service_completed_successfully"
            assert SERVICES[name]["restart"] == "no", name


def test_everything_that_stands_has_a_health_check_and_comes_back():
    standing = {name: each for name, each in SERVICES.items() if name != "setup"}
    for name, each in standing.items():
        assert "healthcheck" in each, name
        assert each["restart"] == "unless-stopped", name


def test_nothing_is_reachable_from_other_machines_unless_the_operator_wants_it():
    ports = [port for each in SERVICES.values() for port in each.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_what_is_built_and_mounted_exists():
    for name, each in SERVICES.items():
        if "build" in each:
            assert each["build"]["target"] in stages(), name
            assert (ROOT / each["build"]["context"] / "Dockerfile").is_file()
        for source, *_ in (volume.split(":") for volume in each.get("volumes", [])):
            assert (ROOT / source).exists() if source.startswith(".") else source in compose()["volumes"], name
    script = SERVICES["mosquitto"]["entrypoint"][-1]
    assert (ROOT / "broker" / script.removeprefix("/palio/")).is_file()


def test_the_build_gets_what_the_dockerfile_copies_and_nothing_secret():
    copied = [word for rest in stages()["build"].all("COPY") for word in rest.split()[:-1]]
    assert {"pyproject.toml", "palio", "rules", "clients", "server", "db"} <= set(copied)
    for path in copied:
        assert (ROOT / path).exists()
        assert let_through(path), path
    for path in (".env", ".git/config", ".venv/bin/python", "palio.db", "tests/conftest.py", "db/x/__pycache__/y.pyc"):
        assert not let_through(path), path


def test_the_images_run_as_nobody_special_and_listen_where_compose_expects_it():
    everything = stages()
    for name in ("server", "bot"):
        assert everything[name].parent == "base"
        assert f"/opt/{name}" in everything[name].all("COPY")[0]
    assert everything["base"].all("USER") == ["palio"]
    (port,) = everything["server"].all("EXPOSE")
    assert SERVICES["server"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert port in SERVICES["server"]["command"]
