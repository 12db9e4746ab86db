"""Templates of PROTOs, in JavaScript and Lua: what they make, and what they cannot do."""

from pathlib import Path
from typing import Any

import pytest

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.nodes.templates.bounds import Bounds, TemplateError
from backemf.sims.webots.nodes.templates.interpreter import Interpreters
from backemf.sims.webots.nodes.templates.render import render


def made(language: str, text: str, **fields: Any) -> str:
    """What a template makes of fields."""
    given = {name: {"value": value, "defaultValue": value} for name, value in fields.items()}
    with Interpreters(Bounds(seconds=1)) as interpreters:
        return render(text, 1, language, given, {"os": "linux"}, interpreters).text


JAVASCRIPT = {
    "%<= 1 + 2 * 3 ** 2 % 4 >%": "3",
    "%<= 0.1 + 0.2 >% %<= 1e-7 >% %<= 1e-5 >% %<= 1e21 >% %<= -0.5 >% %<= 3.0 >%":
    "0.30000000000000004 1e-7 0.00001 1e+21 -0.5 3",
    "%<= '1' + 2 >% %<= '3' * '4' >% %<= 1 / 0 >% %<= true + 1 >% %<= [1, 2] + '' >%": "12 12 Infinity 2 1,2",
    "%<= 1 == '1' >%%<= 1 === '1' >%%<= null == undefined >%%<= null === undefined >%": "truefalsetruefalse",
    "%<= 7 & 3 >%%<= 1 << 4 >%%<= -1 >>> 28 >%%<= ~5 >%%<= 6 ^ 3 >%": "31615-65",
    "%< let a = 1; a += 2; a++; --a; const b = a-- >%%<= a >%,%<= b >%": "2,3",
    "%< for (let i = 0; i < 3; ++i) { if (i === 1) continue; >%<%<= i >%>%< } >%": "<0><2>",
    "%< let n = 0; while (true) { if (++n > 4) break } do n++; while (n < 9) >%%<= n >%": "9",
    "%< for (const x of [4, 5]) { >%%<= x >%%< } for (const k in {p: 1, q: 2}) { >%%<= k >%%< } >%": "45pq",
    "%< if (fields.b.value) { >%yes%< } else if (fields.n.value === 3) { >%three%< } else { >%no%< } >%": "three",
    "%< switch (fields.n.value) { case 1: case 3: >%a%< break; default: >%b%< } >%": "a",
    "%< function f(a, b = 2, ...c) { return a * b + c.length } >%%<= f(3) >% %<= f(1, 1, 1, 1) "
    ">% %<= g() >%%< function g() { return 'up' } >%": "6 3 up",
    "%< const s = [3, 1, 2].map(x => x * 2).filter((x) => { return x > 2 }).sort((a, b) => a - "
    "b) >%%<= s.join('-') >%": "4-6",
    "%< const {x, y} = fields.v.value; const [p, q] = [x, y]; const r = {x, [`k${q}`]: 1, "
    "...{z: 9}} >%%<= JSON.stringify(r) >%": '{"x":1,"k2":1,"z":9}',
    "%<= `a${fields.n.value + 1}b${`${'c'}`}` >%": "a4bc",
    "%<= fields.s.value.replace('.', '').toUpperCase().startsWith('AB') ? 'y' : 'n' >%": "y",
    "%<= 'a-b_c'.replace(/[-_]/g, '') >% %<= 'x12'.match(/\\d+/)[0] >% %<= /^x/.test('xy') >%": "abc 12 true",
    "%<= fields.l.value.length >%%<= fields.l.value[1] >%%<= fields.l.value.indexOf(20) >%": "2201",
    "%<= Math.max(1, 5, 3) >% %<= Math.round(2.5) >% %<= Math.PI.toFixed(2) >% %<= Number('7') "
    "+ parseInt('8px') >%": "5 3 3.14 15",
    "%<= fields.none.value === undefined >%%<= typeof fields.v.value >%%<= fields.none.value ?? 'd' >%": "trueobjectd",
    "%< import * as wbutility from 'wbutility.js'; import {add} from 'wbvector3.js' >%%<= "
    "wbutility.degreesToRadians(180).toFixed(3) >%%<= add({x: 1, y: 2, z: 3}, {x: 1, y: 1, z: "
    "1}).z >%": "3.1424",
    "%< import * as wbgeometry from 'wbgeometry.js'; import * as wbrotation from 'wbrotation.js'; "
    "const r = wbrotation.combine({x: 0, y: 0, z: 1, a: 1}, {x: 0, y: 0, z: 2, a: 0.5}); "
    "const v = wbrotation.rotateVector3ByRotation({x: 0, y: 0, z: 1, a: Math.PI / 2}, {x: 1, y: 0, z: 0}) >%"
    "%<= wbgeometry.circle(2, 4, {x: 1, y: 0}, 0)[2].x >% %<= r.a.toFixed(3) >% %<= v.y.toFixed(3) >%":
    "-1 1.500 1.000",
    "%< import * as wbrandom from 'wbrandom.js'; wbrandom.seed(1) >%%<= wbrandom.integer(1, 9) >%":
    f"{1 + (1140671485 + 12820163) % 2**24 % 9}",
    "%< // a comment with >\n /* and\n another */ let a = 4\n let b = a\n>%%<= b >%": "4",
    "%< var v; { var v = 5 } if (v) w = v >%%<= w >%%<= !v >%": "5false",
    "%< let a = 1, b = a + 1; [a, b] = [b, a]; let c; c ??= 7; c ||= 8; a &&= 9 >%%<= a >%%<= b >%%<= c >%": "917",
    "%< let a; { [a] = [3] } const o = {}; ({x: o.y} = fields.v.value) >%%<= a >%%<= o.y >%%<= 'null' ?? 'd' >%":
    "31null",
    "%< let i = 3; const l = [5, 6]; l[0]++ >%%<= i++ + i-- >%%<= l >%%<= ++l[1] >%": "76,67",
    "%<= 'abc'.replace(0, 'x') >%%<= 'a'.padEnd(3, 'xy') >%%<= 'abc'.substring(2, NaN) >%%<= 'abcd'.substr(-3, 2) >%":
    "abcaxyabbc",
    "%<= [1, 2, 3, 4].splice(1, 2) >%%<= [1, 2].reduce((a, b) => a + b, 10) >%": "2,313",
    "%<= context.os >%%<= Object.keys(fields.v.value) >%%<= 'k' in {k: 1} >%": "linuxx,ytrue",
    "%< let a = [[1], [2]] >%%<= a + '' >% %<= 'aaaa'.match(/(a+)+b/) >% %<= fields?.x?.y >%": "1,2 null undefined",
    "%< class A { get two() { return 2 } } >%%<= new A().two >%%<= [] instanceof Array >%%<= globalThis.process >%":
    "2trueundefined",
    "%< let a = []; a[1e8] = 1; const s = 'a'.repeat(9e5) >%%<= new Array(1e9).length + a.length >% %<= "
    "[s, s].join().length >% %<= ([s, s] + '').length >%": "1100000001 1800001 1800001",
    "%< let e; try { null.x } catch (error) { e = error.name } l: for (;;) for (;;) break l >%%<= e >%": "TypeError",
    "%<= [1, 2].at(-1) >%%<= new Set([1, 1]).size >%%<= 'a-b'.replaceAll(/[ab]/g, x => x + x) >%": "21aa-bb",
    "%< import {\n  add as plus\n} from \"wbvector2.js\"\n >%%<= plus({x: 1, y: 2}, {x: 3, y: 4}).y >%": "6",
}  # fmt: skip


