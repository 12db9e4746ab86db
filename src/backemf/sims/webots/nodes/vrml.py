"""The text of Webots' files, VRML97: worlds, PROTOs and bare nodes, read into nodes with their fields and lines.

Nothing here calls itself, so that any depth of nodes is read. Fields have no types: one number, a row of numbers, a
text, TRUE, FALSE, a node, None for NULL, or a list of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from ....errors import ParameterError
from ...place import place
from .documents import LARGEST, Document, Proto, ProtoField
from .lexer import Token, closing, number_of, numbers_of, tokens_of
from .node import Node, NodeValue, Unreadable
from .templates.render import Lines

if TYPE_CHECKING:
    from .proto_files import Scope


_ACCESS = ("field", "vrmlField", "hiddenField", "deprecatedField", "unconnectedField", "w3dField", "exposedField")
_AFTER_PROTO = re.compile(
    r"(?:\s|#[^\n]*(?:\n|\Z))*(?:\Z|(?:EXTERNPROTO|IMPORTABLE|PROTO|DEF)\s|[^\W\d][\w:.+\-]*\s*\{)"
)
Values = dict[str, NodeValue]
_WORDS = {"TRUE": True, "FALSE": False, "NULL": None}


def parse(text: str, file: str = "", scope: Scope | None = None) -> Document:
    """The nodes of a file and the PROTOs that it has or names."""
    if len(text) > LARGEST:
        raise ParameterError(f"{file or 'text'}: has {len(text)} characters; no more than {LARGEST} are read")
    head = text[:4000]
    version = re.search(r"#\s*VRML_SIM\s+V?([R\d][\w.]*)", head)
    language = re.search(r"#\s*template\s+language\s*:\s*(\w+)", head, re.IGNORECASE)
    document = Document(
        file, language.group(1).lower() if language else "", version.group(1) if version else "", roots=[]
    )
    parser = _Parser(text, document, scope=scope or document)  # pyright: ignore[reportArgumentType]
    parser.read(document.roots)
    return document


def parse_header(proto: Proto, scope: Scope | None) -> dict[str, ProtoField]:
    """The fields of a PROTO with their defaults, made anew."""
    header = _Header()
    _Parser(proto.header, proto.document, scope, proto.header_line).read(header)
    return header.fields


def parse_body(
    text: str, proto: Proto, scope: Scope | None, values: Values, lines: Lines | None = None, limit: int | None = None
) -> list[Node]:
    """The nodes of a PROTO's body, where IS stands for these values."""
    roots: list[Node] = []
    _Parser(text, proto.document, scope, proto.body_line, lines, values, limit).read(roots)
    return roots


class _Header:
    """The header of a PROTO, whose fields have defaults."""

    def __init__(self) -> None:
        self.fields: dict[str, ProtoField] = {}


Open: TypeAlias = Node | _Header | list[NodeValue] | list[Node]
"""What is open while a text is read."""


