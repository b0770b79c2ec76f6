"""Run asyncio in a test, whatever else runs in the process."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_asyncio(work):
    """What `asyncio.run(work)` returns, run in a thread of its own.

    The main thread may be taken: Playwright leaves its loop running there between the tests that use a browser.
    """
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()
