//! Each known difference, by an input made for it: the reference accepts, we name the rule.

use hrry::DescriptorView;
use hrry_reference_tests::deviations::{self as rows, Deviation};
use hrry_reference_tests::{misfits, policy};
use hurray_core::descriptor::TensorDescriptor;

fn assert_differ(row: Vec<Deviation>) {
    assert!(!row.is_empty());
    for deviation in row {
        let Deviation {
            name, rule, bytes, ..
        } = deviation;
        if let Err(error) = TensorDescriptor::decode(&bytes) {
            panic!("{name}: the reference refuses it, too: {error:?}");
        }
        let error = DescriptorView::parse(&bytes, &policy()).expect_err(name);
        assert_eq!(
            error.rule().map(|rule| rule.id()),
            Some(rule),
            "{name}: {error}"
        );
    }
}

#[test]
fn major_0_and_a_later_minor_cut_short() {
    assert_differ(rows::versions());
}

#[test]
fn handles_that_no_device_can_have() {
    assert_differ(rows::handles());
}

#[test]
fn offsets_and_sizes_of_buffer_0() {
    assert_differ(rows::offsets());
}

#[test]
fn layouts_that_do_not_fit_the_shape() {
    assert_differ(misfits::shapes());
}

#[test]
fn buffer_tables_of_the_wrong_length() {
    assert_differ(rows::counts());
}

#[test]
fn malformed_quantization() {
    assert_differ(rows::quantization());
}

#[test]
fn dynamic_shards() {
    assert_differ(rows::shards());
}

#[test]
fn impossible_statistics() {
    assert_differ(rows::statistics());
}

#[test]
fn extension_types_without_a_meaning() {
    assert_differ(rows::extension_types());
}

#[test]
fn scalars_outside_row_major() {
    assert_differ(misfits::scalars());
}

#[test]
fn heads_that_can_never_be_whole() {
    assert_differ(misfits::heads());
}

#[test]
fn unregistered_private_layouts() {
    assert_differ(misfits::private_layouts());
}

#[test]
fn sizes_and_counts_of_other_layouts() {
    assert_differ(misfits::sizes());
}
