"""The editor: a text area for blueprints that keeps their bytes, shows what is wrong, and stays fast."""

from studio.tui.editor.blueprint_editor import BlueprintEditor
from studio.tui.editor.plain_editor import PlainEditor

__all__ = ["BlueprintEditor", "PlainEditor"]
