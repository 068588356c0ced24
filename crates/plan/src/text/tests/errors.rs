//! What wrong expressions are answered.

use voxmill_core::ErrorClass;

use super::run;

/// The class, and the message with its picture.
#[track_caller]
fn check(text: &str, class: ErrorClass, expected: &str) {
    match run(text) {
        Ok(term) => panic!("{text} gives {}", super::show(&term)),
        Err(error) => {
            assert_eq!(error.message(), expected.trim_matches('\n'), "{text}");
            assert_eq!(error.class(), class, "{text}");
        }
    }
}

/// Only a part of the message.
#[track_caller]
fn check_part(text: &str, part: &str) {
    match run(text) {
        Ok(term) => panic!("{text} gives {}", super::show(&term)),
        Err(error) => assert!(error.message().contains(part), "{text}: {error}"),
    }
}

#[test]
fn names_that_lead_nowhere_suggest_others() {
    check(
        "gausian_filter(x, 1)",
        ErrorClass::NotFound,
        "
there is no variable or function 'gausian_filter'; did you mean gaussian_filter?
  1 | gausian_filter(x, 1)
    | ^^^^^^^^^^^^^^
",
    );
    check(
        "a = x\nb = a.maen()",
        ErrorClass::NotFound,
        "
arrays have no attribute 'maen'; did you mean mean?
  2 | b = a.maen()
    |     ^^^^^^
",
    );
    check_part("np.zorro(3)", "there is no variable or function 'zorro'");
    check_part("open('missing')", "'missing' does not exist");
}

#[test]
fn wrong_calls_show_the_usage() {
    check(
        "clip(x, mn=0)",
        ErrorClass::Invalid,
        "
clip has no parameter 'mn'; did you mean min?
  1 | clip(x, mn=0)
    |         ^^
  usage: clip(x, min=None, max=None)
",
    );
    check(
        "1 + add(x)",
        ErrorClass::Invalid,
        "
add needs the input x2
  1 | 1 + add(x)
    |     ^^^^^^
  usage: add(x1, x2)
",
    );
    check(
        "gaussian_filter(x)",
        ErrorClass::Invalid,
        "
gaussian_filter needs the parameter 'sigma' (any): a parameter
  1 | gaussian_filter(x)
    | ^^^^^^^^^^^^^^^^^^
  usage: gaussian_filter(x, sigma, mode=\"reflect\")
",
    );
    let rows = [
        ("clip(x, 0, 1, 2)", "clip takes 3 arguments, this is one more"),
        ("clip(x, 0, min=1)", "'min' is given twice"),
        ("clip(x, x=y)", "'x' is given twice"),
        ("clip(x, 0, x.mean())", "parameter 'max' of clip: a plain value is needed, not an array"),
        ("clip(x, 0, mean)", "a plain value is needed, not the function mean"),
        ("clip(min=1, x)", "arguments without a name come before"),
        ("concatenate()", "concatenate needs a list of arrays"),
        ("concatenate([x, 'a'])", "an array is needed, not the string 'a'"),
        ("gaussian_filter(x, -1)", "sigma -1 is negative"),
        ("x + [1]", "operator '+': an array is needed, not a list"),
        ("x + 'a'", "an array is needed, not the string 'a'"),
        ("x(1)", "an array cannot be called"),
        ("x.shape(1)", "a list cannot be called"),
        ("open(3)", "open needs a path in quotes"),
        ("open()", "open takes exactly one argument"),
        ("x % 2", "there is no op 'remainder'"),
        ("x + 99999999999999999999999", "does not fit 64 bits"),
    ];
    for (text, part) in rows {
        check_part(text, part);
    }
}

#[test]
fn wrong_grammar_shows_the_place() {
    check(
        "x + (y * 2",
        ErrorClass::Invalid,
        "
expected ',' or ')', found the end of the text
  1 | x + (y * 2
    |           ^
",
    );
    check(
        "x > 1 and x < 2",
        ErrorClass::Invalid,
        "
'and' is not part of this language; write a & b with brackets around comparisons: (x > 1) & (x < 5)
  1 | x > 1 and x < 2
    |       ^^^
",
    );
    let rows = [
        ("", "the expression is empty"),
        ("# nothing", "the expression is empty"),
        ("1 < x < 3", "comparisons do not chain"),
        ("x +", "expected a value, found the end of the text"),
        ("x y", "expected an operator or the end, found the name 'y'"),
        ("x += 1", "changes a value in place"),
        ("x && y", "'&&' is not an operator; write &"),
        ("!x", "write ~ for a logical not"),
        ("'abc", "the string has no closing quote"),
        ("2x", "'2x' is not a number"),
        ("0x", "is not a number"),
        ("x[]", "the index is empty"),
        ("x[1:2:3:4]", "a slice has at most start, stop and step"),
        ("x[x > 1]", "an array cannot be an index"),
        ("x[[0, 1]]", "pick positions with take"),
        ("x[1.5]", "an index is an integer, a slice, None or ..., not the number 1.5"),
        ("x[y:]", "the parts of a slice are integers, not an array"),
        ("x.shape[5]", "index 5 is out of range for a list of 2 items"),
        ("x.shape[::0]", "must not be 0"),
        ("x.", "expected a name after the point"),
        ("True = 3", "'True' is a value and cannot be assigned"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("2 ** 1000", "too large for an integer"),
        ("1 << 500", "too large for an integer"),
        ("1 << -1", "must not be negative"),
        ("1j < 2", "complex numbers have no order"),
        ("1.5 & 2", "'&' is not defined between 1.5 and 2.0"),
        ("mean", "the result is the function mean; call it"),
        ("x.mean", "the result is the method mean; call it"),
        ("x if y else 2", "write where(condition, a, b)"),
        ("{x: 2}", "a name in quotes"),
        ("99999999999999999999999999999999999999999", "is not a number"),
    ];
    for (text, part) in rows {
        check_part(text, part);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for text in
        ["(".repeat(100_000), "-".repeat(100_000), "x[".repeat(100_000), "f(".repeat(50_000), "2**".repeat(100_000)]
    {
        check_part(&text, "nested more than 100 deep");
    }
    check_part(&"x".repeat(2 << 20), "more than 1048576 bytes");
}
