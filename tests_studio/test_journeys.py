"""From an empty page to the downloaded file, which the library then reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import shoot
from playwright.sync_api import Page, expect

import backemf as be
from backemf.motorfile import dumps
from backemf.transfer.targets import target_of

DRAWN = ".js-plotly-plot .scatterlayer"


def download(page: Page, name: str | re.Pattern[str], folder: Path) -> Path:
    """The file behind a button."""
    with page.expect_download() as got:
        page.get_by_role("button", name=name).first.click()
    path = folder / got.value.suggested_filename
    got.value.save_as(path)
    return path


@pytest.mark.parametrize(
    ("search", "name", "simulator", "target"),
    [
        ("re 40 gp", "maxon RE 40 with GP 52 C 53:1", "MuJoCo 4.0", "mujoco@4.0"),
        ("mini cheetah", "MIT Mini Cheetah actuator", "Isaac Lab 2.3", "isaaclab"),
        ("xm430 w350", "Dynamixel XM430-W350", "Webots", "webots"),
    ],
)
def test_a_motor_of_the_catalogue_reaches_a_simulator(page, tmp_path, search, name, simulator, target):
    """Six clicks, and the page says what is lost; the file is read back by the reader of that simulator."""
    page.goto("/")
    page.wait_for_selector(DRAWN)
    page.get_by_label("Search").fill(search)
    page.get_by_role("button", name=re.compile(re.escape(name))).first.click()
    expect(page.locator(".motor-small").first).to_contain_text(name)
    page.get_by_role("link", name="To a simulator").click()
    page.wait_for_selector(".losses")
    if target != "mujoco@4.0":
        page.get_by_label("Simulator", exact=True).click()
        page.get_by_role("option", name=simulator, exact=True).click()
        expect(page.get_by_role("heading", name=f"What {simulator} makes of it")).to_be_visible()
    assert page.locator(".loss").count() >= 3
    assert page.locator(".counts .status").count() >= 1
    file = download(page, re.compile(r"Download .*\.(xml|py|wbt)$"), tmp_path)
    read = target_of(target).read(file.read_text())
    assert read.actuator is not None
    expect(page.get_by_role("cell", name="operating range")).to_be_visible()


def test_a_typed_datasheet_is_checked_while_it_is_typed(page, tmp_path):
    """A slip of a factor of ten is found beside the figure; corrected, the sheet is the motor of all pages."""
    page.goto("/motor?tab=sheet")
    figures = {
        "name": "Desk motor", "nominal voltage": "24 V", "resistance": "0.5 ohm", "torque constant Kt": "30 mN*m/A",
        "no load speed": "7500 rpm", "stall current": "48 A", "stall torque": "144 mN*m", "inertia": "100 g*cm^2",
    }  # fmt: skip
    for label, text in figures.items():
        page.get_by_label(label, exact=True).first.fill(text)
    row = page.locator(".figure-row", has=page.get_by_label("stall torque", exact=True))
    expect(row.locator(".sentence.error, .sentence.warning")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        shoot(page, f"typed-slip-{scheme}")
    page.get_by_label("stall torque", exact=True).fill("1440 mN*m")
    expect(row.locator(".sentence.ok")).to_be_visible()
    page.get_by_label("resistance", exact=True).first.fill("0.5")
    broken = page.locator(".figure-row", has=page.get_by_label("resistance", exact=True)).first
    expect(broken.locator(".sentence.error")).to_contain_text("has no unit")
    page.get_by_label("resistance", exact=True).first.fill("0.5 ohm")
    expect(page.locator(".motor-small").first).to_contain_text("Desk motor")
    sheet = be.Datasheet.load(download(page, re.compile("desk-motor.toml"), tmp_path))
    assert sheet.electrical.resistance == 0.5
    page.get_by_role("link", name="Look at it").click()
    page.wait_for_selector(DRAWN)
    expect(page.locator(".motor-name")).to_have_text("Desk motor")


def test_a_file_that_is_dropped_in_is_chosen_and_can_be_changed(page, tmp_path):
    """A datasheet fills the form and is the motor of all pages, also where its name has tags; an actuator is chosen."""
    page.goto("/motor?tab=sheet")
    sheet = '[electrical]\nnominal_voltage = "24 V"\nresistance = "1 ohm"\nkt = "30 mN*m/A"\n'
    (tmp_path / "sheet.toml").write_text(f'name = "<b>Desk</b> motor"\n{sheet}')
    magnet = be.Magnet(torque_constant=0.03, back_emf_constant=0.03)
    bench = be.Motor(name="Bench", winding=be.Winding(resistance=1.0), magnet=magnet, ratings=be.Ratings(voltage=24.0))
    (tmp_path / "bench.toml").write_text(dumps(be.Actuator(bench)))
    page.set_input_files("input[type=file]", tmp_path / "sheet.toml")
    expect(page.locator(".motor-small")).to_have_text("<b>Desk</b> motor")
    expect(page.get_by_label("resistance", exact=True).first).to_have_value("1 ohm")
    before = page.url
    page.get_by_label("resistance", exact=True).first.fill("2 ohm")
    page.wait_for_url(lambda url: url != before)
    page.reload()
    expect(page.get_by_label("resistance", exact=True).first).to_have_value("2 ohm")
    expect(page.locator(".motor-small")).to_have_text("<b>Desk</b> motor")
    page.set_input_files("input[type=file]", tmp_path / "bench.toml")
    expect(page.locator(".motor-small")).to_have_text("Bench")


def test_the_axis_of_time_is_below_all_rows(page):
    """Also where no limit acts, which is said; the box under the cursor hides what is behind it."""
    page.goto("/try?m=maxon-re40-148877&cmd=1+V")
    page.wait_for_function("document.querySelector('.js-plotly-plot')?.data?.length > 5")
    expect(page.locator(".js-plotly-plot .yaxislayer-above").last).to_be_attached()
    lowest = """() => {
      const bottom = name => Math.max(
        ...[...document.querySelectorAll(name)].map(each => each.getBoundingClientRect().bottom));
      return bottom('.js-plotly-plot .xtick text') > bottom('.js-plotly-plot .scatterlayer .trace path');
    }"""
    page.wait_for_function(lowest)
    assert page.evaluate("document.querySelector('.js-plotly-plot').layout.yaxis7.ticktext") == ["no limit acts"]
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 30)
    page.locator(".hoverlayer .legend .bg").wait_for()
    assert page.evaluate("getComputedStyle(document.querySelector('.hoverlayer .legend .bg')).fillOpacity") == "1"


def test_sliders_move_the_picture_and_the_address(page):
    """A higher supply gives a higher speed, and a link brings it back."""
    page.goto("/look?m=maxon-re40-gp52c")
    page.wait_for_selector(DRAWN)
    before = page.evaluate("document.querySelector('.js-plotly-plot').layout.xaxis.range[1]")
    supply = page.locator('[data-key=v] [tabindex="0"]')
    supply.focus()
    for _ in range(4):
        supply.press("PageUp")
    page.wait_for_function(
        "before => document.querySelector('.js-plotly-plot').layout.xaxis.range[1] > 1.05 * before", arg=before
    )
    # 24 V and four volts more, of which the last may come late
    page.wait_for_function("new URLSearchParams(location.search).get('v') === '28'")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(DRAWN)
    expect(page.get_by_label("Supply [V]")).to_have_value("28")


def test_a_run_says_which_limit_acts_and_keeps_the_run_before(page, tmp_path):
    """The second run has the first as its shadow; the recording is the one of the command line."""
    page.goto("/try?m=maxon-re40-gp52c")
    page.wait_for_function("document.querySelector('.js-plotly-plot')?.data?.length > 5")
    lines = page.evaluate("document.querySelector('.js-plotly-plot').data.map(d => d.name)")
    assert "current" in lines and "before" not in lines
    assert "current limit" in page.evaluate("document.querySelector('.js-plotly-plot').layout.yaxis7.ticktext")
    page.get_by_label("value").fill("12V")
    page.wait_for_function("document.querySelector('.js-plotly-plot').data.some(d => d.name === 'before')")
    expect(page.locator(".sentence").filter(has_text="continuous 5.77 A")).to_be_visible()
    expect(page.get_by_text("Where the energy went")).to_be_visible()
    run = be.read_recording(download(page, re.compile("run.parquet"), tmp_path))
    assert len(run.columns["time"]) == 5000
    assert run.columns["voltage"].max() == pytest.approx(12.0)


def test_ten_million_samples_are_drawn_and_refined(page):
    """A screen gets thousands of points, and after a zoom the samples themselves."""
    page.goto("/try?m=maxon-re40-148877&dur=200+s&dt=20+us&cmd=sine+amplitude%3D24V+frequency%3D5Hz")
    page.wait_for_function("document.querySelector('.js-plotly-plot')?.data?.length > 5", timeout=240_000)
    expect(page.get_by_text("10000000 steps")).to_be_visible()
    points = "Math.max(...document.querySelector('.js-plotly-plot').data.map(d => d.x.length))"
    assert 1000 < page.evaluate(points) < 6000
    page.evaluate("Plotly = null; document.querySelector('.js-plotly-plot').emit ? 0 : 0")
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 104, box["y"] + 20, steps=4)
    page.mouse.move(box["x"] + 140, box["y"] + 20, steps=4)
    page.mouse.up()
    finer = "(() => { const x = document.querySelector('.js-plotly-plot').data[0].x; return x[x.length - 1] - x[0] })()"
    page.wait_for_function(f"{finer} < 40")
    assert page.evaluate(points) > 1000


def test_a_whole_robot(page, tmp_path):
    """A URDF dropped in, a motor on each of its hinges, and a MuJoCo model that MuJoCo loads."""
    mujoco = pytest.importorskip("mujoco")
    model = tmp_path / "arm.urdf"
    model.write_text(ARM)
    page.goto("/simulators?m=mit-mini-cheetah")
    page.wait_for_selector(".losses")
    page.set_input_files(".drop input[type=file]", model)
    page.get_by_label("Same motor on every hinge").click()
    page.get_by_label("Same motor on every hinge").fill("Mini Cheetah")
    page.locator(".q-menu .q-item").first.click()
    page.wait_for_function("location.search.includes('rm=')")
    page.get_by_role("button", name="Write the robot").click()
    expect(page.get_by_text("2 joints (shoulder, elbow)")).to_be_visible()
    file = download(page, re.compile("with_motors"), tmp_path)
    assert mujoco.MjModel.from_xml_string(file.read_text()).nu == 2


INERTIA = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm">
  <link name="base"/>
  <link name="upper">{INERTIA}</link>
  <link name="lower">{INERTIA}</link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="20" velocity="30"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="30"/></joint>
</robot>
"""
