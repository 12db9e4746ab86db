"""A robot for controller scripts: its joints, motors, sensors and brakes."""
