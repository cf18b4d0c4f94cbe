"""Measure this project: its speed (`performance`) and the quality of its answers (`quality`).

MEASURED.md has the figures and the commands.
"""
