"""A missing tool skips for a user and fails in an unattended run."""

import pytest

from tests.house.source import ROOT

CASES = """
    import pytest

    @pytest.mark.needs_tool("no-such-program", "nor-this-one")
    def test_with_a_tool(): pass

    @pytest.mark.needs_tool("no-such-program", "sh")
    def test_with_another_name_of_the_tool(): pass

    def test_that_skips_itself(): pytest.skip("not today")

    @pytest.mark.xfail(strict=True)
    def test_known_to_fail(): assert False
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """A small suite under the project's conftest; call it with the value of QUESTIONS_CI."""
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text())
    pytester.makeini("[pytest]\nmarkers = needs_tool(*names)")

    def run(unattended):
        monkeypatch.setenv("QUESTIONS_CI", unattended)
        return pytester.runpytest_subprocess("-rs", "-p", "no:cacheprovider")

    return run


def test_a_user_is_told_which_tool_is_missing(suite, pytester):
    pytester.makepyfile(CASES)
    result = suite("")
    result.assert_outcomes(passed=1, skipped=2, xfailed=1)
    result.stdout.fnmatch_lines("*not on PATH: no-such-program or nor-this-one*")


def test_an_unattended_run_fails_where_a_user_would_skip(suite, pytester):
    pytester.makepyfile(CASES)
    result = suite("1")
    outcomes = result.parseoutcomes()
    assert outcomes.get("passed") == outcomes.get("xfailed") == 1
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 2
    result.stdout.fnmatch_lines("*may not be skipped*not on PATH*")


def test_an_unattended_run_fails_when_a_whole_file_is_skipped(suite, pytester):
    pytester.makepyfile("import pytest\npytest.importorskip('no_such_module')")
    assert suite("1").ret != 0
    assert suite("").ret == pytest.ExitCode.NO_TESTS_COLLECTED
