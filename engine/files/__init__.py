"""Bytes safely on disk: files of authors and of the studio, their recovery journal, settings and locks."""
