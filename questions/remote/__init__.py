"""Questions over links: what of askers and viewers is offered, and how it is written down.

Importing it declares what `Questions` offers; `questions` does.
"""

__all__ = ()
