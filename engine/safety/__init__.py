"""The safety layer: off unless somebody turns it on; what is asked and answered is looked through.

``guard.Guarded`` stands before an engine. Importing this package loads no rules and no library: it
tells the settings, for whoever shows them.
"""

from engine.safety.settings import (
    Profile,
    SafetySettings,
    policy_path,
    read_settings,
    rules_folder,
)

__all__ = ["Profile", "SafetySettings", "policy_path", "read_settings", "rules_folder"]
