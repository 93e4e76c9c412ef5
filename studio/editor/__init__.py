"""The editor: a text area for blueprints that keeps their bytes, shows what is wrong, and stays fast."""

from studio.editor.editor import BlueprintEditor
from studio.editor.plain import PlainEditor

__all__ = ["BlueprintEditor", "PlainEditor"]