@pytest.mark.parametrize("text", JAVASCRIPT)
def test_javascript(text: str) -> None:
    """As JavaScript has it."""
    fields = {"b": False, "n": 3, "v": {"x": 1, "y": 2}, "s": "a.b", "l": [10, 20], "none": None}
    assert made("javascript", text, **fields) == JAVASCRIPT[text]


LUA = {
    "%{= 1 + 2 * 3 ^ 2 % 4 }% %{= 7 / 2 }% %{= -2 ^ 2 }% %{= 1 / 3 }%": "3 3.5 -4 0.33333333333333",
    "%{= 'a' .. 1 .. \"b\" }%%{= #'four' }%%{= 2 ~= 3 }%%{= not nil }%": "a1b4truetrue",
    "%{ local a, b = 1 c = a }%%{= b == nil and c or 9 }%": "1",
    "%{ if fields.n.value == 1 then }%one%{ elseif fields.n.value == 3 then }%three%{ else }%no%{ end }%": "three",
    "%{ for i = 3, 1, -1 do }%%{= i }%%{ if i == 2 then break end end }%": "32",
    "%{ local n = 0 while n < 5 do n = n + 1 end repeat n = n - 1 until n < 3 }%%{= n }%": "2",
    "%{ local t = {5, 6, x = 7, ['y'] = 8} for i, v in ipairs(t) do }%%{= i .. v }%,%{ end "
    "}%%{= t.x + t['y'] + #t }%": "15,26,17",
    "%{ for k, v in pairs({a = 1}) do }%%{= k .. v }%%{ end }%": "a1",
    "%{ local function f(a, ...) local r = {...} return a, #r end local x, y = f(3, 4, 5) }%%{= x .. y }%": "32",
    "%{ local w = {} for s in fields.s.value:gmatch('%w+') do table.insert(w, s) end }%%{= w[1] .. w[3] }%": "red2",
    "%{= fields.s.value:find('^red') ~= nil }%%{= (fields.s.value):sub(-1) }%%{= "
    "('a-b'):gsub('%-', '+') }%": "true2a+b",
    "%{= string.format('%.2f|%d|%s', 1.5, 3, 'x') }%%{= ('x'):rep(3):upper() }%": "1.50|3|xXXX",
    "%{ local wbcore = require('wbcore') t = {1, 2} table.insert(t, 3) }%%{= "
    "wbcore.tablelength(t) }%%{= table.concat(t, ';') }%": "31;2;3",
    "%{ local wbgeometry = require('wbgeometry') c = wbgeometry.circle(2, 4, 1, 0, 0) }%%{= #c }% %{= c[1].x }%": "5 3",
    "%{= math.floor(2.7) + math.max(1, 4) }%%{= tonumber('8') + 1 }%%{= tostring(fields.none.value) }%": "69nil",
    "%{ -- a comment\n --[[ and\n another ]] io.stderr:write('said\\n') print('x') }%%{= [[long]] }%": "long",
    "%{= fields.v.value.y }%%{= fields.l.value[1] }%%{= #fields.l.value }%": "2102",
    "%{= ('a'):find('a-a-a-a-a-b') }% %{= #table.concat({('a'):rep(9e5), ('a'):rep(9e5)}) }%": "nil 1800000",
    "%{ local t = {} function t:two() return self.x end t.x = 2 }%%{= t:two() }%": "2",
    "%{ for i = 1, 3 do if i == 2 then goto next end }%%{= i }%%{ ::next:: end }%": "13",
    "%{ for k, v in pairs({9, 8, b = 1, a = 2, [0] = 7}) do }%%{= k .. v }% %{ end }%": "07 19 28 a2 b1 ",
    "%{ local t = {1, 2, 3} for k, v in pairs(t) do t[2] = nil }%%{= k .. v }% %{ end }%": "11 33 ",
    "%{= {} }% %{= print }% %{= 0 * -1 }% %{= 2 ^ 53 }% %{= #'é' }%": "table function -0 9.007199254741e+15 2",
    "%{ local v, r = require('wbvector3'), require('wbrotation') local a = {x = 0, y = 0, z = 1, a = math.pi / 2} }%"
    "%{= v.cross({x = 1, y = 0, z = 0}, {x = 0, y = 1, z = 0}).z }% %{= v.norm({x = 2, y = 3, z = 6}) }% %{= "
    "r.combine(a, a).a }% %{= r.rotatevector3byrotation(a, {x = 1, y = 0, z = 0}).y }%": "1 7 3.1415926535898 1",
    "%{ local r = require('wbrandom') r.seed(1) }%%{= r.integer(1, 9) }%": f"{1 + (1140671485 + 12820163) % 2**24 % 9}",
}  # fmt: skip


