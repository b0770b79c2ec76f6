"""How the inbox is laid out, on terminals large and small."""

from __future__ import annotations

__all__ = ["CSS"]

CSS = """
Screen { overflow: hidden; }
#state, #note, #keys, #how { height: auto; max-height: 2; }
#list { height: auto; max-height: 30%; min-height: 3; border: none; text-wrap: nowrap; text-overflow: ellipsis; }
#about { height: 1fr; min-height: 3; border-top: solid $foreground; }
#choices { height: auto; max-height: 30%; border: none; }
#line, #reason { border: none; height: 1; }
#area { border: none; height: auto; min-height: 1; max-height: 40%; padding: 0 2; }
.-short #state { max-height: 1; }
.-short #list { min-height: 1; max-height: 2; }
.-short #about { min-height: 2; border-top: none; }
.-short #area { max-height: 3; }
.-short.-typing #list, .-short.-typing #how { max-height: 1; }
"""
