"""What `docs/deploy.md` has one start is understood by the command, and stops in time. The Dockerfile is not run."""

import json
import os
import re
import shlex
import sys

import trio

from questions.cli import build_parser
from questions.operations import answer_health
from tests.cli.house import open_house
from tests.house.source import ROOT

PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def block(kind):
    found = re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found is not None, kind
    return found[1]


def setting(name):
    found = re.search(rf"^{name}=(.*)$", block("ini"), re.M)
    assert found is not None, name
    return found[1]


def test_the_service_starts_a_command_that_there_is_and_is_given_the_time_to_drain():
    program, *arguments = shlex.split(setting("ExecStart"))
    options = build_parser().parse_args(arguments)
    assert program.endswith("/questions")
    assert options.log_format == "json"
    assert options.drain + 10 <= float(setting("TimeoutStopSec"))
    assert setting("KillSignal") == "SIGTERM"


def test_the_service_may_write_nowhere_but_where_its_keys_are():
    folder = "/var/lib/" + setting("StateDirectory")
    assert f"QUESTIONS_AUTH_KEYS={folder}/keys.json" in setting("Environment")
    assert (setting("ProtectSystem"), setting("UMask"), setting("StateDirectoryMode")) == ("strict", "0077", "0700")


def test_the_container_starts_a_command_that_there_is_and_is_given_the_time_to_drain():
    command = re.search(r"^CMD (\[.*\])$", block("dockerfile"), re.M)
    assert command is not None
    options = build_parser().parse_args(json.loads(command[1]))
    assert (options.bind, options.metrics, f"EXPOSE {options.port}" in block("dockerfile")) == ("0.0.0.0", True, True)
    stop = re.search(r"--stop-timeout (\d+)", PAGE)
    assert stop is not None
    assert options.drain + 10 <= int(stop[1])


async def test_the_container_is_healthy_as_long_as_the_server_takes_connections_whatever_proxy_there_is(tmp_path):
    check = re.search(r"HEALTHCHECK .*?CMD (\[.*?\])$", block("dockerfile").replace("\\\n", ""), re.M | re.S)
    assert check is not None
    _, flag, code = json.loads(check[1])
    async with open_house(tmp_path) as house:
        house.server.door.answer = answer_health(house.server)
        command = [sys.executable, flag, code.replace("8765", str(house.server.address[1]))]
        environment = {**os.environ, "http_proxy": "http://127.0.0.1:1"}
        codes = []
        for _ in range(2):
            codes.append((await trio.run_process(command, env=environment, check=False)).returncode)
            await house.server.drain(0)
    assert codes == [0, 1]


def test_no_proxy_passes_the_metrics_on():
    assert "location = /metrics { return 404; }" in block("nginx")
    assert "respond /metrics 404" in block("caddyfile")
