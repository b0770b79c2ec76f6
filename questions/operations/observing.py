"""Several observers of one facet's reports."""

from __future__ import annotations

from collections.abc import Callable

from facets.facet import Facet
from questions.reports import Opened, Settled

__all__ = ["Observer", "observed"]

Observer = Callable[[Opened | Settled], None]
"""Takes each report of the questions facet: see `QuestionsConfig.observe`."""


def observed(facet: Facet, *observers: Observer) -> Facet:
    """The questions facet with these observers, beside the one that it has.

    Each is told of each report, in this order, whatever the others raise; that is raised, in a group, afterwards.
    """
    own: Observer | None = facet.config.observe
    everyone = [*([] if own is None else [own]), *observers]

    def observe(report: Opened | Settled) -> None:
        errors = []
        for observer in everyone:
            try:
                observer(report)
            except Exception as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("observers have failed", errors)

    return facet.configured(observe=observe)
