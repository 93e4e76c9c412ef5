"""The editor: a text area for blueprints that preserves their bytes, marks problems, and stays fast in long files."""

from studio.tui.editor.blueprint_editor import BlueprintEditor
from studio.tui.editor.painted_area import PlainEditor

__all__ = ["BlueprintEditor", "PlainEditor"]
