"""What changed in meaning between two versions of a blueprint, and which scores move by it."""

from engine.blueprint_changes.change import BlueprintChanges
from engine.blueprint_changes.comparison import changes_between

__all__ = ["BlueprintChanges", "changes_between"]
