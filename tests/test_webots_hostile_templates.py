"""Templates that try to break out, to run for ever or to take all memory: each is one sentence, and nothing breaks.

The interpreters run in a process of their own: one that goes down is a sentence that no test expects.
"""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from long import some_now

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.nodes.templates.bounds import Bounds, Exhausted, TemplateError
from backemf.sims.webots.nodes.templates.interpreter import Interpreters
from backemf.sims.webots.nodes.templates.render import render


def proto(code: str, language: str) -> str:
    """A file with a template on its third line."""
    opens, closes = {"javascript": ("%<", ">%"), "lua": ("%{", "}%")}[language]
    return f"# template language: {language}\nPROTO A [ ] {{\n{opens} {code} {closes} Robot {{ }} }}"


NO_END = "does not come to an end"
MEMORY = "takes more than 100 MB of memory"
HOSTILE = {
    "JavaScript loop": ("while (true) {}", NO_END),
    "JavaScript loop that catches": ("for (;;) try { for (;;); } catch (e) {} finally { for (;;); }", NO_END),
    "JavaScript long built-ins": ("const s = 'a'.repeat(1e6); while (true) s.toUpperCase()", NO_END),
    "JavaScript search": ("'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b')", NO_END),
    "JavaScript generic function": ("Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)", NO_END),
    "JavaScript pattern": ("/(a+)+b/.test('a'.repeat(60))", NO_END),
    "JavaScript getter": ("__print(0, {get toString() { for (;;); }})", NO_END),
    "JavaScript toString": ("throw {toString() { for (;;); }}", NO_END),
    "JavaScript text": ("'x'.repeat(1e9)", MEMORY),
    "JavaScript list": ("const a = []; while (true) a.push(a)", MEMORY),
    "JavaScript fill": ("new Array(1e9).fill(0)", "MB of memory|does not come to an end"),
    "JavaScript buffer": ("new ArrayBuffer(1e9)", MEMORY),
    "JavaScript printed loop": ("for (;;) __print(0, 'x'.repeat(9e5))", "prints more than 10000000"),
    "JavaScript recursion": ("const f = () => f() + 1; f()", "nested too deep"),
    "JavaScript brackets": ("(" * 10_000, "nested too deep"),
    "JavaScript lists": ("[" * 100_000, "nested too deep"),
    "JavaScript unclosed pattern": ("/" + "(" * 10_000 + "/", "SyntaxError|nested too deep"),
    "JavaScript JSON": ("JSON.parse('['.repeat(1e5))", "nested too deep|SyntaxError"),
    "JavaScript message": ("throw new Error('a\\n\\u001b[31m b' + 'c'.repeat(1e6))", r"Error: a \[31m bc+$"),
    "JavaScript surrogate": ("throw new Error('\\ud800')", "template of A: "),
    "JavaScript nothing": ("throw null", "template of A: null"),
    "JavaScript prototypes": ("Array.prototype.toJSON = Object.prototype.toJSON = () => 7; x.y", "x is not a name"),
    "Lua loop": ("while true do end", NO_END),
    "Lua tail call": ("local function f() return f() end f()", NO_END),
    "Lua pattern": ("('a'):rep(1e5):find(('.-'):rep(20) .. 'b')", NO_END),
    "Lua sort": (
        "local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function () while true do end end)",
        NO_END,
    ),
    "Lua text": ("local s = 'a' while true do s = s .. s end", MEMORY),
    "Lua rep": ("string.rep('x', 1e9)", "too long"),
    "Lua rep of a method": ("('x'):rep(1e5, ('y'):rep(1e5))", "too long"),
    "Lua list": ("local t = {} for i = 1, 1e9 do t[i] = i end", MEMORY),
    "Lua printed loop": ("while true do __print(0, ('x'):rep(9e5)) end", "prints more than 10000000"),
    "Lua recursion": ("local function f() return 1 + f() end f()", "stack overflow|MB of memory"),
    "Lua brackets": ("x = " + "(" * 10_000, "C levels"),
    "Lua tables": ("x = " + "{" * 100_000, "C levels"),
    "Lua pattern depth": ("('a'):rep(3e5):find(('a?'):rep(3e5))", "too complex|too long|come to an end"),
    "Lua message": ("error('a\\n\\27[31m b' .. ('c'):rep(1e6))", r"a \[31m bc+$"),
    "Lua error of a table": ("error({})", "template of A: table"),
    "Lua error of nothing": ("error()", "template of A: nil"),
    "Lua bytes": ("error('\\255\\254')", "template of A: "),
}
"""What hostile templates do, and a part of the sentence."""