@pytest.mark.parametrize("text", LUA)
def test_lua(text: str) -> None:
    """As Lua has it."""
    fields = {"n": 3, "v": {"x": 1, "y": 2}, "s": "red player 2", "l": [10, 20], "none": None}
    assert made("lua", text, **fields) == LUA[text]


@pytest.mark.parametrize(
    ("language", "text", "sentence"),
    [
        ("javascript", "%< while (true) {} >%", "does not come to an end"),
        ("javascript", "%< let a = []; while (true) a.push(a) >%", "more than 100 MB of memory"),
        ("javascript", "%< for (;;) [1, 2].map(x => x) >%", "does not come to an end"),
        ("javascript", "%< let a = 'a'; while (true) a += a >%", "string too long"),
        ("javascript", "%< 'a'.repeat(1e12) >%", "invalid repeat count"),
        ("javascript", "%< new Array(1e9).fill(1) >%", "more than 100 MB of memory"),
        ("javascript", "%< 'x'.padStart(1e10) >%", "invalid string length"),
        ("javascript", "%< function f() { return f() } f() >%", "nested too deep"),
        ("javascript", "%< " + "(" * 3000 + " >%", "nested too deep"),
        ("javascript", "%< const s = 'a'.repeat(9e6) >%%<= [s, s].join() >%", "prints more than 10000000 characters"),
        (
            "javascript",
            "%< const s = 'a'.repeat(9e5), a = []; while (true) { a.push(s); JSON.stringify(a) } >%",
            "more|end",
        ),
        ("lua", "%{ while true do end }%", "does not come to an end"),
        ("lua", "%{ local s = 'a' while true do s = s .. s end }%", "more than 100 MB of memory"),
        ("lua", "%{ string.rep('a', 1e12) }%", "too long"),
        ("lua", "%{ local s = ('a'):rep(9e6) }%%{= table.concat({s, s}) }%", "prints more than 10000000 characters"),
        ("lua", "%{ string.format('%999999999d', 1) }%", "too long"),
        ("lua", "%{ local function f() return 1 + f() end f() }%", "stack overflow|more than 100 MB"),
    ],
)
def test_the_work_of_a_template_is_bounded(language: str, text: str, sentence: str) -> None:
    """Time, memory, depth: whatever a hostile template tries is one sentence, with its line."""
    with pytest.raises(TemplateError, match=sentence) as error:
        made(language, text)
    assert error.value.line == 1


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("lua", "%{\n os.execute('ls') }%"),
        ("lua", "%{\n io.open('/etc/passwd') }%"),
        ("lua", "%{\n load('x = 1')() }%"),
        ("lua", "%{\n require('debug') }%"),
        ("lua", "%{\n python.eval('1') }%"),
        ("lua", "%{\n setmetatable({}, {}) }%"),
        ("javascript", "%<\n eval('1') >%"),
        ("javascript", "%<\n ''.constructor.constructor('return 1')() >%"),
        ("javascript", "%<\n [].__class__.__base__ >%"),
        ("javascript", "%<\n Math.sin.__globals__.x >%"),
        ("javascript", "%<\n fields.__class__.x >%"),
        ("javascript", "%<\n import * as fs from 'fs' >%"),
        ("javascript", "%<\n new Function('return 1') >%"),
        ("javascript", "%<\n (class {}).constructor('return 1')() >%"),
        ("javascript", "%<\n globalThis.process.exit() >%"),
        ("javascript", "%<\n new Date() >%"),
    ],
)
def test_a_template_reaches_nothing(language: str, text: str) -> None:
    """No file, no process, no Python: what is not there is named with its line."""
    with pytest.raises(TemplateError) as error:
        made(language, text)
    assert error.value.line == 2


