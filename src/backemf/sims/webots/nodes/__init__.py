"""Webots worlds and PROTOs: the nodes of a VRML text, and what they say of a robot."""
