"""Templates in the bodies of PROTOs: JavaScript and Lua, run by an interpreter of our own.

A PROTO is a file from anywhere, so its program must not reach anything: this interpreter has no way to a file, to the
network or to Python, its work is counted, and what it does not know it names, with the line.
"""
