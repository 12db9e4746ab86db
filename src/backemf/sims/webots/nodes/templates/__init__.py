"""Templates in the bodies of PROTOs: JavaScript and Lua, run by a built-in interpreter.

A PROTO may come from anywhere, so its program must not reach anything: the interpreter has no access to files, the
network or Python, its work is bounded, and an error names what is not supported, with the line.
"""
