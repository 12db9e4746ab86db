"""One step of a whole motor: drive, mechanics and heat, composed.

Two ways to run it. `held` is for a host that owns the joint: it gives the joint's position and speed, both are
held over the step, and the torque comes back. `coupled` is for our own simulation: it also knows what hangs on the
joint, and finds the speed at the end of the step together with the torque, so any dt is stable.
"""

from __future__ import annotations

from ..motor import Motor, Thermal, TwoNodeThermal
from ..motor.friction import Bristles
from ..parts import acts
from ..values import Bits, Maybe, Number, Recorded
from .bristle import stored_energy
from .circuit import Circuit, circuit_of, copper_rise, housing_temperature, measured_temperature, winding_temperature
from .demand import Demand, after_change, along_chord
from .drive import Driven, drive
from .lines import Line, acting_line, lines_of, torque_per_mean_ampere, value_at
from .mechanics import (
    FrictionLaw,
    Load,
    Parted,
    Rubbed,
    braking,
    cogging,
    drag,
    dry_friction,
    estimated_friction,
    friction_at,
    iron_power,
    part,
    prescribed_friction,
    rub,
)
from .network import NetworkPull, network_pull
from .ops import change, maximum, same, where
from .state import Output, State
from .supply import Supply
from .thermal import one_node, two_nodes
from .thermistor import phase_rise_after, sensor_rise_after, uneven_heat


def heat(motor: Motor, state: State, copper: Number, iron: Number, dt: Number) -> tuple[Maybe, Maybe]:
    """Rises of winding and housing after a step [K]; None where there is no such state."""
    if isinstance(motor.thermal, TwoNodeThermal):
        return two_nodes(state.winding_rise, state.housing_rise, copper, iron, dt, motor.thermal)
    if isinstance(motor.thermal, Thermal):
        return one_node(state.winding_rise, copper + iron, dt, motor.thermal), None
    return None, None


def sense(
    motor: Motor, state: State, winding_rise: Recorded, copper: Number, angle: Number, speed: Number, dt: Number
) -> tuple[Maybe, Maybe]:
    """Rises of the thermistor's phase and of the thermistor after a step [K]; None where there is no such state.

    `winding_rise` is that of the end of the step, `angle` that of the rotor at its start.
    """
    thermistor = motor.thermistor
    assert thermistor is not None
    phase_rise, sensor_rise = None, None
    if state.phase_rise is not None:
        phase = thermistor.phase_heat
        assert phase is not None
        heat = uneven_heat(copper, angle, speed, dt, phase)
        phase_rise = phase_rise_after(state.phase_rise, heat, dt, *winding_node(motor), phase)
    if state.sensor_rise is not None:
        before, after = copper_rise(state, state.winding_rise), winding_rise
        after = after if phase_rise is None else after + phase_rise
        sensor_rise = sensor_rise_after(state.sensor_rise, before, after, dt, thermistor)
    return phase_rise, sensor_rise


def winding_node(motor: Motor) -> tuple[Number, Number]:
    """Thermal resistance [K/W] and heat capacity [J/K] of the winding."""
    thermal = motor.thermal
    assert thermal is not None
    if isinstance(thermal, TwoNodeThermal):
        return thermal.winding_resistance, thermal.winding_capacitance
    return thermal.resistance, thermal.capacitance


def has_backlash(motor: Motor) -> bool:
    return motor.gearbox is not None and acts(motor.gearbox, "backlash")


