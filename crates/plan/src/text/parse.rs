//! From words to a tree, by operator precedence.

use super::ast::{Argument, Ast, BINARY, COMPARE, Id, Node, NodeKind, Operator, POWER, UNARY};
use super::source::{Fault, Outcome, Span};
use super::token::{Kind, Token, tokenize};

/// How deep brackets and prefix operators may nest. The parser recurses for these, and the stack must not end before they do.
const MAX_DEPTH: usize = 100;

/// Words of Python that have no meaning here, and what to write instead.
const FOREIGN: [(&str, &str); 9] = [
    ("and", "write a & b with brackets around comparisons: (x > 1) & (x < 5)"),
    ("or", "write a | b with brackets around comparisons: (x < 1) | (x > 5)"),
    ("not", "write ~a"),
    ("if", "write where(condition, a, b)"),
    ("else", "write where(condition, a, b)"),
    ("for", "write one assignment per line"),
    ("in", "compare with == and combine with |"),
    ("is", "write =="),
    ("lambda", "write the expression itself"),
];

/// Reads statements separated by `;` or line ends.
pub(super) fn parse(text: &str) -> Outcome<Ast> {
    let mut parser = Parser { tokens: tokenize(text)?, at: 0, depth: 0, ast: Ast::default() };
    loop {
        while matches!(parser.kind(), Kind::Newline | Kind::Mark(";")) {
            parser.at += 1;
        }
        if *parser.kind() == Kind::End {
            break;
        }
        parser.statement()?;
        if !matches!(parser.kind(), Kind::Newline | Kind::Mark(";") | Kind::End) {
            return Err(parser.unexpected("an operator or the end"));
        }
    }
    if parser.ast.nodes.is_empty() {
        return Err(Fault::invalid(Span::new(0, 0), "the expression is empty"));
    }
    Ok(parser.ast)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    ast: Ast,
}

impl Parser {
    fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Where the last taken token ends.
    fn end(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(self.kind(), Kind::Mark(m) if *m == mark);
        self.at += usize::from(found);
        found
    }

    fn push(&mut self, kind: NodeKind, span: Span) -> Id {
        self.ast.nodes.push(Node { kind, span });
        self.ast.nodes.len() - 1
    }

    fn span_of(&self, id: Id) -> Span {
        self.ast.nodes[id].span
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.kind() {
            Kind::Name(name) => {
                if let Some((_, instead)) = FOREIGN.iter().find(|(word, _)| word == name) {
                    return Fault::invalid(self.span(), format!("'{name}' is not part of this language; {instead}"));
                }
                format!("the name '{name}'")
            }
            Kind::Number(value) => format!("the number {value}"),
            Kind::Text(_) => "a string".into(),
            Kind::Mark("&&") => return Fault::invalid(self.span(), "'&&' is not an operator; write &"),
            Kind::Mark("||") => return Fault::invalid(self.span(), "'||' is not an operator; write |"),
            Kind::Mark(mark) if mark.len() > 1 && mark.ends_with('=') && *mark != "==" => {
                return Fault::invalid(
                    self.span(),
                    format!("'{mark}' changes a value in place; write x = x + 1 instead"),
                );
            }
            Kind::Mark(mark) => format!("'{mark}'"),
            Kind::Newline => "the end of the line".into(),
            Kind::End => "the end of the text".into(),
        };
        Fault::invalid(self.span(), format!("expected {wanted}, found {found}"))
    }

    fn statement(&mut self) -> Outcome<Id> {
        let target = match (self.kind(), self.tokens.get(self.at + 1).map(|t| &t.kind)) {
            (Kind::Name(name), Some(Kind::Mark("="))) => Some((name.clone(), self.span())),
            _ => None,
        };
        let Some((name, span)) = target else { return self.expression(0) };
        if matches!(&name[..], "True" | "False" | "None" | "true" | "false" | "null") {
            return Err(Fault::invalid(span, format!("'{name}' is a value and cannot be assigned")));
        }
        self.at += 2;
        let value = self.expression(0)?;
        let span = span.to(self.span_of(value));
        Ok(self.push(NodeKind::Assign(name, value), span))
    }

