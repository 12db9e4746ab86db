"""What keeps strangers out of a server on this machine."""
