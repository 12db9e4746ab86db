"""What pages ask for: the functions of the command line, with the state of an address in and plain data out.

No library of a browser is loaded here: worker processes run these functions.
"""
