"""Commands: what a motor is told over time, each against its formula."""

import math
import sys

import numpy as np
import pytest

import backemf as be
from backemf.commands import as_command

TIME = np.linspace(0.0, 2.0, 401)


def test_a_constant_is_the_same_at_all_times():
    """v(t) = v."""
    assert (be.commands.Constant(12.0).at(TIME) == 12.0).all()


def test_a_constant_array_gives_each_motor_its_own():
    """Rows are times, columns are motors."""
    values = be.commands.Constant(np.array([1.0, 2.0, 3.0])).at(TIME)
    assert values.shape == (len(TIME), 3)
    assert (values == [1.0, 2.0, 3.0]).all()


def test_a_step_jumps_at_its_moment():
    """v = before for t < time, value from then on."""
    values = be.commands.Step(value=24.0, time=0.5, before=-3.0).at(TIME)
    assert (values == np.where(TIME > 0.4999, 24.0, -3.0)).all()


def test_a_step_meets_a_moment_that_rounding_misses():
    """3 · 0.1 is above 0.3 in floating point, and 0.7 - 0.1 is below 0.6: both mean the same moment."""
    assert be.commands.Step(value=1.0, time=3 * 0.1).at(np.array([0.3])) == 1.0
    assert be.commands.Step(value=1.0, time=0.6).at(np.array([0.7 - 0.1])) == 1.0


def test_a_step_comes_at_another_moment_for_each_motor():
    """The moment may be an array too."""
    values = be.commands.Step(value=1.0, time=np.array([0.5, 1.5])).at(np.array([0.0, 1.0, 2.0]))
    assert values.tolist() == [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]


def test_a_sine_follows_its_formula():
    """offset + amplitude·sin(2π·f·t + phase)."""
    values = be.commands.Sine(amplitude=3.0, frequency=2.0, phase=0.4, offset=1.0).at(TIME)
    assert np.allclose(values, 1.0 + 3.0 * np.sin(2 * math.pi * 2.0 * TIME + 0.4), rtol=0, atol=1e-12)


def test_sines_of_a_batch_have_their_own_amplitude_and_frequency():
    """Arrays broadcast against each other behind time."""
    values = be.commands.Sine(amplitude=np.array([[1.0], [2.0]]), frequency=np.array([1.0, 2.0, 3.0])).at(TIME)
    assert values.shape == (len(TIME), 2, 3)
    assert np.allclose(values[:, 1, 2], 2.0 * np.sin(2 * math.pi * 3.0 * TIME), rtol=0, atol=1e-12)


def test_a_chirp_sweeps_its_frequency_evenly():
    """The phase is 2π·(f0·t + (f1 - f0)·t²/(2·T)), and f1 goes on afterwards."""
    chirp = be.commands.Chirp(amplitude=2.0, start=1.0, end=5.0, duration=1.0)
    during, after = TIME[TIME <= 1.0], TIME[TIME > 1.0]
    cycles = 1.0 * during + (5.0 - 1.0) * during**2 / 2.0
    assert np.allclose(chirp.at(during), 2.0 * np.sin(2 * math.pi * cycles), rtol=0, atol=1e-12)
    cycles = (1.0 + 5.0) / 2.0 + 5.0 * (after - 1.0)
    assert np.allclose(chirp.at(after), 2.0 * np.sin(2 * math.pi * cycles), rtol=0, atol=1e-11)


def test_chirps_of_a_batch_end_at_their_own_frequency():
    """A column per motor equals that motor alone."""
    both = be.commands.Chirp(amplitude=1.0, start=0.5, end=np.array([4.0, 9.0]), duration=1.5).at(TIME)
    alone = be.commands.Chirp(amplitude=1.0, start=0.5, end=9.0, duration=1.5).at(TIME)
    assert np.allclose(both[:, 1], alone, rtol=0, atol=1e-12)


