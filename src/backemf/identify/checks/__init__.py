"""Checks of logs, one file for each kind of defect; each is a function from a log of one joint to findings."""