SLOW = ("getter", "generic function", "pattern", "loop that catches", "long built-ins", "toString", "sort", "tail call")


@pytest.mark.parametrize("name", some_now(list(HOSTILE), lambda name: not name.endswith(SLOW)))
def test_a_hostile_template_is_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line of the template; that the interpreter itself has failed would be another sentence."""
    monkeypatch.setattr("backemf.sims.webots.nodes.templates.interpreter.Bounds", lambda: Bounds(seconds=1))
    code, words = HOSTILE[name]
    with pytest.raises(ParameterError, match=words) as error:
        webots.read_world(proto(code, name.split()[0].lower()))
    said = str(error.value)
    assert re.match("line [23]: template of A: ", said) and said.isprintable() and len(said) < 400, said


IN_A_THREAD = """
import sys, threading
from backemf.errors import ParameterError
from backemf.sims import webots

def read():
    try:
        webots.read_world(text)
    except ParameterError as error:
        print(error)

text = sys.stdin.read()
threading.stack_size(256 * 1024)
thread = threading.Thread(target=read)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("name", ["JavaScript brackets", "JavaScript recursion", "Lua brackets", "Lua recursion"])
def test_a_thread_with_a_small_stack_is_safe(name: str) -> None:
    """As servers and graphical programs have them; in a process of its own, which a crash would end."""
    code, words = HOSTILE[name]
    text = proto(code, name.split()[0].lower())
    done = subprocess.run([sys.executable, "-c", IN_A_THREAD], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and re.search(words, done.stdout), (done.returncode, done.stdout, done.stderr[-2000:])


def rendered(language: str, text: str, bounds: Bounds | None = None) -> str:
    """What a template makes."""
    with Interpreters(bounds) as interpreters:
        return render(text, 1, language, {}, {}, interpreters).text


NOT_IN_LUA = """_G debug package load loadfile loadstring dofile collectgarbage coroutine python setmetatable
getmetatable rawget rawset pcall xpcall next bit32 io.open io.popen io.write io.stderr.close os.execute os.getenv
os.remove os.exit string.dump table.foreach"""
IN_LUA = """assert context error fields io ipairs math os pairs print require select string table tonumber tostring type
unpack string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower string.match
string.rep string.reverse string.sub string.upper"""


def test_lua_has_nothing_that_reaches_out() -> None:
    """No name beside those that compute, and no way from a text to more."""
    absent = [f"%{{= {name} }}%" for name in NOT_IN_LUA.split()]
    assert rendered("lua", "".join(absent)) == "nil" * len(absent)
    present = [f"%{{= {name} ~= nil }}%" for name in IN_LUA.split()]
    assert rendered("lua", "".join(present)) == "true" * len(present)
    assert rendered("lua", "%{= ('').dump }%%{= ('').rep == string.rep }%") == "niltrue"


@pytest.mark.parametrize("name", ["debug", "package", "_G", "python", "coroutine", "lupa", "wbfile"])
def test_lua_requires_no_other_module(name: str) -> None:
    """Those of Webots and of the language."""
    with pytest.raises(TemplateError, match=f"the module '{name}' is not known here; there are io, math"):
        rendered("lua", f"%{{ require('{name}') }}%")


def test_lua_takes_no_bytecode() -> None:
    """A program that is not text is a syntax error."""
    with pytest.raises(TemplateError):
        rendered("lua", "%{ \x1bLua }%")


JAVASCRIPT_NAMES = """AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean
DOMException DataView DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array
Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array
Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet __module __print __text atob btoa console context decodeURI
decodeURIComponent encodeURI encodeURIComponent escape fields globalThis isFinite isNaN parseFloat parseInt undefined
unescape"""


def test_javascript_has_nothing_that_reaches_out() -> None:
    """The names are those of the language, less its clock and what compiles programs; modules are Webots' alone."""
    names = rendered("javascript", "%<= Object.getOwnPropertyNames(globalThis).sort().join(' ') >%").split()
    assert names == sorted(JAVASCRIPT_NAMES.split())
    kinds = "[() => 1, function* () {}, async () => 1, async function* () {}, class {}]"
    assert rendered("javascript", f"%<= {kinds}.map(f => f.constructor === Object) >%") == ",".join(["true"] * 5)
    for name in ("fs", "os", "std", "child_process", "/etc/passwd", "constructor", "__proto__"):
        with pytest.raises(TemplateError, match="is not known here; there are wbcore"):
            rendered("javascript", f"%< import * as x from '{name}' >%")
    assert rendered("javascript", "%< import('/etc/passwd').then(x => __print(0, 'read')) >%.") == "."


@pytest.mark.parametrize(
    "text",
    ["__print(1e9, 'a')", "__print(NaN, 'a')", "__print(-1, 'a')", "__text('x')", "__print(0.5, {})", "__text(1e999)"],
)
def test_output_under_a_wrong_number_is_no_text(text: str) -> None:
    """A template may call what writes its texts, and misses."""
    assert rendered("javascript", f"%< {text} >%.") == "."
    assert rendered("lua", f"%{{ {text.replace('NaN', '0/0')} }}%.") == "."


def test_what_a_template_prints_is_bounded() -> None:
    """A value, many values, and the texts between statements; the line is that of the value."""
    for language, text in {
        "javascript": "\n%<= 'a'.repeat(1e7) >%",
        "lua": "\n%{ for i = 1, 1e9 do }%%{= '' }%%{ end }%",
    }.items():
        with pytest.raises(TemplateError, match="prints more than 10000000 characters") as error:
            rendered(language, text)
        assert error.value.line == 2
    with pytest.raises(Exhausted, match="a text of more than 1000 characters"):
        rendered("lua", "%{ for i = 1, 11 do }%" + "a" * 100 + "%{ end }%", Bounds(text=1_000))


def test_the_work_is_that_of_a_file() -> None:
    """Templates that are short each may be too many."""
    text = "%{ for i = 1, 100000 do end }%"
    with Interpreters(Bounds(work=1_000_000)) as interpreters, pytest.raises(Exhausted, match=NO_END):
        for _ in range(20):
            render(text, 1, "lua", {}, {}, interpreters)


def test_a_process_that_does_not_answer_is_ended() -> None:
    """The limit on the clock, where a system has none of CPU time."""
    with pytest.raises(Exhausted, match=NO_END):
        rendered("javascript", "%< 'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b') >%", Bounds(seconds=600, wait=0.5))


def test_a_process_that_dies_is_named() -> None:
    """Its status is in the sentence."""
    with Interpreters() as interpreters:
        render("%< >%", 1, "javascript", {}, {}, interpreters)
        process = interpreters._running["javascript"]
        process.terminate()
        process.wait()
        with pytest.raises(Exhausted, match="the interpreter of JavaScript has failed with status -15"):
            render("%< >%", 1, "javascript", {}, {}, interpreters)


@pytest.mark.parametrize("code", ["", "throw 1", "for (;;);"])
def test_no_process_is_left(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the template ends well, fails, or takes too long."""
    started: list[subprocess.Popen[bytes]] = []
    start = Interpreters._start
    monkeypatch.setattr(Interpreters, "_start", lambda *words: (started.append(start(*words)), started[-1])[1])
    monkeypatch.setattr("backemf.sims.webots.nodes.templates.interpreter.Bounds", lambda: Bounds(seconds=1))
    with contextlib.suppress(ParameterError):
        webots.read_world(proto(code, "javascript"))
    (process,) = started
    assert process.returncode is not None and process.stdin is not None and process.stdin.closed


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_process_gives_up_what_a_template_could_misuse() -> None:
    """It opens no file, writes none, and its CPU time and memory are bounded."""
    with Interpreters(Bounds(seconds=7)) as interpreters:
        render("%< >%", 1, "javascript", {}, {}, interpreters)
        rows = Path(f"/proc/{interpreters._running['javascript'].pid}/limits").read_text().splitlines()
    limits = {row[:26].strip(): row[26:].split()[:2] for row in rows}
    assert limits["Max open files"] == ["3", "3"] and limits["Max file size"] == ["0", "0"]
    assert limits["Max cpu time"] == ["8", "8"] and limits["Max address space"] == ["1000000000", "1000000000"]