def test_a_trapezoid_rises_holds_and_falls():
    """Straight lines between the four corners."""
    trapezoid = be.commands.Trapezoid(value=10.0, rise=0.2, hold=0.5, fall=0.4, start=0.1)
    corners, heights = [0.1, 0.3, 0.8, 1.2], [0.0, 10.0, 10.0, 0.0]
    assert np.allclose(trapezoid.at(TIME), np.interp(TIME, corners, heights), rtol=0, atol=1e-12)


def test_a_trapezoid_without_fall_falls_as_it_rose():
    """fall = rise, so the signal is symmetric."""
    values = be.commands.Trapezoid(value=1.0, rise=0.5, hold=1.0).at(TIME)
    assert np.allclose(values, values[::-1], rtol=0, atol=1e-12)


def test_a_trapezoid_without_ramps_is_a_pulse():
    """Ramps of no length are jumps: on at the start, off at the end."""
    pulse = be.commands.Trapezoid(value=5.0, rise=0.0, hold=1.0, start=0.5)
    assert pulse.at(np.array([0.49, 0.5, 1.0, 1.49, 1.5, 2.0])).tolist() == [0.0, 5.0, 5.0, 5.0, 0.0, 0.0]


def test_trapezoids_of_a_batch_have_their_own_times():
    """A column per motor equals that motor alone, a jump beside a ramp too."""
    both = be.commands.Trapezoid(value=np.array([1.0, 2.0]), rise=np.array([0.0, 0.3]), hold=0.4).at(TIME)
    for column, (value, rise) in enumerate([(1.0, 0.0), (2.0, 0.3)]):
        assert (both[:, column] == be.commands.Trapezoid(value=value, rise=rise, hold=0.4).at(TIME)).all()


def test_a_table_is_linear_in_between_and_holds_its_ends():
    """Half way between 2 and 6 is 4."""
    table = be.commands.Table([0.5, 1.0, 1.5], [2.0, 6.0, 5.0])
    assert table.at(np.array([0.0, 0.5, 0.75, 1.0, 9.0])).tolist() == [2.0, 2.0, 4.0, 6.0, 5.0]


@pytest.mark.parametrize("number", [3, 3.0, np.float64(3.0), np.float32(3.0), np.int64(3), np.array(3.0)])
def test_any_kind_of_number_is_a_constant(number):
    """Python's and NumPy's."""
    assert as_command(number) == be.commands.Constant(3.0)


@pytest.mark.parametrize("values", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])])
def test_any_kind_of_list_is_samples(values):
    """One value per step."""
    command = as_command(values)
    assert isinstance(command, be.commands.Samples)
    assert command.values.tolist() == [1.0, 2.0, 3.0]


def test_a_command_is_taken_as_it_is():
    """No copy of what is a command already."""
    sine = be.commands.Sine(amplitude=1.0, frequency=1.0)
    assert as_command(sine) is sine


def write_file(folder, text, encoding="utf-8"):
    file = folder / "volts.csv"
    file.write_bytes(text.encode(encoding))
    return file


def test_a_csv_gives_a_table(tmp_path):
    """Two columns: time and the value."""
    table = be.commands.from_csv(write_file(tmp_path, "time,volts\n0,1\n0.5,3\n"))
    assert table.time.tolist() == [0.0, 0.5] and table.values.tolist() == [1.0, 3.0]


def test_units_in_the_header_are_converted(tmp_path):
    """500 ms are 0.5 s, 2000 mV are 2 V."""
    table = be.commands.from_csv(write_file(tmp_path, "time [ms],volts [mV]\n0,1000\n500,2000\n"))
    assert table.time.tolist() == [0.0, 0.5] and table.values.tolist() == [1.0, 2.0]


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path):
    """Spreadsheets write both."""
    table = be.commands.from_csv(write_file(tmp_path, "time,volts\r\n0,1\r\n\r\n0.5,3\r\n", "utf-8-sig"))
    assert table.time.tolist() == [0.0, 0.5] and table.values.tolist() == [1.0, 3.0]


def test_a_column_is_chosen_by_name(tmp_path):
    """Quotes, spaces and other columns are passed over."""
    file = write_file(tmp_path, '"time [s]", a ,"b [V]"\n0,x,1\n1,y,2\n')
    assert be.commands.from_csv(file, column="b").values.tolist() == [1.0, 2.0]


