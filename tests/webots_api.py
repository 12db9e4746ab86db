"""Names of the module `controller` of Webots R2025a: what a script may call, read or set on each class."""

from __future__ import annotations

_TYPES = "Bool Int32 Float Vec2f Vec3f Rotation Color String"
_COLOURS = "BLACK RED GREEN YELLOW BLUE MAGENTA CYAN WHITE"
_SAMPLES = "enable disable getSamplingPeriod sampling_period"
_DEVICE = "getName getModel getNodeType name model"
_TABLE = "getLookupTable lookup_table"
_PRESENCE = "enablePresence disablePresence getPresence getPresenceSamplingPeriod presence presence_sampling_period"
_PICTURE = "getWidth getHeight width height"
_RANGES = "getMinRange getMaxRange min_range max_range"

API = {
    "Accelerometer": f"{_DEVICE} {_SAMPLES} {_TABLE} getValues value",
    "Altimeter": f"{_DEVICE} {_SAMPLES} getValue value",
    "AnsiCodes": "RESET BOLD UNDERLINE CLEAR_SCREEN "
    + " ".join(f"{colour}_{ground}" for colour in _COLOURS.split() for ground in ("BACKGROUND", "FOREGROUND")),
    "Brake": f"{_DEVICE} ROTATIONAL LINEAR setDampingConstant dampingConstant getType getMotor getPositionSensor "
    "motor position_sensor type",
    "Camera": f"{_DEVICE} {_SAMPLES} {_PICTURE} getExposure setExposure exposure getFocalDistance setFocalDistance "
    "focal_distance getFocalLength focal_length getFov setFov fov getMinFov min_fov getMaxFov max_fov "
    "getMinFocalDistance min_focal_distance getMaxFocalDistance max_focal_distance getNear near getImage image "
    "getImageArray imageGetRed imageGetGreen imageGetBlue imageGetGray saveImage hasRecognition recognitionEnable "
    "recognitionDisable getRecognitionSamplingPeriod getRecognitionNumberOfObjects getRecognitionObjects "
    "hasRecognitionSegmentation enableRecognitionSegmentation disableRecognitionSegmentation "
    "isRecognitionSegmentationEnabled getRecognitionSegmentationImage getRecognitionSegmentationImageArray "
    "saveRecognitionSegmentationImage segmentation_image",
    "Compass": f"{_DEVICE} {_SAMPLES} {_TABLE} getValues value",
    "Connector": f"{_DEVICE} {_PRESENCE} isLocked lock unlock locked",
    "ContactPoint": "getPoint getNodeId point node_id",
    "Device": _DEVICE,
    "Display": f"{_DEVICE} {_PICTURE} RGB RGBA ARGB BGRA ABGR attachCamera detachCamera drawLine drawOval drawPixel "
    "drawPolygon drawRectangle drawText fillOval fillPolygon fillRectangle imageCopy imageDelete imageNew "
    "imageLoad imagePaste imageSave setAlpha alpha setColor color setFont setOpacity opacity",
    "DistanceSensor": f"{_DEVICE} {_SAMPLES} {_TABLE} GENERIC INFRA_RED SONAR LASER getValue value getAperture "
    "aperture getMinValue min_value getMaxValue max_value getType type",
    "Emitter": f"{_DEVICE} CHANNEL_BROADCAST send getBufferSize buffer_size getChannel setChannel channel getRange "
    "setRange range",
    "Field": "getName name getType type getTypeName type_name getCount count getActualField value enableSFTracking "
    "disableSFTracking removeMF removeSF importMFNodeFromString importSFNodeFromString getSFNode getMFNode "
    + " ".join(f"{call}{kind}" for kind in _TYPES.split() for call in ("getSF", "setSF", "getMF", "setMF", "insertMF"))
    + " "
    + " ".join(f"{many}_{kind.upper()}" for kind in [*_TYPES.split(), "Node"] for many in ("SF", "MF")),
    "GPS": f"{_DEVICE} {_SAMPLES} LOCAL WGS84 getValues value getSpeed speed getSpeedVector speed_vector "
    "getCoordinateSystem coordinate_system convertToDegreesMinutesSeconds",
    "Gyro": f"{_DEVICE} {_SAMPLES} {_TABLE} getValues value",
    "InertialUnit": f"{_DEVICE} {_SAMPLES} getRollPitchYaw roll_pitch_yaw getQuaternion quaternion getNoise noise",
    "Joystick": f"{_SAMPLES} isConnected is_connected model getNumberOfAxes number_of_axes getAxisValue "
    "getNumberOfPovs number_of_povs getPovValue getPressedButton pressed_button setConstantForce "
    "setConstantForceDuration setAutoCenteringGain setResistanceGain setForceAxis",
    "Keyboard": f"{_SAMPLES} END HOME LEFT UP RIGHT DOWN PAGEUP PAGEDOWN NUMPAD_HOME NUMPAD_LEFT NUMPAD_UP "
    "NUMPAD_RIGHT NUMPAD_DOWN NUMPAD_END KEY SHIFT CONTROL ALT getKey get_key get_key_code",
    "LED": f"{_DEVICE} set get value",
    "Lidar": f"{_DEVICE} {_SAMPLES} {_RANGES} getFov fov getVerticalFov vertical_fov getFrequency setFrequency "
    "frequency getMinFrequency min_frequency getMaxFrequency max_frequency getHorizontalResolution "
    "horizontal_resolution getNumberOfLayers number_of_layers getNumberOfPoints number_of_points getRangeImage "
    "range_image getRangeImageArray getLayerRangeImage enablePointCloud disablePointCloud isPointCloudEnabled "
    "getPointCloud getLayerPointCloud",
    "LidarPoint": "x y z layer time",
    "LightSensor": f"{_DEVICE} {_SAMPLES} {_TABLE} getValue value",
    "Motion": "isValid play stop setLoop setReverse isOver getDuration duration getTime setTime time",
    "Motor": f"{_DEVICE} ROTATIONAL LINEAR setPosition target_position getTargetPosition setVelocity "
    "target_velocity getVelocity setAcceleration target_acceleration getAcceleration setAvailableForce "
    "getAvailableForce available_force setAvailableTorque getAvailableTorque available_torque setControlPID "
    "getMinPosition min_position getMaxPosition max_position getMaxVelocity max_velocity getMaxForce max_force "
    "getMaxTorque max_torque getMultiplier multiplier enableForceFeedback disableForceFeedback getForceFeedback "
    "force_feedback getForceFeedbackSamplingPeriod force_feedback_sampling_period enableTorqueFeedback "
    "disableTorqueFeedback getTorqueFeedback torque_feedback getTorqueFeedbackSamplingPeriod "
    "torque_feedback_sampling_period setForce force setTorque torque getType type getBrake brake getPositionSensor "
    "position_sensor",
    "Mouse": f"{_SAMPLES} getState enable3dPosition disable3dPosition is3dPositionEnabled",
    "MouseState": "u v x y z left middle right",
    "Node": "getDef DEF getId id getType type getTypeName type_name getBaseTypeName base_type_name getParentNode "
    "isProto getProto getFromProtoDef remove exportString getField getFieldByIndex getNumberOfFields "
    "number_of_fields getBaseNodeField getBaseNodeFieldByIndex getNumberOfBaseNodeFields "
    "number_of_base_node_fields getPosition getOrientation getPose enablePoseTracking disablePoseTracking "
    "getCenterOfMass getContactPoints enableContactPointsTracking disableContactPointsTracking getStaticBalance "
    "getVelocity setVelocity saveState loadState resetPhysics setJointPosition restartController moveViewpoint "
    "setVisibility addForce addForceWithOffset addTorque NO_NODE ROBOT SOLID HINGE_JOINT HINGE_2_JOINT "
    "VACUUM_GRIPPER RADIO",
    "Pen": f"{_DEVICE} write setInkColor",
    "PositionSensor": f"{_DEVICE} {_SAMPLES} ROTATIONAL LINEAR getValue value getType type getBrake brake getMotor "
    "motor",
    "Proto": "getTypeName type_name getProtoParent getParameter getParameterByIndex getNumberOfParameters "
    "number_of_parameters",
    "Radar": f"{_DEVICE} {_SAMPLES} {_RANGES} getHorizontalFov horizontal_fov getVerticalFov vertical_fov "
    "getNumberOfTargets number_of_targets getTargets",
    "RangeFinder": f"{_DEVICE} {_SAMPLES} {_PICTURE} {_RANGES} getFov fov getRangeImage range_image "
    "getRangeImageArray rangeImageGetDepth saveImage",
    "Receiver": f"{_DEVICE} {_SAMPLES} getBytes getData data getDataSize data_size getFloats getInts getBools "
    "getQueueLength queue_length getString string nextPacket getSignalStrength signal_strength getEmitterDirection "
    "emitter_direction getChannel setChannel channel",
    "Robot": "EVENT_QUIT EVENT_NO_EVENT EVENT_MOUSE_CLICK EVENT_MOUSE_MOVE EVENT_KEYBOARD EVENT_JOYSTICK_BUTTON "
    "EVENT_JOYSTICK_AXIS EVENT_JOYSTICK_POV MODE_SIMULATION MODE_CROSS_COMPILATION MODE_REMOTE_CONTROL "
    "getAccelerometer getAltimeter getBrake getCamera getCompass getConnector getDisplay getDistanceSensor "
    "getEmitter getGPS getGyro getInertialUnit getLED getLidar getLightSensor getMotor getPen getPositionSensor "
    "getRadar getRangeFinder getReceiver getSkin getSpeaker getTouchSensor getDevice getDeviceByIndex "
    "getNumberOfDevices number_of_devices devices getKeyboard keyboard getMouse mouse getJoystick joystick "
    "getBasicTimeStep basic_time_step getName name getModel model getCustomData setCustomData custom_data "
    "getProjectPath project_path getWorldPath world_path getSupervisor supervisor getSynchronization "
    "synchronization getTime time getUrdf wwiSendText wwiReceiveText step stepBegin stepEnd waitForUserInputEvent "
    "batterySensorEnable batterySensorDisable batterySensorGetSamplingPeriod batterySensorGetValue "
    "battery_sensor_sampling_period getMode setMode mode",
    "Skin": f"{_DEVICE} getBoneCount bone_count getBoneName getBoneOrientation getBonePosition setBoneOrientation "
    "setBonePosition",
    "Speaker": f"{_DEVICE} playSound stop isSoundPlaying speak isSpeaking setEngine getEngine setLanguage getLanguage",
    "Supervisor": "getRoot getSelf getFromDef getFromId getFromDevice getSelected setLabel simulationQuit "
    "simulationSetMode simulationGetMode simulation_mode simulationReset simulationResetPhysics worldLoad "
    "worldSave worldReload exportImage movieStartRecording movieStopRecording movieIsReady movieFailed "
    "animationStartRecording animationStopRecording virtualRealityHeadsetIsUsed virtualRealityHeadsetGetPosition "
    "virtualRealityHeadsetGetOrientation SIMULATION_MODE_PAUSE SIMULATION_MODE_REAL_TIME SIMULATION_MODE_FAST",
    "TouchSensor": f"{_DEVICE} {_SAMPLES} {_TABLE} BUMPER FORCE FORCE3D getValue value getValues values getType type",
    "VacuumGripper": f"{_DEVICE} {_PRESENCE} isOn on turnOn turnOff",
}
"""Methods, properties and constants of each class. A CameraRecognitionObject and a RadarTarget are never made here."""