    /// An expression whose operators bind at least as tightly as `power`.
    fn expression(&mut self, power: u8) -> Outcome<Id> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::invalid(self.span(), format!("the expression is nested more than {MAX_DEPTH} deep")));
        }
        let mut left = self.prefix()?;
        while let Some(operator) = self.binary_operator(power) {
            let mark = self.span();
            self.at += 1;
            let right = self.expression(if operator.power == POWER { POWER } else { operator.power + 1 })?;
            if operator.power == COMPARE && self.binary_operator(COMPARE).is_some_and(|next| next.power == COMPARE) {
                let message = "comparisons do not chain; write (a < b) & (b < c)";
                return Err(Fault::invalid(mark.to(self.span()), message));
            }
            let span = self.span_of(left).to(self.span_of(right));
            left = self.push(NodeKind::Binary(operator, left, right), span);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn binary_operator(&self, power: u8) -> Option<&'static Operator> {
        let Kind::Mark(mark) = self.kind() else { return None };
        BINARY.iter().find(|operator| operator.mark == *mark && operator.power >= power)
    }

    fn prefix(&mut self) -> Outcome<Id> {
        let Kind::Mark(mark) = self.kind() else { return self.postfix() };
        let Some(operator) = UNARY.iter().find(|operator| operator.mark == *mark) else { return self.postfix() };
        let start = self.span();
        self.at += 1;
        let of = self.expression(operator.power)?;
        let span = start.to(self.span_of(of));
        Ok(self.push(NodeKind::Unary(operator, of), span))
    }

    /// A value with the calls, attributes and indices behind it.
    fn postfix(&mut self) -> Outcome<Id> {
        let mut of = self.atom()?;
        loop {
            let start = self.span_of(of);
            let kind = if self.take(".") {
                let Kind::Name(name) = self.kind() else { return Err(self.unexpected("a name after the point")) };
                let name = name.clone();
                self.at += 1;
                NodeKind::Attribute(of, name)
            } else if self.take("(") {
                NodeKind::Call(of, self.arguments()?)
            } else if self.take("[") {
                NodeKind::Index(of, self.index_items()?)
            } else {
                return Ok(of);
            };
            let span = start.to(self.end());
            of = self.push(kind, span);
        }
    }

    fn atom(&mut self) -> Outcome<Id> {
        let span = self.span();
        let kind = match self.kind() {
            Kind::Number(value) => NodeKind::Number(*value),
            Kind::Text(text) => NodeKind::Text(text.clone()),
            Kind::Name(name) => match &name[..] {
                "True" | "true" => NodeKind::Number(true.into()),
                "False" | "false" => NodeKind::Number(false.into()),
                "None" | "null" => NodeKind::None,
                _ if FOREIGN.iter().any(|(word, _)| word == name) => return Err(self.unexpected("a value")),
                _ => NodeKind::Name(name.clone()),
            },
            Kind::Mark("...") => NodeKind::Ellipsis,
            Kind::Mark("(") => return self.parenthesis(),
            Kind::Mark("[") => {
                self.at += 1;
                let (items, _) = self.items("]")?;
                let span = span.to(self.end());
                return Ok(self.push(NodeKind::List(items), span));
            }
            Kind::Mark("{") => return self.dict(),
            _ => return Err(self.unexpected("a value")),
        };
        self.at += 1;
        Ok(self.push(kind, span))
    }

    /// Names and values in braces.
    fn dict(&mut self) -> Outcome<Id> {
        let start = self.span();
        self.at += 1;
        let mut entries = Vec::new();
        while !self.take("}") {
            let name = match self.kind() {
                Kind::Text(name) => name.clone(),
                Kind::Number(number) => number.to_string(),
                _ => return Err(self.unexpected("a name in quotes")),
            };
            self.at += 1;
            if !self.take(":") {
                return Err(self.unexpected("':'"));
            }
            entries.push((name, self.expression(0)?));
            if !self.take(",") && !matches!(self.kind(), Kind::Mark("}")) {
                return Err(self.unexpected("',' or '}'"));
            }
        }
        let span = start.to(self.end());
        Ok(self.push(NodeKind::Dict(entries), span))
    }

    /// A value in brackets, or a tuple, which is the same as a list.
    fn parenthesis(&mut self) -> Outcome<Id> {
        let start = self.span();
        self.at += 1;
        let (items, comma) = self.items(")")?;
        let span = start.to(self.end());
        match items[..] {
            [one] if !comma => {
                // The picture of an error then covers the brackets too.
                self.ast.nodes[one].span = span;
                Ok(one)
            }
            _ => Ok(self.push(NodeKind::List(items), span)),
        }
    }

    /// Values up to `close`, and whether there was a comma.
    fn items(&mut self, close: &'static str) -> Outcome<(Vec<Id>, bool)> {
        let mut items = Vec::new();
        let mut comma = false;
        while !self.take(close) {
            items.push(self.expression(0)?);
            if self.take(",") {
                comma = true;
            } else if !matches!(self.kind(), Kind::Mark(mark) if *mark == close) {
                return Err(self.unexpected(&format!("',' or '{close}'")));
            }
        }
        Ok((items, comma))
    }

    fn arguments(&mut self) -> Outcome<Vec<Argument>> {
        let mut all: Vec<Argument> = Vec::new();
        while !self.take(")") {
            let name = match (self.kind(), self.tokens.get(self.at + 1).map(|t| &t.kind)) {
                (Kind::Name(name), Some(Kind::Mark("="))) => Some((name.clone(), self.span())),
                _ => None,
            };
            if name.is_some() {
                self.at += 2;
            } else if all.last().is_some_and(|last| last.name.is_some()) {
                return Err(Fault::invalid(self.span(), "arguments without a name come before those with one"));
            }
            let value = self.expression(0)?;
            all.push(Argument { name, value });
            if !self.take(",") && *self.kind() != Kind::Mark(")") {
                return Err(self.unexpected("',' or ')'"));
            }
        }
        Ok(all)
    }

    fn index_items(&mut self) -> Outcome<Vec<Id>> {
        let mut items = Vec::new();
        while !self.take("]") {
            items.push(self.index_item()?);
            if !self.take(",") && *self.kind() != Kind::Mark("]") {
                return Err(self.unexpected("',' or ']'"));
            }
        }
        if items.is_empty() {
            return Err(Fault::invalid(self.end(), "the index is empty; write for example x[0] or x[:, 2:5]"));
        }
        Ok(items)
    }

    /// A value, or a slice `start:stop:step` with parts left out.
    fn index_item(&mut self) -> Outcome<Id> {
        let start = self.span();
        let mut parts = [None; 3];
        let mut n = 0;
        loop {
            if !matches!(self.kind(), Kind::Mark(":" | "," | "]")) {
                parts[n] = Some(self.expression(0)?);
            }
            if !self.take(":") {
                break;
            }
            n += 1;
            if n > 2 {
                return Err(Fault::invalid(start.to(self.end()), "a slice has at most start, stop and step"));
            }
        }
        match parts[0] {
            Some(value) if n == 0 => Ok(value),
            None if n == 0 => Err(self.unexpected("an index")),
            _ => {
                let span = start.to(self.end());
                Ok(self.push(NodeKind::Slice(parts), span))
            }
        }
    }
}
