"""Importing modules again, all of them or none."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType

from .errors import ReloadFailed
from .facet import Facet

__all__ = ["current_modules", "fresh_modules", "install_modules", "redeclared"]


def current_modules(names: Iterable[str]) -> dict[str, ModuleType]:
    """The modules of these names as they are imported now."""
    return {name: importlib.import_module(name) for name in names}


def fresh_modules(facet: str, names: Sequence[str]) -> dict[str, ModuleType]:
    """Run the modules' sources again, in order, beside the old modules, which stay in place.

    Each new module sees the new ones before it. If any fails, `ReloadFailed` (with the cause) is raised and
    nothing has changed: the old code goes on serving.
    """
    old = {name: sys.modules.get(name) for name in names}
    fresh: dict[str, ModuleType] = {}
    name = ""
    importlib.invalidate_caches()
    try:
        for name in names:
            fresh[name] = _run_again(name)
            _check_whole(fresh[name], old[name])
            _install(name, fresh[name])
    except Exception as error:
        raise ReloadFailed(facet, f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        install_modules({name: module for name, module in old.items() if module is not None})
        for name in [name for name, module in old.items() if module is None]:
            _uninstall(name)
    return fresh


def _check_whole(new: ModuleType, old: ModuleType | None) -> None:
    """Refuse what can be imported only because an editor had not written the rest of it yet."""
    public = getattr(new, "__all__", None)
    if public is None and hasattr(old, "__all__"):
        raise ImportError("it has no __all__ any more; is it half written?", name=new.__name__)
    if missing := [name for name in public or () if not hasattr(new, name)]:
        raise ImportError(f"it lacks {', '.join(missing)} of its __all__; is it half written?", name=new.__name__)


def install_modules(modules: dict[str, ModuleType]) -> None:
    """Make these modules the imported ones. Plain: nobody sees half of them."""
    for name, module in modules.items():
        _install(name, module)


def _run_again(name: str) -> ModuleType:
    known = sys.modules.get(name)
    spec = importlib.util.find_spec(name) if known is None else _spec_of(known)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no source for {name}", name=name)
    module = importlib.util.module_from_spec(spec)
    source = spec.loader.get_data(spec.origin) if hasattr(spec.loader, "get_data") and spec.origin else None
    if source is None:
        spec.loader.exec_module(module)
    else:  # the cached byte code is trusted by time stamp, which an edit within the same second does not change
        exec(compile(source, spec.origin or name, "exec", dont_inherit=True), module.__dict__)
    return module


def _spec_of(module: ModuleType) -> importlib.machinery.ModuleSpec | None:
    spec = module.__spec__
    if spec is None or spec.origin is None:
        return spec
    return importlib.util.spec_from_file_location(module.__name__, spec.origin)


def _install(name: str, module: ModuleType) -> None:
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, module)


def _uninstall(name: str) -> None:
    module = sys.modules.pop(name, None)
    parent, _, last = name.rpartition(".")
    if module is not None and getattr(sys.modules.get(parent), last, None) is module:
        delattr(sys.modules[parent], last)


def redeclared(facet: Facet, modules: Iterable[ModuleType]) -> Facet:
    """The declaration of the same name in the new modules; the old one if there is none."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Facet) and value.name == facet.name:
                return value
    return facet
