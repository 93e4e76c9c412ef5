"""Tests of the recovery journal."""
