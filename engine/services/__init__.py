"""Services that points ask over HTTP: `$call` and `$factcheck` (000, "External Services", "Fact-Checking Shortcut").

definitions → calls (what would be sent) → hosts (who would receive it) → service_client (sent and answered).
"""
