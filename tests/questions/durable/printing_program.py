"""A child that prints far more than a pipe holds between two questions."""

import trio

from questions.durable import ChildRelay, stdio


async def main() -> None:
    relay = ChildRelay()

    async def attend() -> None:
        async with stdio() as parent:
            await relay.attach(parent.receive_stream, parent.send_stream)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(attend)
        await relay.ask("confirm", "Print?")
        print("x" * 1_000_000, flush=True)  # noqa: T201
        await relay.ask("confirm", "End?")
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
