"""What every test shares: tools that may be missing, and how many random examples are enough."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# A user sees what was skipped and why; an unattended run (.ci/run) has nobody to see it, so there it fails.
UNATTENDED = os.environ.get("QUESTIONS_CI") == "1"

# deadline=None: a machine shared with others is sometimes ten times slower than itself.
settings.register_profile("user", deadline=None, max_examples=50, stateful_step_count=30)
settings.register_profile("unattended", deadline=None, max_examples=100, stateful_step_count=50, print_blob=True)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=500,
    stateful_step_count=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unattended" if UNATTENDED else "user")


def pytest_runtest_setup(item):
    """Skip a test marked `needs_tool("chromium", "chrome")` when none of these programs is there."""
    for marker in item.iter_markers("needs_tool"):
        if not any(shutil.which(name) for name in marker.args):
            pytest.skip(f"not on PATH: {' or '.join(marker.args)}")


def fail_if_skipped(report):
    """Turn a skip of an unattended run, whoever asked for it, into a failure with the same reason."""
    if UNATTENDED and report.skipped and not hasattr(report, "wasxfail"):
        *_, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} may not be skipped in an unattended run. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return fail_if_skipped((yield))
