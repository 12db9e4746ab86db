"""Templates in the bodies of PROTOs: JavaScript and Lua, run by QuickJS and Lua 5.2 in a process of their own.

A PROTO may come from anywhere, so its program must not reach anything. The interpreters offer no files, no network and
no Python. Their own limits cannot stop every built-in function in time, such as a search in a long text, so they run
in a child process with limits on its CPU time and memory, which may be ended at any moment.
"""