def test_a_recorded_run_is_a_command(tmp_path):
    """What `to_csv` writes, `from_csv` reads back."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )
    run = be.simulate(
        motor, be.LockedRotor(), be.commands.Sine(amplitude=3.0, frequency=5.0), 0.1, 1e-3, engine="numpy"
    )
    table = be.commands.from_csv(run.to_csv(tmp_path / "run.csv"), column="command")
    assert np.allclose(table.at(run.time), run["command"], rtol=1e-8, atol=0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "needs a header line and at least one row"),
        ("time,volts\n", "needs a header line and at least one row"),
        ("t,volts\n0,1\n", "line 1: no column 'time'; there are t, volts"),
        ("time\n0\n", "line 1: name the command's column, one of none"),
        ("time,a,b\n0,1,2\n", "line 1: name the command's column, one of a, b"),
        ("time,volts\n0,1\n1,two\n", "line 3, volts = 'two': must be a number"),
        ("time,volts\n0,1\n1\n", "line 3, volts = '': must be a number"),
        ("time,volts\n0,1\n\n1,1,5\n2,1.5.2\n", "line 5, volts = '1.5.2': must be a number"),
        ("time,volts\n0,nan\n", "line 2, volts = nan: must be finite"),
        ("time,volts\n0,1\ninf,2\n", "line 3, time = inf: must be finite"),
        ("time,volts\n0,1\n2,1\n1,1\n", "line 4: time must rise"),
        ("time,volts\n0,1\n\n0,1\n", "line 4: time must rise"),
        ("time [A],volts\n0,1\n", r'line 1, time \[A\]: "1 A" is a current, not a time'),
        ("time,volts [mm]\n0,1\n", "is a length, not a voltage"),
    ],
)
def test_a_bad_csv_is_refused_with_file_and_line(tmp_path, text, words):
    """One sentence that names file, line, column and value."""
    file = write_file(tmp_path, text)
    with pytest.raises(be.ParameterError, match=words) as caught:
        be.commands.from_csv(file)
    assert str(caught.value).startswith(str(file)) and "\n" not in str(caught.value)


def test_a_csv_that_is_no_text_is_refused(tmp_path):
    """A missing file, a folder, another encoding, an unknown column."""
    with pytest.raises(be.ParameterError, match="no such file"):
        be.commands.from_csv(tmp_path / "missing.csv")
    with pytest.raises(be.ParameterError, match="cannot be read: it is a folder; give a CSV file"):
        be.commands.from_csv(tmp_path)
    with pytest.raises(be.ParameterError, match="cannot be read as CSV"):
        be.commands.from_csv(write_file(tmp_path, "time,größe\n0,1\n", "latin-1"))
    with pytest.raises(be.ParameterError, match="no column 'amps'; there are time, volts"):
        be.commands.from_csv(write_file(tmp_path, "time,volts\n0,1\n"), column="amps")


class Ladder(be.commands.Signal):
    """Up by one volt every 10 ms."""

    def at(self, time: np.ndarray) -> np.ndarray:
        return np.floor(time / 0.01 + 1e-9)


def test_a_command_of_ones_own_is_asked_at_the_time_of_each_step():
    """With a step of 5 ms the ladder gives 0 0 1 1 2 2 ... V."""
    plain = be.Motor(winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
    run = be.simulate(plain, be.Inertia(inertia=1e-4), Ladder(), 0.05, 5e-3, engine="numpy")
    assert run["command"].tolist() == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]


def test_samples_go_on_from_piece_to_piece_of_a_run(monkeypatch):
    """In pieces of 4 steps each of 10 samples still acts once, in its own step."""
    monkeypatch.setattr(sys.modules["backemf.simulate"], "CHUNK", 4)
    plain = be.Motor(winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
    run = be.simulate(plain, be.Inertia(inertia=1e-4), np.arange(10.0), 0.01, 1e-3, engine="numpy")
    assert run["command"].tolist() == list(range(10))
