//! What expressions mean.

use super::{run, show};
use crate::text::free_names;
use crate::text::parse_index;

#[track_caller]
fn check(text: &str, expected: &str) {
    match run(text) {
        Ok(term) => assert_eq!(show(&term), expected, "{text}"),
        Err(error) => panic!("{text}: {error}"),
    }
}

#[test]
fn plain_numbers_are_folded_as_in_python() {
    let rows = [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("2 ** -1", "0.5"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 % -3", "-2"),
        ("7 / 2", "3.5"),
        ("1 - 2 - 3", "-4"),
        ("1 << 4 | 1", "17"),
        ("5 & 3 ^ 1", "0"),
        ("1 + 2 == 3", "true"),
        ("1 < 2", "true"),
        ("nan == nan", "false"),
        ("True + 1", "2"),
        ("~True", "false"),
        ("~5", "-6"),
        ("1_000 + 0x1f", "1031"),
        ("1e3 + .5 + 2.", "1002.5"),
        ("2j * 2j", "-4.0+0.0j"),
        ("(-8.0) ** 2", "64.0"),
        ("pi > 3.14", "true"),
        ("-inf", "-inf"),
        ("int(7 / 2)", "3"),
        ("float(2)", "2.0"),
        ("+True", "1"),
        ("18446744073709551616 - 1", "18446744073709551615"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn operators_become_ops() {
    let rows = [
        ("x + 1", "add(source[3, 4], 1)"),
        ("1 - x", "subtract(1, source[3, 4])"),
        ("-x ** 2", "negative(power(source[3, 4], 2))"),
        ("x @ y.T", "matmul(source[3, 4], transpose(source[3, 4]))"),
        ("(x > 1) & (x < 5)", "bitwise_and(greater(source[3, 4], 1), less(source[3, 4], 5))"),
        ("x > 1 | 2", "greater(source[3, 4], 3)"),
        ("~(x > 1)", "invert(greater(source[3, 4], 1))"),
        ("2 * 3 + x", "add(6, source[3, 4])"),
        ("x / x.mean()", "divide(source[3, 4], mean(source[3, 4]))"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn calls_fill_inputs_then_parameters() {
    let rows = [
        ("clip(x, 0, 1)", "clip(source[3, 4], max=1, min=0)"),
        ("np.clip(x, 0, max=1)", "clip(source[3, 4], max=1, min=0)"),
        ("x.clip(0, 1)", "clip(source[3, 4], max=1, min=0)"),
        ("where(x > 0, x, 0)", "where(greater(source[3, 4], 0), source[3, 4], 0)"),
        ("where(y=1, x=2, condition=x)", "where(source[3, 4], 2, 1)"),
        ("scipy.ndimage.gaussian_filter(x, sigma=[1, 2])", "gaussian_filter(source[3, 4], sigma=[1,2])"),
        (
            "gaussian_filter(x, 2 ** 0.5 / 2 * 2, mode='nearest')",
            "gaussian_filter(source[3, 4], mode=\"nearest\", sigma=1.4142135623730951)",
        ),
        ("concatenate([x, y], axis=1)", "concatenate(source[3, 4], source[3, 4], axis=1)"),
        ("concatenate((x, 1))", "concatenate(source[3, 4], 1)"),
        ("concatenate(x, y, axis=1)", "concatenate(source[3, 4], source[3, 4], axis=1)"),
        ("einsum('ij,ij->i', x, y)", "einsum(source[3, 4], source[3, 4], subscripts=\"ij,ij->i\")"),
        ("full(x.shape, 7)", "full(fill_value=7, shape=[3,4])"),
        ("full(x.shape + [2], nan, dtype=np.float32)", "full(dtype=\"float32\", fill_value=\"nan\", shape=[3,4,2])"),
        ("full((2, 3), 1+2j)", "full(fill_value=[1.0,2.0], shape=[2,3])"),
        ("x.mean(axis=(0, 1), keepdims=True)", "mean(source[3, 4], axis=[0,1], keepdims=true)"),
        ("x.mean(None)", "mean(source[3, 4], axis=null)"),
        ("x.transpose(1, 0)", "transpose(source[3, 4], axes=[1,0])"),
        ("abs(x)", "absolute(source[3, 4])"),
        ("np.fft.fft(x)", "fft(source[3, 4])"),
        ("x.astype(np.uint8)", "astype(source[3, 4], dtype=\"uint8\")"),
        ("np.uint8(x)", "astype(source[3, 4], dtype=\"uint8\")"),
        ("np.uint8(3) + x", "add(3, source[3, 4])"),
        ("open('a.zarr') + 1", "add(source[4, 6, 8], 1)"),
        ("negative(3)", "negative(3)"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn attributes_are_plain_values() {
    let rows = [
        ("x.shape", "[3, 4]"),
        ("x.shape[-1] // 2", "2"),
        ("x.shape[::-1]", "[4, 3]"),
        ("x.shape[1:]", "[4]"),
        ("x.ndim", "2"),
        ("x.size", "12"),
        ("x.nbytes", "48"),
        ("x.dtype", "\"float32\""),
        ("x.dtype == 'float32'", "true"),
        ("len(x) + len([1, 2])", "5"),
        ("x.real", "real(source[3, 4])"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn indices_become_getitem() {
    let rows = [
        ("x[0]", "getitem(source[3, 4], index=[0])"),
        ("x[-1, ...]", "getitem(source[3, 4], index=[-1,\"...\"])"),
        ("x[:, None]", "getitem(source[3, 4], index=[{\"start\":null,\"step\":null,\"stop\":null},null])"),
        ("x[1:x.shape[0]:2]", "getitem(source[3, 4], index=[{\"start\":1,\"step\":2,\"stop\":3}])"),
        ("x[::-1, np.newaxis]", "getitem(source[3, 4], index=[{\"start\":null,\"step\":-1,\"stop\":null},null])"),
        ("x.T[0][1]", "getitem(getitem(transpose(source[3, 4]), index=[0]), index=[1])"),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
    let index = parse_index("0:100, :, -1", &super::toys::TABLE).unwrap();
    assert_eq!(
        super::sorted(index).to_string(),
        r#"[{"start":0,"step":null,"stop":100},{"start":null,"step":null,"stop":null},-1]"#
    );
    for wrong in ["", "0][1", "a", "0] + x[1", "1.5", "open('x')"] {
        assert!(parse_index(wrong, &super::toys::TABLE).is_err(), "{wrong}");
    }
}

#[test]
fn statements_assign_and_the_last_one_counts() {
    check("a = 2; b = a * 3\n\n# a comment\nb + a", "8");
    check("a = (1 +\n  2) # brackets join lines\na", "3");
    check("a = 1 + \\\n 2", "3");
    check("a = x; a = a + 1; a = a + 2", "add(add(source[3, 4], 1), 2)");
    let names = free_names("a = x; b = a + z; b.mean(axis=k)").unwrap();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["k", "x", "z"]);
}

#[test]
fn long_chains_need_no_stack() {
    let sum = vec!["1"; 100_000].join("+");
    check(&sum, "100000");
    let arrays = format!("x{}", "+y".repeat(20_000));
    assert!(run(&arrays).is_ok());
    let indices = format!("x{}", ".T".repeat(20_000));
    assert!(run(&indices).is_ok());
}
