"""The devices that a controller script sees."""