def held(
    motor: Motor, supply: Supply | None, state: State, demand: Demand, joint_position: Number, joint_velocity: Number,
    dt: Number, load_torque: Maybe = None, load_inertia: Maybe = None,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output for a joint position and velocity held over the step.

    `load_torque` [N·m] and `load_inertia` [kg·m²] are what the host knows of the joint without the motor's own
    inertia. With both, friction is that of the speed the joint will have: it stops the joint exactly and stays passive
    even where bristles are stiffer than the step can follow. Without them it stops the rotor's own inertia at most.
    """
    if has_backlash(motor) and load_torque is not None and load_inertia is not None:
        # the rotor is ours to integrate
        new, _, out = coupled(
            motor, supply, state, demand, joint_position, joint_velocity, dt, load_torque, load_inertia, 0.0
        )
        return new, out
    ratio = motor.ratio
    speed = ratio * joint_velocity
    circuit = circuit_of(motor, state, dt)
    driven = drive(motor, supply, circuit, demand, speed, dt, mean_torque=False)
    dragged, drag_slope = drag(motor, speed)
    angle = ratio * joint_position
    cogged = cogging(motor, angle)
    slope = driven.slope + drag_slope
    if motor.network is not None:
        pull = pull_of_network(motor, driven, joint_position, joint_velocity, 0.0)
        cogged, slope = cogged + pull.torque, slope + pull.fall
    torque = driven.torque + cogged - dragged
    share, bent = None, state
    if motor.friction_over_angle is not None:
        share, bent = friction_at(motor, state, joint_position)
    load = load_on(motor, load_torque, load_inertia, torque, share)
    free = speed
    if load.inertia is not None:
        free = speed + dt * (torque if load.torque is None else torque + load.torque) / load.inertia
    known = load_torque is not None and load_inertia is not None
    rubbed = rub(motor, bent, speed, torque, free, load, dt, implicit=known, law=dry_friction)
    # friction works along the way that the joint will go; the rest of the telemetry is that of the held speed
    lost = rubbed.friction + rubbed.gear_loss
    numerical = lost * (rubbed.speed - speed) if known else 0.0
    rubbing_speed = rubbed.speed if known else speed
    new = remember(motor, state, driven, rubbed, angle, speed, None, dt)
    out = report(
        motor,
        state,
        new,
        driven,
        rubbed,
        speed,
        rubbing_speed,
        speed,
        torque - lost,
        cogged,
        dragged,
        slope,
        numerical,
        dt,
    )
    return new, out


def load_on(motor: Motor, load_torque: Maybe, load_inertia: Maybe, driving: Number, share: Maybe) -> Load:
    """What the host knows of the load, brought to the motor side, under the torque of the motor.

    `share` is how much of the dry friction there is at the joint's angle [1].
    """
    own, ratio = motor.inertia, motor.ratio
    pull = None if load_torque is None else load_torque / ratio
    if load_inertia is not None:
        return Load(own + load_inertia / (ratio * ratio), own, pull, driving, share)
    return Load(None if motor.rotor is None else own, own, pull, driving, share)


def remember(
    motor: Motor, state: State, driven: Driven, rubbed: Rubbed, angle: Number, speed: Number, gap: Maybe, dt: Number
) -> State:
    """State after a step that starts at an angle of the rotor and ends at a speed."""
    winding_rise, housing_rise = heat(motor, state, driven.copper_power, iron_power(motor, speed), dt)
    phase_rise, sensor_rise = None, None
    if motor.thermistor is not None:
        phase_rise, sensor_rise = sense(motor, state, winding_rise, driven.copper_power, angle, speed, dt)
    return change(
        state,
        current=None if state.current is None else driven.current,
        winding_rise=winding_rise,
        housing_rise=housing_rise,
        phase_rise=phase_rise,
        sensor_rise=sensor_rise,
        bristle=rubbed.bristle,
        gap=gap,
        rotor_speed=None if gap is None else rubbed.speed,
    )


def coupled(
    motor: Motor, supply: Supply | None, state: State, demand: Demand, joint_position: Number, joint_velocity: Number,
    dt: Number, load_torque: Number, load_inertia: Number, load_slope: Number, prescribed: Maybe = None,
) -> tuple[State, Number, Output]:  # fmt: skip
    """New state, joint velocity at the end of the step, and output, together with a load.

    The load pulls with `load_torque` at the present speed [N·m], falling by `load_slope` per speed [N·m·s/rad]. All
    torques that fall with speed are taken at the speed of the end of the step, w1, along the line of the command or of
    the bound that acts there:

        J·(w1 - w0) = dt·(torque(w0) - slope·(w1 - w0))

    Where the joint ends at a `prescribed` velocity [rad/s], load and inertia are those of the machine that moves it.
    """
    ratio = motor.ratio
    parted = has_backlash(motor)
    angle = ratio * joint_position + state.gap if parted else ratio * joint_position
    start = state.rotor_speed if parted else ratio * joint_velocity
    circuit = circuit_of(motor, state, dt)
    coefficient, _ = braking(motor, start)
    cogged, share, bent = cogging(motor, angle), None, state
    if motor.friction_over_angle is not None:
        share, bent = friction_at(motor, state, joint_position)
    falls = not (isinstance(load_slope, float) and load_slope == 0.0)
    outside = (load_inertia + dt * load_slope if falls else load_inertia) / (ratio * ratio)
    pull = load_torque / ratio
    if demand.steepening is not None:
        demand = along_chord(demand)
    demand = with_stiffness(motor, circuit, demand, start, motor.inertia + outside, dt)

    # what a network, friction under load and a shared battery feel of the motor is that of the start
    bus, driving, network = None, None, None
    by_load = motor.friction is not None and motor.friction.by_load
    by_start = by_load or (supply is not None and acts(supply, "resistance") and supply.shared)
    if by_start or motor.network is not None:
        guess = drive(motor, supply, circuit, demand, start, dt, mean_torque=True)
        if motor.network is not None:
            network = pull_of_network(motor, guess, angle / ratio, start / ratio, dt)
            cogged = cogged + network.torque
        if by_start:
            bus, driving = guess.bus_voltage, guess.torque + cogged - coefficient * start

    lines = lines_of(motor, supply, circuit, demand, start, bus, dt)
    constant = torque_per_mean_ampere(motor, circuit, lines)

    def push(line: Line) -> tuple[Number, Number]:
        # drag of any order brakes the end speed with the coefficient of the start: it never pushes, whatever the step
        torque = constant * line.value + cogged - coefficient * start
        fall = constant * line.fall + coefficient
        return torque, motor.inertia + dt * (fall if network is None else fall + network.fall)

    def move(line: Line, friction: FrictionLaw) -> Parted:
        torque, own = push(line)
        if parted:
            gear_speed = ratio * joint_velocity + dt * pull / outside
            return part(motor, bent, start, torque, driving, own, gear_speed, outside, pull, share, dt, friction)
        load = Load(own + outside, own, pull, driving, share)
        free = start + dt * (torque + pull) / load.inertia if prescribed is None else ratio * prescribed
        rubbed = rub(motor, bent, start, torque, free, load, dt, implicit=True, law=friction)
        return Parted(rubbed, None, None, rubbed.speed, None)

    # along the line that acts where the step ends; the line that was tried last is often the one
    exact = dry_friction if prescribed is None or parted else prescribed_friction
    estimate = estimated_friction if exact is dry_friction and isinstance(motor.friction, Bristles) else exact
    tried: list[tuple[Line, Parted]] = []

    def try_line(line: Line, friction: FrictionLaw) -> Parted:
        if tried and friction is estimate and same(line.value, tried[0][0].value) and same(line.fall, tried[0][0].fall):
            return tried[0][1]
        tried[:] = [(line, move(line, friction))]
        return tried[0][1]

    line = acting_line(lines, lambda line: try_line(line, estimate).rubbed.speed - start)
    moved = try_line(line, exact)

    # the winding, the iron and the drag as they are at the speed of the end
    rubbed, end = moved.rubbed, moved.rubbed.speed
    driven = drive(motor, supply, circuit, after_change(demand, end - start), end, dt, mean_torque=True)
    dragged, drag_slope = drag(motor, end)
    if motor.magnet.saturation is not None:
        driven = change(driven, torque=constant * driven.mean_current)
    slope = driven.slope + drag_slope
    if network is not None:
        cogged, slope = cogged - network.fall * (end - start), slope + network.fall
    integrated = constant * value_at(line, end - start) + cogged - coefficient * end
    numerical = (integrated - (driven.torque + cogged - dragged)) * end
    passed, accelerating = integrated - rubbed.friction, None
    if parted:
        passed, accelerating = moved.passed, passed - moved.passed
    torque = passed - rubbed.gear_loss
    new = remember(motor, state, driven, rubbed, angle, end, moved.gap, dt)
    out = report(
        motor, state, new, driven, rubbed, end, end, moved.gear_speed, torque, cogged, dragged, slope, numerical, dt,
        moved.flank, accelerating,
    )  # fmt: skip
    return new, moved.gear_speed / ratio, out


def pull_of_network(
    motor: Motor, driven: Driven, joint_position: Number, joint_velocity: Number, dt: Number
) -> NetworkPull:
    """What the motor's network does over a step, on the motor side: torque [N·m], and its fall over the rotor's speed.

    Rotor and joint go together here: with backlash, position and velocity are the rotor's behind the gears.
    """
    ratio, network = motor.ratio, motor.network
    assert network is not None
    torque, fall = ratio * driven.torque, ratio * ratio * driven.slope
    pull = network_pull(network, joint_position, joint_velocity, torque, fall, dt)
    return NetworkPull(pull.torque / ratio, pull.fall / (ratio * ratio))


def with_stiffness(
    motor: Motor, circuit: Circuit, demand: Demand, speed: Number, inertia: Number, dt: Number
) -> Demand:
    """The demand of a position loop that is too stiff for the step: it sees part of the way that the step will go.

    A loop of stiffness k on an inertia J takes the position of the start, which is good while k·dt² is below J. Beyond
    that the excess X = k·dt² - J acts at the end of the step, on the angle w1·dt: that is stable for any gain and step.
    """
    if isinstance(demand.per_angle, float) and demand.per_angle == 0.0:
        return demand
    loop = demand.current is not None and demand.by_current is None
    per_unit = circuit.come_mean / circuit.come if loop else circuit.come_mean / circuit.resistance
    constant = motor.magnet.torque_constant * circuit.flux * per_unit
    stiffness = -constant * demand.per_angle
    # X/dt, then in volts or amperes per speed
    excess = maximum(stiffness * dt - inertia / dt, 0.0)
    braking_share = excess / maximum(constant, 1e-30)
    asked = "current" if loop else "voltage"
    return change(
        demand,
        **{asked: getattr(demand, asked) - braking_share * speed},
        per_speed=demand.per_speed - braking_share,
    )


def report(
    motor: Motor, before: State, after: State, driven: Driven, rubbed: Rubbed, speed: Number, rubbing_speed: Number,
    work_speed: Number, torque: Number, cogged: Number, dragged: Number, slope: Number, numerical: Number, dt: Number,
    flank: Bits | None = None, accelerating: Recorded = None,
) -> Output:  # fmt: skip
    """Torque and telemetry of a step, brought to the joint.

    With backlash `flank` is where rotor and gears touch, `accelerating` the torque that is left to the rotor.
    """
    ratio = motor.ratio
    bristle_power = 0.0
    if isinstance(motor.friction, Bristles):
        stiffness = motor.friction.stiffness
        bristle_power = (stored_energy(after.bristle, stiffness) - stored_energy(before.bristle, stiffness)) / dt
    air_gap = driven.torque * speed
    # drag brakes for the iron losses too, but their heat has a name of its own
    braking = dragged * speed
    iron = iron_power(motor, speed)
    friction_power = rubbed.friction * rubbing_speed - bristle_power
    mechanical = torque * work_speed
    gear_power, rotor_power = rubbed.gear_loss * rubbing_speed, 0.0
    if flank is not None:
        # the rotor's own energy; a flank that is hit takes what the rotor loses to the gears, beside their own loss
        change = dt * accelerating / motor.inertia
        rotor_power, swallowed = accelerating * (speed - 0.5 * change), 0.5 * accelerating * change
        closing = (torque + rubbed.gear_loss) * (speed - work_speed)
        gear_power = rubbed.gear_loss * work_speed + where(flank, closing + swallowed, 0.0)
        # in free flight it is what the step loses by taking the torque at its end
        numerical = numerical - where(flank, 0.0, swallowed)
    return Output(
        torque=ratio * torque,
        torque_requested=ratio * driven.requested,
        torque_slope=ratio * ratio * slope,
        torque_stiffness=ratio * ratio * driven.stiffness,
        motor_torque=driven.torque,
        voltage=driven.voltage,
        current=driven.current,
        back_emf=driven.back_emf,
        winding_temperature=winding_temperature(motor, after),
        housing_temperature=housing_temperature(motor, after),
        measured_temperature=None if motor.thermistor is None else measured_temperature(motor, after),
        rotor_speed=speed,
        electrical_power=driven.electrical_power,
        copper_power=driven.copper_power,
        iron_power=iron,
        magnetic_power=driven.magnetic_power,
        conversion_power=driven.back_emf * driven.mean_current - air_gap,
        drag_power=braking - iron,
        friction_power=friction_power,
        bristle_power=bristle_power,
        cogging_power=cogged * speed,
        gear_power=gear_power,
        rotor_power=rotor_power,
        mechanical_power=mechanical,
        numerical_power=numerical,
        bus_voltage=driven.bus_voltage,
        bus_current=driven.bus_current,
        brake_power=driven.brake_power,
        limit=driven.limit,
    )
