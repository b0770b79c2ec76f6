"""The other end of `children`: replies to one JSON command a line."""

import gc
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio

_PAGE = os.sysconf("SC_PAGE_SIZE")

Command = Callable[..., Any]


async def serve_commands(ports: dict[str, int], commands: dict[str, Command]) -> None:
    """Reply to commands until the input ends."""
    print(json.dumps(ports), flush=True)
    rest = b""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        while data := await stdin.receive_some():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                command = json.loads(line)
                result = commands[command.pop("do")](**command)
                print(json.dumps({"result": await result if hasattr(result, "__await__") else result}), flush=True)


def resident() -> int:
    """Bytes of memory that this process holds now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
