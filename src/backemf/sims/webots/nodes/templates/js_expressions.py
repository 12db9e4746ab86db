"""The grammar of JavaScript's expressions, as far as templates use them."""

from __future__ import annotations

from .expressions import Expression, always
from .grammar import Grammar, precedence
from .js_values import NULL, matcher
from .runtime import Get, Parameter, Put, Statement
from .tokens import Token

_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=")
_WORDS = {"true": True, "false": False, "undefined": None, "null": NULL}
MISSING = ("class", "async", "await", "yield", "try", "throw", "with", "debugger", "export", "super", "instanceof")
"""Words that JavaScript knows and this interpreter does not."""


class JsExpressions(Grammar):
    """Reads expressions."""

    precedence = precedence(
        "??", "||", "&&", "|", "^", "&", "=== !== == !=", "< > <= >= in", "<< >> >>>", "+ -", "* / %"
    )  # fmt: skip

    def block(self) -> Statement:
        """Statements in braces, as of a function."""
        raise NotImplementedError

    def sequence(self) -> Expression:
        """Expressions between commas, of which the last is the value."""
        values = self.comma_list(self.expression)
        if len(values) == 1:
            return values[0]
        row = self.make.row(values)
        return self.make.expression(lambda frame: row(frame)[-1])

    def brackets(self) -> Expression:
        """An expression in ( )."""
        self.expect("(")
        value = self.sequence()
        self.expect(")")
        return value

    def expression(self) -> Expression:
        """An expression without commas."""
        arrow = self.arrow()
        if arrow is not None:
            return arrow
        left = self.operation()
        if self.accepts("?"):
            yes = self.expression()
            self.expect(":")
            return self.make.choice(left, yes, self.expression())
        if self.next.kind == "sign" and self.next.value in _ASSIGN:
            return self.assign(left, str(self.take().value)[:-1])
        if self.sees("instanceof"):
            self.unknown("instanceof")
        return left

    def assign(self, target: Expression, sign: str, value: Expression | None = None) -> Expression:
        """a = b and a += b, of which the right side follows if it is not given."""
        if target.put is None:
            self.refuse("a variable to assign to")
        right = value or self.expression()
        return self.make.assign(target.put, self.make.binary(sign, target, right) if sign else right)

    def unary(self) -> Expression:
        """A value with the operators before and after it."""
        sign = self.accepts("-", "+", "!", "~", "typeof", "delete", "void", "++", "--")
        if sign in ("++", "--"):
            return self.assign(self.unary(), sign[0], self.make.constant(1.0))
        if sign:
            return self.make.unary(sign, self.unary())
        value = self.postfix(self.primary())
        if self.sees("++", "--") and not self.next.fresh:
            new = self.assign(value, str(self.take().value)[0], self.make.constant(1.0)).one
            # the value is the one from before
            return self.make.expression(lambda frame: (value.one(frame), new(frame))[0])
        if self.accepts("**"):
            return self.make.binary("**", value, self.unary())
        return value

    def postfix(self, value: Expression) -> Expression:
        """A value with the properties, items and calls after it."""
        while True:
            if self.accepts("."):
                value = self.make.index(value, self.make.constant(self.name()))
            elif self.sees("?."):
                self.unknown("?.")
            elif self.accepts("["):
                value = self.make.index(value, self.sequence())
                self.expect("]")
            elif self.accepts("("):
                value = self.make.call(value, self.until(")", self.item))
            else:
                return value

    def item(self) -> Expression:
        """An argument or an item of a list."""
        return self.make.spread_list(self.expression()) if self.accepts("...") else self.expression()

    def primary(self) -> Expression:
        """A value without operators."""
        if self.sees("("):
            return self.brackets()
        if self.accepts("["):
            return self.make.array(self.until("]", self.item))
        if self.accepts("{"):
            return self.make.record(self.until("}", self.member))
        token = self.next
        if token.kind not in ("number", "string", "join", "pattern", "name"):
            self.refuse("a value")
        self.take()
        if token.kind == "name":
            return self.word(str(token.value))
        if token.kind == "join":
            return self.make.join([self.piece(piece) for piece in token.value])
        if token.kind == "pattern":
            return self.make.expression(lambda frame: matcher(*token.value))
        return self.make.constant(token.value)

    def piece(self, piece: str | list[Token]) -> Expression:
        """A part of a text in ` `."""
        return self.make.constant(piece) if isinstance(piece, str) else type(self)(piece, self.make).sequence()

    def word(self, word: str) -> Expression:
        """A value that begins with a word."""
        if word in _WORDS:
            return self.make.constant(_WORDS[word])
        if word == "function":
            if self.next.kind == "name":
                self.take()
            return self.function_rest()
        if word == "new":
            name = self.make.name(f"new {self.name()}")
            return self.make.call(name, self.until(")", self.item) if self.accepts("(") else [])
        if word in MISSING:
            self.at -= 1
            self.unknown(word)
        return self.make.name(word)

    def member(self) -> tuple[Expression | None, Expression]:
        """A property of an object; all that another object has has no key."""
        if self.accepts("..."):
            return None, self.expression()
        if self.accepts("["):
            key = self.expression()
            self.expect("]", ":")
            return key, self.expression()
        token = self.next
        if token.kind not in ("name", "string", "number"):
            self.refuse("the name of a property")
        self.take()
        key = self.make.constant(token.value)
        if token.kind == "name" and self.sees(",", "}"):
            return key, self.make.name(str(token.value))
        if self.sees("("):
            return key, self.function_rest()
        self.expect(":")
        return key, self.expression()

    # --- functions

    def arrow(self) -> Expression | None:
        """a => b and (a, b) => c, which only what follows the brackets tells from a value."""
        if self.next.kind == "name" and self._is_arrow(self.at + 1):
            parameters = [Parameter(self.make.declare(self.name()))]
        elif self.sees("(") and self._is_arrow(self._closing(self.at) + 1):
            parameters = self.parameters()
        else:
            return None
        self.expect("=>")
        if self.sees("{"):
            return self.make.function(parameters, self.block())
        return self.make.function(parameters, self.line(lambda: self.make.give_back([self.expression()])))

    def _is_arrow(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].kind == "sign" and self.tokens[at].value == "=>"

    def _closing(self, at: int) -> int:
        depth = 0
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "sign":
                depth += {"(": 1, ")": -1}.get(token.value, 0)
                if depth == 0:
                    return index
        return len(self.tokens)

    def parameters(self) -> list[Parameter]:
        """Parameters of a function, in ( )."""
        self.expect("(")
        return self.until(")", self.parameter)

    def parameter(self) -> Parameter:
        """A parameter of a function, with its default."""
        if self.accepts("..."):
            return Parameter(self.make.declare(self.name()), rest=True)
        target = self.target()
        return Parameter(target, self.expression().one if self.accepts("=") else None)

    def function_rest(self) -> Expression:
        """A function from its parameters on."""
        parameters = self.parameters()
        return self.make.function(parameters, self.block())

    def target(self) -> Put:
        """A variable that is declared, or several in [] or {}."""
        if self.accepts("["):
            items = self.until("]", self.target)
            pairs: list[tuple[Get, Put]] = [(always(float(index)), put) for index, put in enumerate(items)]
        elif self.accepts("{"):
            pairs = self.until("}", self.named_target)
        else:
            return self.make.declare(self.name())
        return self.make.unpack(pairs)

    def named_target(self) -> tuple[Get, Put]:
        """A property and the variable that is declared for it."""
        key = self.name()
        return always(key), self.target() if self.accepts(":") else self.make.declare(key)
