"""Text → nodes: YAML as js-yaml 4.1.0 reads it, or JSON, with exact spans for all nodes and errors."""
