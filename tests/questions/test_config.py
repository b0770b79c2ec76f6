"""The settings of the questions facet."""

import attrs
import pytest

from facets import InvalidFacet
from questions import Limits, QuestionsConfig, questions_facet
from tests.rules import rule


@rule("Q-KEY-3", "Q-KEY-4", "Q-ASK-1")
def test_the_defaults_are_those_that_are_documented():
    config = questions_facet.config
    assert config == QuestionsConfig()
    assert (config.linger, config.retain, config.limits) == (30.0, 600.0, Limits())
    assert (config.may_view, config.observe, config.around) == (None, None, None)


@rule("Q-ASK-1")
def test_each_setting_can_be_configured_and_the_facet_stays_what_it_was():
    changes = {"may_view": max, "linger": 5, "retain": 7, "limits": Limits(open=1), "observe": print, "around": max}
    changes["durable"] = object()
    configured = questions_facet.configured(**changes)
    assert attrs.asdict(configured.config, recurse=False) == changes
    assert questions_facet.config == QuestionsConfig()


def test_a_setting_that_is_not_known_is_refused_by_name():
    with pytest.raises(InvalidFacet, match=r"\$\.lingr: no such setting"):
        questions_facet.configured(lingr=5)


def test_times_and_limits_that_cannot_be_are_refused_with_their_paths():
    with pytest.raises(InvalidFacet, match=r"\$\.linger: 0 seconds or more, not -1; \$\.retain"):
        questions_facet.configured(linger=-1, retain=float("nan"))
    with pytest.raises(InvalidFacet, match=r"\$\.limits\.open: 1 or more, not 0"):
        Limits(open=0)