@pytest.mark.parametrize(
    ("language", "text", "line", "sentence"),
    [
        ("javascript", "a\nb %<=\n1 >% %< import {\n add\n} from 'wbvector3.js'\n\nx.y >%", 7, "x is not a name"),
        ("javascript", "a\n%<= 1 +\n x.y >%", 3, "x is not a name"),
        ("javascript", "\n%<\nlet 1x >%", 3, "SyntaxError: invalid number literal"),
        ("javascript", "%< function f() {\n null.x } >%\n\n%< f() >%", 2, "cannot read property 'x' of null"),
        ("javascript", "\n%< import * as r from 'wbvector3.js'\n r.add(1) >%", 3, "needs more arguments"),
        ("javascript", "\n%< throw new Error('out\\nof reach') >%", 2, "Error: out of reach"),
        ("javascript", "\n%< 1", 2, "%< is never closed by >%"),
        ("javascript", "\n%< if (true) { >%", 2, "SyntaxError"),
        ("lua", "a\n%{= 1 +\n x.y }%", 3, "attempt to index global 'x'"),
        ("lua", "\n%{\nlocal 1x }%", 3, "<name> expected near '1"),
        ("lua", "%{ function f()\n local a = nil .. 'x' end }%\n\n%{ f() }%", 2, "attempt to concatenate a nil value"),
        ("lua", "\n%{ require('wbvector2').add({x = 1, y = 2}) }%", 2, "a function of vectors or rotations needs more"),
        ("lua", "\n%{ require('wbvector2').add(1) }%", 2, "attempt to index local 'value' (a number value)"),
        ("lua", "\n%{ error('out of reach') }%", 2, "out of reach"),
        ("lua", "\n%{ ('x'):rep({}) }%", 2, "attempt to perform arithmetic on"),
    ],
)
def test_an_error_has_the_line_of_the_file(language: str, text: str, line: int, sentence: str) -> None:
    """Through texts, values that are printed, imports over several lines, and functions."""
    with pytest.raises(TemplateError) as error:
        made(language, text)
    said = str(error.value)
    assert sentence in said and not any(place in said for place in ("\n", "<python>", "<input>", "template:"))
    assert error.value.line == line


