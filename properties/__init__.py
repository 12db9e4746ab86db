"""The property run: millions of random motors and inputs, and what must hold for every one of them.

`python -m properties --minutes 60` tries them, `python -m properties --help` says what else it takes.
"""
