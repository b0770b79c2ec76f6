"""What the process of the channel may know: neither a store nor workflow code."""

import ast

from tests.house.source import ROOT

MAY = ("questions.gates.", "questions.visible", "questions.errors", "questions.digest", "facets.")
NOT = ("store", "gate", "runs", "server", "opening", "channels", "channel_work", "definition", "confirming")


def test_the_adapter_imports_neither_the_store_nor_workflow_code():
    for path in (ROOT / "questions" / "gates" / "webhook").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            module = getattr(node, "module", None) or ""
            if isinstance(node, ast.ImportFrom) and node.level == 0 and module.startswith(("questions", "facets")):
                assert module.startswith(MAY), f"{path.name}: {module}"
                assert module.split(".")[2:3] not in [[name] for name in NOT], f"{path.name}: {module}"
