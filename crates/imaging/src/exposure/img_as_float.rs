//! `img_as_float`

use serde_json::json;
use voxmill_core::DType;
use voxmill_plan::{Sample, SampleInput};

use crate::family::compose::{composite_op, float_image};

composite_op!(
    ImgAsFloat,
    "img_as_float",
    "exposure",
    "An image in floats, whose whole numbers become 0 to 1, or -1 to 1.",
    "As skimage.util.img_as_float: whole numbers are divided by the largest one of their dtype and give float64, where the smallest one \
     becomes -1, too; floats stay as they are.",
    ["image"],
    {},
    || {
        let one = |&dtype: &DType| Sample { params: json!({}), ins: vec![SampleInput::new(&[5, 7], dtype)] };
        [DType::Bool, DType::U8, DType::I16, DType::U64, DType::F32].iter().map(one).collect()
    },
    |_op, ins| float_image(&ins[0])
);
