//! From letters to words.

use voxmill_core::{Complex64, Scalar};

use super::source::{Fault, Outcome, Span};

/// A word of the language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Number(Scalar),
    Text(String),
    Name(String),
    /// An operator, bracket or separator, by its spelling.
    Mark(&'static str),
    /// The end of a line outside of brackets.
    Newline,
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// All marks, longer ones before their beginnings.
const MARKS: [&str; 49] = [
    "...", "**=", "//=", "<<=", ">>=", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "@=", ":=", "->", "&&", "||", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(",
    ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
];

/// Longest source text, in bytes. Far beyond what anybody writes; it keeps work on hostile text bounded.
const MAX_BYTES: usize = 1 << 20;

/// The words of `text`, with an [`Kind::End`] after the last.
pub(super) fn tokenize(text: &str) -> Outcome<Vec<Token>> {
    if text.len() > MAX_BYTES {
        return Err(Fault::invalid(Span::new(0, 1), format!("the expression has more than {MAX_BYTES} bytes")));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut brackets = 0usize;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, n) = match c {
            '\n' if brackets == 0 => (Kind::Newline, 1),
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '\\' if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") => {
                at += rest.find('\n').unwrap_or(0) + 1;
                continue;
            }
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '"' | '\'' => string(rest, at)?,
            _ if starts_number(rest) => number(rest, at)?,
            _ if c == '_' || c.is_alphabetic() => {
                let n = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                (Kind::Name(rest[..n].to_string()), n)
            }
            _ => mark(rest, at)?,
        };
        match kind {
            Kind::Mark("(" | "[" | "{") => brackets += 1,
            Kind::Mark(")" | "]" | "}") => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        tokens.push(Token { kind, span: Span::new(at, at + n) });
        at += n;
    }
    tokens.push(Token { kind: Kind::End, span: Span::new(text.len(), text.len()) });
    Ok(tokens)
}

fn mark(rest: &str, at: usize) -> Outcome<(Kind, usize)> {
    if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        return Ok((Kind::Mark(mark), mark.len()));
    }
    let c = rest.chars().next().unwrap_or(' ');
    let hint = match c {
        '!' => "; write ~ for a logical not",
        '\u{2018}'..='\u{201f}' => "; strings need straight quotes",
        _ => "",
    };
    Err(Fault::invalid(Span::new(at, at + c.len_utf8()), format!("the character {c:?} has no meaning here{hint}")))
}

/// A string in single or double quotes.
fn string(rest: &str, at: usize) -> Outcome<(Kind, usize)> {
    let mut chars = rest.char_indices();
    let quote = chars.next().map(|(_, c)| c);
    let mut value = String::new();
    while let Some((i, c)) = chars.next() {
        match c {
            _ if Some(c) == quote => return Ok((Kind::Text(value), i + 1)),
            '\n' => break,
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(c @ ('\\' | '\'' | '"')) => value.push(c),
                // Others stay as they are, as in Python, which keeps Windows paths readable.
                Some(c) => value.extend(['\\', c]),
                None => break,
            },
            _ => value.push(c),
        }
    }
    let end = rest.find('\n').unwrap_or(rest.len());
    Err(Fault::invalid(Span::new(at, at + end), "the string has no closing quote"))
}

fn starts_number(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    bytes[0].is_ascii_digit() || (bytes[0] == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit))
}

/// `12`, `1_000`, `0x1f`, `.5`, `1e-3`, and with a `j` behind it the imaginary ones.
fn number(rest: &str, at: usize) -> Outcome<(Kind, usize)> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'_').count();
    let radix = match rest.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0b" | "0B") => 2,
        Some("0o" | "0O") => 8,
        _ => 10,
    };
    let mut end = digits(0);
    let mut whole = true;
    if radix != 10 {
        end = 2 + bytes[2..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    } else {
        if bytes.get(end) == Some(&b'.') && !rest[end..].starts_with("...") {
            (end, whole) = (digits(end + 1), false);
        }
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = matches!(bytes.get(end), Some(b'e' | b'E'));
        if exponent && bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            (end, whole) = (digits(end + 1 + sign), false);
        }
    }
    let word: String = rest[..end].chars().filter(|c| *c != '_').collect();
    let imaginary = radix == 10 && matches!(bytes.get(end), Some(b'j' | b'J'));
    let n = end + usize::from(imaginary);
    let tail = rest[n..].chars().next().filter(|c| *c == '_' || c.is_alphanumeric());
    let wrong = |why: &str| {
        let span = Span::new(at, at + n + tail.map_or(0, char::len_utf8));
        Fault::invalid(span, format!("'{}' is not a number: {why}", &text_of(rest, n, tail)))
    };
    if tail.is_some() {
        return Err(wrong("names do not begin with digits, and a product needs a *"));
    }
    let value = if imaginary {
        Scalar::Complex(Complex64::new(0.0, word.parse().map_err(|_| wrong("it cannot be read"))?))
    } else if whole {
        let digits = if radix == 10 { &word[..] } else { &word[2..] };
        Scalar::Int(i128::from_str_radix(digits, radix).map_err(|e| wrong(&e.to_string()))?)
    } else {
        Scalar::Float(word.parse().map_err(|_| wrong("it cannot be read"))?)
    };
    Ok((Kind::Number(value), n))
}

fn text_of(rest: &str, n: usize, tail: Option<char>) -> String {
    rest[..n].chars().chain(tail).collect()
}
