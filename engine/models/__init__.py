"""Models and services behind one guarded HTTP: providers, one module for each wire format, and what checks call.

Cheap to import: HTTP is loaded with the first request.
"""
