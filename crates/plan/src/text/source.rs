//! Places in the source text, and the picture that shows them.

use voxmill_core::{Error, ErrorClass};

/// A half-open range of bytes of the source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte after the last one.
    pub end: usize,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The smallest span around both.
    pub(super) fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// An error and the place that caused it, before the text is at hand.
#[derive(Debug)]
pub(super) struct Fault {
    pub span: Span,
    pub error: Error,
    /// A line below the picture: how the op is called.
    pub hint: Option<String>,
}

pub(super) type Outcome<T> = Result<T, Fault>;

impl Fault {
    pub fn new(class: ErrorClass, span: Span, message: impl Into<String>) -> Fault {
        Fault { span, error: Error::new(class, message), hint: None }
    }

    pub fn invalid(span: Span, message: impl Into<String>) -> Fault {
        Fault::new(ErrorClass::Invalid, span, message)
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// The error with a picture of its place in `text`.
    pub fn show(self, text: &str) -> Error {
        let mut message = format!("{}\n{}", self.error.message(), picture(text, self.span));
        if let Some(hint) = self.hint {
            message.push_str(&format!("\n  usage: {hint}"));
        }
        let shown = Error::new(self.error.class(), message);
        self.error.trail().iter().fold(shown, |error, place| error.at(place.clone()))
    }
}

/// Characters of a long line that are shown.
const WIDTH: usize = 96;

/// The line of `span` with carets below it.
fn picture(text: &str, span: Span) -> String {
    let start = floor_boundary(text, span.start);
    let end = floor_boundary(text, span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let number = text[..line_start].matches('\n').count() + 1;
    let line: Vec<char> = text[line_start..line_end].chars().map(printable).collect();
    let column = text[line_start..start].chars().count();
    let length = text[start..end.min(line_end)].chars().count().max(1);

    // A long line is cut to a window with the place a third into it.
    let from = if line.len() <= WIDTH { 0 } else { column.saturating_sub(WIDTH / 3).min(line.len() - WIDTH) };
    let to = line.len().min(from + WIDTH);
    let mut shown: String = line[from..to].iter().collect();
    let mut indent = column - from;
    if from > 0 {
        shown.insert_str(0, "...");
        indent += 3;
    }
    if to < line.len() {
        shown.push_str("...");
    }
    let gutter = number.to_string();
    let carets = "^".repeat(length.min(to.saturating_sub(column).max(1)));
    format!("  {gutter} | {shown}\n  {} | {}{carets}", " ".repeat(gutter.len()), " ".repeat(indent))
}

fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// The nearest start of a character at or before byte `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_their_place() {
        assert_eq!(picture("a + b", Span::new(4, 5)), "  1 | a + b\n    |     ^");
        assert_eq!(picture("a\nüb + cd", Span::new(8, 10)), "  2 | üb + cd\n    |      ^^");
        assert_eq!(picture("", Span::new(0, 0)), "  1 | \n    | ^");
        assert_eq!(picture("ab", Span::new(2, 2)), "  1 | ab\n    |   ^");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}HERE{}", "x".repeat(300), "y".repeat(300));
        let shown = picture(&text, Span::new(300, 304));
        assert!(shown.contains("HERE") && shown.lines().all(|l| l.chars().count() < 120), "{shown}");
        let (code, carets) = shown.split_once('\n').unwrap();
        assert_eq!(code.find("HERE"), carets.find("^^^^"));
    }
}
