//! Noise, blur and background: skimage.restoration.

use voxmill_plan::OpDef;

pub mod bilateral;
pub mod denoise_bilateral;
pub mod denoise_nl_means;
pub mod denoise_tv_chambolle;
pub mod keep;
pub mod nl_means;
pub mod richardson_lucy;
pub mod rolling_ball;
pub mod rolling_minimum;
pub mod tv;
pub mod tv_advance;
pub mod tv_decide;
pub mod tv_energies;

/// The ops of this theme.
pub static OPS: &[&OpDef] = &[
    &denoise_bilateral::DEF,
    &denoise_nl_means::DEF,
    &denoise_tv_chambolle::DEF,
    &richardson_lucy::DEF,
    &rolling_ball::DEF,
    &bilateral::DEF,
    &nl_means::DEF,
    &rolling_minimum::DEF,
    &keep::DEF,
    &tv_energies::DEF,
    &tv_decide::DEF,
    &tv_advance::DEF,
];
