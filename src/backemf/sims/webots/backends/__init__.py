"""What stands behind the devices: Webots' ideal motor, our full motor, or joints of a MuJoCo model."""