def test_messages_of_templates() -> None:
    """Each message is a line of its own, once, without control characters."""
    with Interpreters() as interpreters:
        text = "%< console.error('a', 1); console.warn('b\\u001b[0m'); console.error('a', 1); console.log('c') >%"
        assert render(text, 1, "javascript", {}, {}, interpreters).messages == ("a 1", "b [0m")
        text = "%{ io.stderr:write('a', 1, '\\n') io.stderr:write('b') print('c') io.stdout:write('d') }%"
        assert render(text, 1, "lua", {}, {}, interpreters).messages == ("a1", "b")


def test_a_template_cannot_spoil_the_next_one() -> None:
    """The library is made anew for each."""
    made("javascript", "%< Math.PI = 3; Number.x = 1 >%")
    assert made("javascript", "%<= Math.PI > 3.1 >%%<= Number.x === undefined >%") == "truetrue"


# --- in PROTOs


LEG = """#VRML_SIM R2023b utf8
# template language: javascript
PROTO Leg [
  field SFString name "leg"
  field SFBool   strong FALSE
  field SFNode   parameters HingeJointParameters { }
  field MFString more [ "a" ]
  field SFVec3f  axis 0 0 1
]
{
  %<
    const strong = fields.strong.value;
    if (fields.more.value.length > 3) console.error('too many');
  >%
  Solid { children [
    HingeJoint {
      %< const a = fields.axis.value; >%
      jointParameters HingeJointParameters { axis %<= a.x >% %<= a.y >% %<= a.z >% }
      device [ RotationalMotor { name "%<= fields.name.value >% motor" maxTorque %<= strong ? 20 : 5 >% } ]
      endPoint %< if (strong) { >% Solid { name "strong" %< } else { >% Solid { name "weak" %< } >% }
    }
    %< for (const m of fields.more.value) { >%
      HingeJoint { device RotationalMotor { name %<= '"' + m + '"' >% maxTorque
         %<= fields.parameters.value.fields.axis.value.x >% } }
    %< } >%
  ] }
}
"""


def test_a_template_chooses_what_a_proto_has(tmp_path: Path) -> None:
    """Branches that open a brace each, loops over a list, values within texts, and fields of a node that is given."""
    (tmp_path / "Leg.proto").write_text(LEG)
    (tmp_path / "a.wbt").write_text(
        'EXTERNPROTO "Leg.proto"\n'
        'Robot { children [ Leg { strong TRUE more [ "b" "c" ] } Leg { name "l2" axis 1 0 0 } ] }'
    )
    found = webots.read_world(tmp_path / "a.wbt").motors()
    assert {name: joint.motor.max_torque for name, joint in found.items() if joint.motor} == {
        "leg motor": 20.0, "b": 1.0, "c": 1.0, "l2 motor": 5.0, "a": 1.0,
    }  # fmt: skip
    assert [found[name].end_point for name in ("leg motor", "l2 motor")] == ["strong", "weak"]
    assert found["l2 motor"].axis == (1.0, 0.0, 0.0)


def test_what_a_template_says_is_a_warning(tmp_path: Path) -> None:
    """As Webots prints it when it loads the world."""
    (tmp_path / "Leg.proto").write_text(LEG)
    text = 'EXTERNPROTO "Leg.proto"\nRobot { children Leg { more [ "a" "b" "c" "d" ] } }'
    (tmp_path / "a.wbt").write_text(text)
    assert webots.read_world(tmp_path / "a.wbt").warnings == ("Leg.proto: too many",)


def test_a_template_sees_the_defaults_of_a_proto_it_is_given(tmp_path: Path) -> None:
    """As a vehicle asks its wheels for their radius; in Lua, by the name that the node has."""
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Tire.proto").write_text("PROTO Tire [ field SFFloat radius 0.25 ] { Solid { } }")
    (tmp_path / "protos" / "Car.proto").write_text(
        "PROTO Car [ field SFNode tire Tire { } ] { Robot { children HingeJoint { device RotationalMotor {\n"
        '%{ local t = fields.tire.value }% name "%{= t.node_name }%" maxTorque %{= t.fields.radius.value }% }\n'
        "endPoint IS tire } } }"
    )
    (tmp_path / "a.wbt").write_text("#VRML_SIM R2019a utf8\nCar { }")
    (joint,) = webots.read_world(tmp_path / "a.wbt").joints
    assert (joint.name, joint.motor and joint.motor.max_torque) == ("Tire", 0.25)


