"""Rubrics that are written, spoiled by slips and mixtures, checked and fixed: is any of the author's words lost?"""
