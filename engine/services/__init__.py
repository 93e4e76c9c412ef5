"""Services that points call over HTTP: `$call` and `$factcheck` (000, "External Services", "Fact-Checking Shortcut").

definitions → calls (what would be sent) → hosts (the recipients) → service_client (request and reply).
"""