class _Parser:
    """One pass over the tokens with a stack of what is open: nodes, lists, and the header of a PROTO."""

    def __init__(
        self, text: str, document: Document, scope: Scope | None = None, first_line: int = 1,
        lines: Lines | None = None, values: Values | None = None, limit: int | None = None,
    ):  # fmt: skip
        self.text, self.document, self.scope, self.lines = text, document, scope, lines
        self.values, self.limit, self.count = values, limit, 0
        self.defined: dict[str, Node] = {}
        self.open: list[Open] = []
        self.opened: list[int] = [first_line]
        self.unfinished: set[int] = set()
        self.jump(0, first_line)

    def jump(self, at: int, line: int) -> None:
        """Go on from a character."""
        self.tokens = self.significant(tokens_of(self.text, self.document.file, line, self.lines, at))
        self.next = next(self.tokens)

    def significant(self, tokens: Iterator[Token]) -> Iterator[Token]:
        """The tokens but comments, which go to the node that is open."""
        for token in tokens:
            if token.kind != "comment":
                yield token
            elif self.open and isinstance(self.open[-1], Node):
                lines = (line.strip()[1:].strip() for line in token.text.split("\n") if line.strip())
                self.open[-1].comments.extend(lines)

    def fail(self, line: int, sentence: str) -> NoReturn:
        raise ParameterError(f"{place(self.document.file, line)}: {sentence}")

    def refuse(self, token: Token, expected: str, before: str = "") -> NoReturn:
        self.fail(token.line, f"{before}expected {expected} but found {token.text[:40]}")

    def take(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.next = next(self.tokens)
        return token

    def expect(self, what: str, kind: str, text: str = "") -> Token:
        token = self.take()
        if token.kind != kind or (text and token.text != text):
            self.refuse(token, what)
        return token

    def push(self, thing: Open, line: int) -> None:
        self.open.append(thing)
        self.opened.append(line)
        self.unfinished.add(id(thing))

    def pop(self) -> None:
        self.unfinished.discard(id(self.open.pop()))
        self.opened.pop()

    def read(self, root: list[Node] | _Header) -> None:
        """Everything to the end, into a list of nodes or a header."""
        self.root = root
        self.open.append(root)
        while True:
            token, top = self.take(), self.open[-1]
            if token.kind == "end":
                break
            if token.kind == "template":
                continue
            if isinstance(top, Node):
                self.in_node(top, token)
            elif isinstance(top, _Header):
                self.in_header(top, token)
            elif top is root:
                self.in_file(top, token)
            elif token.text == "]":
                self.pop()
            else:
                self.value("", token, top.append)
        if len(self.open) > 1:
            self.fail(token.line, f"the bracket of line {self.opened[-1]} is never closed")

    def in_file(self, roots: list[Node], token: Token) -> None:
        """Between the nodes of a file, or of a PROTO's body."""
        if token.text == "IMPORTABLE":
            return
        if token.text == "EXTERNPROTO":
            self.external()
        elif token.text == "PROTO":
            self.proto()
        elif token.kind != "word" or token.text in (*_WORDS, "IS"):
            self.refuse(token, "a node")
        else:
            self.value("", token, roots.append)

    def external(self) -> None:
        """EXTERNPROTO "address", or as VRML97 has it EXTERNPROTO Name [ fields ] "address"."""
        name = self.take().text if self.next.kind == "word" else ""
        if self.next.text.startswith("["):
            self.jump(self.closing_of(self.next) + 1, self.next.line)
        address = self.expect("the address of a PROTO", "string").text[1:-1].strip()
        self.document.externals[name or re.split(r"[/\\]", address)[-1].removesuffix(".proto")] = address

    def closing_of(self, token: Token) -> int:
        """Where the bracket of a token is closed."""
        end = closing(self.text, token.at)
        if end < 0:
            self.fail(token.line, "the bracket of this line is never closed")
        return end

    def proto(self) -> None:
        """A PROTO, whose header and body are kept as texts: its fields decide what they say."""
        name = self.expect("the name of the PROTO", "word").text
        opens = self.next
        if not opens.text.startswith("["):
            self.refuse(opens, "[")
        end = self.closing_of(opens)
        self.jump(end + 1, opens.line + self.text.count("\n", opens.at, end))
        brace = self.next
        if brace.text != "{":
            self.refuse(brace, "{")
        last = self.body_end(brace)
        self.document.protos[name] = Proto(
            name=name, header=self.text[opens.at + 1 : end], header_line=opens.line,
            body=self.text[brace.at + 1 : last], body_line=brace.line, document=self.document,
        )  # fmt: skip
        self.jump(last + 1, brace.line + self.text.count("\n", brace.at, last))

    def body_end(self, brace: Token) -> int:
        """The brace that ends a body: the file's last where the branches of a template do not close what they open."""
        end = closing(self.text, brace.at)
        follows = _AFTER_PROTO.match(self.text, end + 1) if end > 0 else None
        if follows is None and re.search(r"%[<{]", self.text[brace.at :]):
            end = self.text.rfind("}", brace.at + 1)
        return end if end > 0 else self.closing_of(brace)

    def in_node(self, node: Node, token: Token) -> None:
        if token.text == "}":
            self.pop()
            return
        if token.kind != "word":
            self.refuse(token, "the name of a field", f"{node.kind}: ")
        if token.text == "hidden" and self.next.kind == "word":
            # what Webots keeps of the state of a PROTO's inside
            node.hidden = node.hidden or Node("hidden", token.line, file=self.document.file)
            node, token = node.hidden, self.take()
        # a field that is given twice has the value that comes last
        node.lines[token.text] = token.line
        node.fields[token.text] = None
        self.value(token.text, self.take(), lambda value: node.fields.__setitem__(token.text, value))

    def in_header(self, header: _Header, token: Token) -> None:
        if token.text not in _ACCESS:
            self.refuse(token, "a field of the PROTO")
        kind = self.expect("the type of a field", "word").text
        if self.next.text == "{":
            # the values that the field may have
            end = self.closing_of(self.next)
            self.jump(end + 1, self.next.line + self.text.count("\n", self.next.at, end))
        name = self.expect("the name of a field", "word").text
        self.value(name, self.take(), lambda value: header.fields.__setitem__(name, ProtoField(kind, value)))

    def value(self, name: str, token: Token, put: Callable[[NodeValue], None]) -> None:
        """What stands after a field's name or in a list; a node or a list is opened, to be filled by what follows."""
        what = f"the value of {name}" if name else "a value"
        if token.kind == "number":
            row = [number_of(token.text)]
            while name and self.next.kind == "number":
                row.append(number_of(self.take().text))
            put(row[0] if len(row) == 1 else tuple(row))
        elif token.kind == "numbers":
            numbers = self.document.numbers.get(token.text) or numbers_of(token)
            if numbers is None:
                self.fail(token.line, f"{what} should be numbers; found {token.text[:40]}")
            self.document.numbers[token.text] = numbers
            put(numbers)
        elif token.kind == "string":
            put("\\".join(part.replace("\\", "") for part in token.text[1:-1].split("\\\\")))
        elif token.kind == "template":
            put(Unreadable("a template of the PROTO computes it"))
        elif token.text in _WORDS:
            put(_WORDS[token.text])
        elif token.text == "[":
            items: list[NodeValue] = []
            put(items)
            self.push(items, token.line)
        elif token.text == "IS":
            known = self.expect("the name of a field", "word").text
            missing = Unreadable(f"the PROTO has no field {known!r} here")
            given = missing if self.values is None else self.values.get(known, missing)
            # in a list the nodes of a field are among those of the list
            for each in given if isinstance(given, list) and not name else [given]:
                put(each)
        elif token.text == "USE":
            self.use(token, put)
        elif token.kind == "word":
            self.node(token, put, what)
        else:
            self.refuse(token, what)

    def use(self, token: Token, put: Callable[[NodeValue], None]) -> None:
        """USE Name; without such a name before it Webots leaves the node out."""
        known = self.expect("a name after USE", "word").text
        found = self.defined.get(known)
        if found is None or id(found) in self.unfinished:
            at = place(self.document.file, token.line)
            self.document.notes.append(f"{at}: USE {known}: there is no node of that name before it; it is left out")
            found = None
        put(found)

    def node(self, token: Token, put: Callable[[NodeValue], None], what: str) -> None:
        known = ""
        if token.text == "DEF":
            known = self.expect("a name after DEF", "word").text
            token = self.expect("a node after DEF", "word")
        if self.next.text != "{":
            self.refuse(token, what)
        self.count += 1
        if self.limit is not None and self.count > self.limit:
            raise TooManyNodes(self.count)
        opened = Node(token.text, token.line, known, self.document.file, scope=self.scope)
        put(opened)
        self.push(opened, token.line)
        self.take()
        if known:
            self.defined[known] = opened


class TooManyNodes(Exception):
    """A body has more nodes than are still read."""
