"""Several observers are each told of everything, whatever the others raise."""

import pytest

from questions import questions_facet
from questions.operations import observed


def test_everybody_is_told_in_order_with_the_facets_own_observer_first():
    told = []
    facet = questions_facet.configured(observe=lambda report: told.append(("own", report)))
    observed(facet, lambda report: told.append(("first", report)), lambda report: told.append(("second", report)))
    facet = observed(facet, lambda report: told.append(("first", report)))
    facet = observed(facet, lambda report: told.append(("second", report)))
    facet.config.observe("opened")
    assert told == [("own", "opened"), ("first", "opened"), ("second", "opened")]


def test_one_that_fails_is_raised_after_the_others_were_told():
    told: list = []

    def fail(report):
        raise ValueError(report)

    facet = observed(questions_facet, fail, told.append, fail)
    with pytest.raises(ExceptionGroup) as raised:
        facet.config.observe("opened")
    assert told == ["opened"]
    assert [str(error) for error in raised.value.exceptions] == ["opened", "opened"]
