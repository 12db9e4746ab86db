"""Simulators: one room each, with what it computes, what it reads and writes, and our motor inside it.

`room.py` says which names every room offers.
"""
