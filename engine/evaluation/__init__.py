"""One prompt × one answer source: an async stream of typed events, cancellable."""