def test_templates_of_webots_7() -> None:
    """A field was its value, and # began a comment in a program too."""
    text = """PROTO A [ field SFFloat t 4 field SFVec3f v 1 2 3 ] { Robot { children HingeJoint {
    device RotationalMotor {
    %{ local t = fields.t
       if t > 3 then # large
         #and larger
         t = t + fields.v.y
       end }%
    name "m" maxTorque %{= t }% } } } }"""
    assert webots.read_actuator(text).motor.max_torque == 6.0


def test_templates_of_webots_7_see_the_fields_of_a_node_as_values() -> None:
    """Its cars take the radius of their wheels from the node in a slot, a PROTO or one of Webots' own."""
    wheel = "PROTO Wheel [ field SFFloat radius 0.4 ] { Solid { } }"
    car = """PROTO Car [ field SFNode wheel Wheel { } field SFFloat top 30 ] { Robot { children [ HingeJoint {
      device RotationalMotor { name "m" maxVelocity %{= fields.top / fields.wheel.fields.radius }% } } ] } }"""
    (joint,) = webots.read_world(f"{wheel} {car} Car {{ wheel Wheel {{ radius 0.5 }} }}").joints
    assert joint.motor is not None and joint.motor.max_velocity == 60.0
    (joint,) = webots.read_world(f"{wheel} {car} Car {{ wheel Solid {{ radius 0.25 }} }}").joints
    assert joint.motor is not None and joint.motor.max_velocity == 120.0


def test_what_a_template_makes_has_the_lines_of_the_file() -> None:
    """A motor in the second turn of a loop, after a comment that the template left out."""
    text = """PROTO A [ ] { Robot { children [
%< for (let i = 1; i < 3; i++) { /* one
 two */ >%
  HingeJoint { device RotationalMotor {
    name "m%<= i >%" maxTorque %<= i === 2 ? '"x"' : '1' >% } }
%< } >% ] } }"""
    with pytest.raises(ParameterError, match=r"^line 5: RotationalMotor\.maxTorque = 'x': must be a number"):
        webots.read_world(text)


def test_a_template_that_fails_is_named_with_its_file(tmp_path: Path) -> None:
    """The robot that it would have been is then missing, and the sentence says why."""
    (tmp_path / "A.proto").write_text("# template language: javascript\nPROTO A [ ] {\n%< missing() >% Robot { } }")
    (tmp_path / "a.wbt").write_text('EXTERNPROTO "A.proto"\nA { controller "c" }')
    with pytest.raises(ParameterError, match=r"A\.proto, line 3: template of A: missing is not a name that templates"):
        webots.read_actuator(tmp_path / "a.wbt")


def test_the_same_fields_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty wheels cost what one does: a template makes the same of the fields that it asks for."""
    asked: list[str] = []
    run = Interpreters.run
    monkeypatch.setattr(Interpreters, "run", lambda self, *words: (asked.append(words[0]), run(self, *words))[1])
    wheel = """PROTO Wheel [ field SFFloat r 1 field SFString name "w" ] {
      HingeJoint { device RotationalMotor { name IS name
      %< let t = 0; for (let i = 0; i < 100; i++) t += fields.r.value; >% maxTorque %<= t >% } } }"""
    nodes = " ".join(f'Wheel {{ name "w{i}" }}' for i in range(40))
    found = webots.read_world(wheel + f"Robot {{ children [ {nodes} ] }}").motors()
    assert {joint.motor.max_torque for joint in found.values() if joint.motor} == {100.0} and len(found) == 40
    assert asked == ["javascript"]


def test_a_long_text_of_the_file_is_no_text_that_a_template_made() -> None:
    """A mesh between two statements may be longer than what a template may put together."""
    mesh = "Coordinate { point [ " + "0.125 " * 200_000 + "] }"
    text = (
        f'PROTO A [ ] {{ %< if (true) {{ >% Robot {{ children [ {mesh} RotationalMotor {{ name "m" }} ] }} %< }} >% }}'
    )
    assert list(webots.read_world(text).motors()) == ["m"]
