//! Variants whose tag belongs to another one: their bytes would be read as something else, so a writer
//! refuses them.

use hrry::{
    Agreements, BufferHandle, DescriptorSpec, ElementType, Layout, LayoutTag, Mode, Policy,
    Quantization, Scheme, check, encode,
};

static AGREED: Agreements = {
    let mut agreements = Agreements::NONE;
    agreements.layouts = &[7];
    agreements.schemes = &[0xF0];
    agreements
};

const BUFFERS: [BufferHandle; 2] = [BufferHandle::cpu(64, 64), BufferHandle::cpu(16, 64)];

fn assert_refused(spec: &DescriptorSpec<'_>) {
    for mode in [Mode::Strict, Mode::Permissive] {
        let mut policy = Policy::STRICT;
        policy.mode = mode;
        policy.agreements = &AGREED;
        let verdict = check::descriptor(spec, &policy);
        assert!(verdict.is_err(), "{mode:?}: {spec:?}");
        assert!(
            encode(spec, &mut [0; 200], &policy).is_err(),
            "{mode:?}: {spec:?}"
        );
    }
}

fn square<'a>(layout: Layout<'a>, buffers: &'a [BufferHandle]) -> DescriptorSpec<'a> {
    DescriptorSpec::new(ElementType::UInt8, &[4, 4], layout, buffers)
}

#[test]
fn a_layout_with_a_meaning_is_neither_unknown_nor_private() {
    for tag in [LayoutTag::RowMajor, LayoutTag::Strided, LayoutTag(0xF0)] {
        assert_refused(&square(Layout::Unknown(tag), &BUFFERS[..1]));
    }
    for tag in [LayoutTag::RowMajor, LayoutTag::Coo, LayoutTag(0x33)] {
        let private = Layout::Private {
            tag,
            extension_layout_id: 7,
            extension_data: &[],
        };
        assert_refused(&square(private, &BUFFERS[..1]));
    }
}

#[test]
fn the_bytes_of_a_private_scheme_start_with_its_tag() {
    for bytes in [
        &[][..],
        &[0xF0],
        &[0xF0, 1, 0],
        &[1, 1, 0, 0],
        &[0xF1, 1, 0, 0],
    ] {
        let mut spec = square(Layout::RowMajor, &BUFFERS[..1]);
        spec.quantization = Some(Quantization::Other {
            scheme: Scheme(0xF0),
            bytes,
        });
        assert_refused(&spec);
    }
    let mut spec = square(Layout::RowMajor, &BUFFERS[..1]);
    spec.quantization = Some(Quantization::Other {
        scheme: Scheme::Nf4,
        bytes: &[4, 1, 0, 0],
    });
    assert_refused(&spec);
}

#[test]
fn the_per_tensor_scheme_has_no_parameters_in_buffers() {
    let scheme = Quantization::per_block(1, 2, 1, None, ElementType::Float16);
    let Quantization::Buffers(mut parameters) = scheme else {
        panic!("{scheme:?}");
    };
    let mut spec = square(Layout::RowMajor, &BUFFERS);
    spec.quantization = Some(Quantization::Buffers(parameters));
    assert_eq!(check::descriptor(&spec, &Policy::STRICT), Ok(()));
    (parameters.scheme, parameters.flags) = (Scheme::PerTensorAffine, 0);
    spec.quantization = Some(Quantization::Buffers(parameters));
    assert_refused(&spec);
}

/// Permissive mode lets a reader see a layout that it does not know; nobody can write one.
#[test]
fn an_unknown_layout_is_never_written() {
    let spec = square(Layout::Unknown(LayoutTag(0x20)), &BUFFERS[..1]);
    assert_eq!(check::descriptor(&spec, &Policy::PERMISSIVE), Ok(()));
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        let mut out = [0xA5; 200];
        let refused = encode(&spec, &mut out, &policy).unwrap_err();
        let hrry::WriteError::Refused(kind) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(kind.rule().map(|rule| rule.id()), Some("LAYOUT-02"));
        assert!(out.iter().all(|byte| *byte == 0xA5));
    }
}
