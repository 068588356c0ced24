//! What names mean that are no variables: ops, their other names, constants, dtypes, modules.

use std::str::FromStr;

use voxmill_core::DType;

use super::term::Term;
use crate::{OpDef, OpTable};

/// Functions of the language itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `open("path")`: the array in a file or at a URL.
    Open,
    /// `len(x)`: length of the first axis, or of a list.
    Len,
    /// `int(x)`, `np.float32(x)`: a number or array as this dtype. The flag is set for the names that give plain numbers.
    Cast(DType, bool),
}

impl Builtin {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Open => "open",
            Builtin::Len => "len",
            Builtin::Cast(DType::Bool, true) => "bool",
            Builtin::Cast(DType::I64, true) => "int",
            Builtin::Cast(DType::F64, true) => "float",
            Builtin::Cast(DType::C128, true) => "complex",
            Builtin::Cast(dtype, _) => dtype.name(),
        }
    }
}

/// Prefixes that are accepted and dropped, so that NumPy and scipy code can be pasted.
const MODULES: [&str; 16] = [
    "np", "numpy", "vm", "voxmill", "xp", "da", "dask", "scipy", "ndimage", "ndi", "skimage", "filters", "linalg",
    "fft", "random", "math",
];

/// Other names of the very same ops: looked up where the table has no op of the first name.
const ALIASES: [(&str, &str); 31] = [
    ("abs", "absolute"),
    ("absolute", "abs"),
    ("amax", "max"),
    ("amin", "min"),
    ("max", "amax"),
    ("min", "amin"),
    ("mod", "remainder"),
    ("true_divide", "divide"),
    ("bitwise_not", "invert"),
    ("bitwise_invert", "invert"),
    ("bitwise_left_shift", "left_shift"),
    ("bitwise_right_shift", "right_shift"),
    ("conj", "conjugate"),
    ("conjugate", "conj"),
    ("pow", "power"),
    ("power", "pow"),
    ("concat", "concatenate"),
    ("concatenate", "concat"),
    ("permute_dims", "transpose"),
    ("around", "round"),
    ("acos", "arccos"),
    ("asin", "arcsin"),
    ("atan", "arctan"),
    ("atan2", "arctan2"),
    ("acosh", "arccosh"),
    ("asinh", "arcsinh"),
    ("atanh", "arctanh"),
    ("arccos", "acos"),
    ("arcsin", "asin"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
];

/// True for a name that may stand before a point without meaning anything.
pub(super) fn is_module(name: &str) -> bool {
    MODULES.contains(&name)
}

/// The op called `name`, or known by it elsewhere.
pub(super) fn op(table: &OpTable, name: &str) -> Option<&'static OpDef> {
    let find = |name: &str| table.iter().find(|def| def.name == name);
    find(name).or_else(|| ALIASES.iter().filter(|(other, _)| *other == name).find_map(|(_, name)| find(name)))
}

/// What `name` means if no variable is called so. Ops come first: `fft` is a function before it is a module.
pub(super) fn global(table: &OpTable, name: &str) -> Option<Term> {
    if let Some(def) = op(table, name) {
        return Some(Term::Function(def));
    }
    let term = match name {
        "open" => Term::Builtin(Builtin::Open),
        "len" => Term::Builtin(Builtin::Len),
        "pi" => Term::Number(std::f64::consts::PI.into()),
        "e" => Term::Number(std::f64::consts::E.into()),
        "inf" => Term::Number(f64::INFINITY.into()),
        "nan" => Term::Number(f64::NAN.into()),
        "newaxis" => Term::None,
        _ if is_module(name) => Term::Module,
        _ => Term::Builtin(cast(name)?),
    };
    Some(term)
}

fn cast(name: &str) -> Option<Builtin> {
    let plain = matches!(name, "int" | "float" | "bool" | "complex");
    let named = DType::ALL.iter().any(|dtype| dtype.name() == name);
    let dtype = (plain || named).then(|| DType::from_str(name).ok())??;
    Some(Builtin::Cast(dtype, plain))
}

/// Every name that [`global`] knows in the table, for suggestions.
pub(super) fn known(table: &OpTable) -> impl Iterator<Item = &'static str> + use<> {
    table.iter().map(|def| def.name).chain(["open", "len", "pi", "inf", "nan"])
}
