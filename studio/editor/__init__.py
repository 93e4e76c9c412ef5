"""The editor: a text area for blueprints that keeps their bytes, shows what is wrong, and stays fast."""

from studio.editor.editor import BlueprintEditor

__all__ = ["BlueprintEditor"]
