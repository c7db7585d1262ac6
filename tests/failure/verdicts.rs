//! Diagnoses, bytes in their order, and no panic whatever is asked.

use hrry::{
    Array, BufferHandle, DescriptorSpec, DescriptorView, DeviceTag, ElementType, Error, Field,
    Layout, MemoryClass, Policy, Report, Rule, SyncMode, encode,
};

use crate::support::scale::{Rng, scale};
use crate::support::spec::assert_same_fields;
use crate::support::trace::{growing, trace};
use crate::support::vectors::{descriptors, permissive, streams};

/// Written out by hand: every number has bytes of its own, so that their order shows.
#[rustfmt::skip]
const STRIDED: [u8; 77] = [
    b'H', b'R', b'R', b'Y', 1, 0,
    77, 0, 0, 0,                                        // descriptor_length
    0, 0, 0, 0,                                         // flags
    0x13, 0x03,                                         // uint16, strided
    2, 0, 0, 0,                                         // rank
    0x03, 0x02, 0, 0, 0, 0, 0, 0,                       // 0x0203
    0x05, 0x04, 0, 0, 0, 0, 0, 0,                       // 0x0405
    0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0,                 // byte_offset 0x1234_5678
    0x02, 0x01, 0, 0, 0, 0, 0, 0,                       // stride 0x0102
    0xFE, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,     // stride -0x0102
    1,
    0xF1, 0xE2, 0xD3, 0xC4, 0xB5, 0xA6, 0x17, 0x08,     // byte_size 0x0817_A6B5_C4D3_E2F1
    0x00, 0x00, 0x01, 0x00,                             // alignment 0x1_0000
    0x01, 0x02, 0x03, 0x00,                             // CUDA, consumer stream, peer
];

#[test]
fn c05_numbers_are_little_endian_on_every_machine() {
    let buffers = [BufferHandle {
        byte_size: 0x0817_A6B5_C4D3_E2F1,
        alignment: 0x1_0000,
        device_tag: DeviceTag::Cuda,
        sync_mode: SyncMode::ConsumerStream,
        memory_class: MemoryClass::Peer,
    }];
    let layout = Layout::Strided {
        strides: Array::Native(&[0x0102, -0x0102]),
    };
    let mut spec = DescriptorSpec::new(ElementType::UInt16, &[0x0203, 0x0405], layout, &buffers);
    spec.byte_offset = 0x1234_5678;
    let mut bytes = [0xA5; 77];
    assert_eq!(encode(&spec, &mut bytes, &Policy::STRICT), Ok(77));
    assert_eq!(bytes, STRIDED);
    let (view, _) = DescriptorView::parse(&STRIDED, &Policy::STRICT).unwrap();
    assert_same_fields(&view, &spec, "by hand");
    let mut shape = [0; 2];
    assert_eq!(view.shape().copy_to(&mut shape), 2);
    assert_eq!(shape, [0x0203, 0x0405]);
}

/// Asks a view everything that it answers.
fn ask(view: &DescriptorView<'_>, policy: &Policy) {
    let len = view.as_bytes().len();
    for field in Field::ALL {
        for index in [0, 1, 2, 63, 64, 254, 255, 512, usize::MAX] {
            if let Some(range) = view.locate(*field, index) {
                assert!(range.end as usize <= len, "{field:?} {index}");
            }
        }
    }
    let sections = view.sections().map(|(_, range)| range.len());
    assert!(sections.sum::<usize>() <= len, "sections do not overlap");
    view.relaxed(policy, |breach| assert!(!breach.to_string().is_empty()));
    let told = format!(
        "{view:?} {:?} {:?} {:?} {:?} {:?}",
        view.layout(),
        view.quantization(),
        view.shard(),
        view.statistics(),
        (view.extension_type(), view.member_role(), view.tail()),
    );
    assert!(told.starts_with("DescriptorView"));
}

/// Says an error in every way in which it can be said.
fn tell(error: &Error) {
    let report = Report::from(error);
    assert_eq!(report.rule.and_then(Rule::from_number), error.rule());
    assert_eq!(report.offset, error.offset());
    assert!(
        error
            .to_string()
            .ends_with(&format!("at byte {}", error.offset()))
    );
}

#[test]
fn c11_no_prefix_of_a_descriptor_panics() {
    for v in descriptors() {
        for policy in [v.policy, permissive(&v.policy)] {
            for end in 0..=v.bytes.len() {
                match DescriptorView::parse(&v.bytes[..end], &policy) {
                    Ok((view, _)) => ask(&view, &policy),
                    Err(error) => tell(&error),
                }
            }
        }
    }
}

#[test]
fn c11_random_descriptors_are_answered() {
    let mut rng = Rng(51);
    let mut accepted = 0;
    for _ in 0..20_000 * scale() {
        let mut bytes = b"HRRY\x01\x00\x50\x00\x00\x00".to_vec();
        bytes.resize_with(80, || if rng.below(8) > 0 { 0 } else { rng.byte() });
        bytes[10..14].copy_from_slice(&[rng.below(32) as u8, 0, 0, 0]);
        bytes[14] = ElementType::ASSIGNED[rng.below(26)].0;
        bytes[15] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x40, 0xF0, 0x33][rng.below(14)];
        bytes[16..20].copy_from_slice(&[rng.below(4) as u8, 0, 0, 0]);
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            match DescriptorView::parse(&bytes, &policy) {
                Ok((view, _)) => {
                    accepted += 1;
                    ask(&view, &policy);
                }
                Err(error) => tell(&error),
            }
        }
    }
    assert!(accepted > 0);
}

#[test]
fn c17_other_formats_are_told_from_the_first_byte_that_differs() {
    for (name, start, wrong) in [
        ("PNG", &b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\0"[..], 0),
        ("ZIP", b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0", 0),
        (
            "GGUF",
            b"GGUF\x03\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0",
            0,
        ),
        ("npy", b"\x93NUMPY\x01\0\x76\0{'descr': '<f4'", 0),
        (
            "HDF5",
            b"\x89HDF\r\n\x1A\n\0\0\0\0\0\x08\x08\0\x04\0\x10\0",
            0,
        ),
        ("safetensors", b"\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":", 0),
        ("text", b"Hello, world. This is no tensor at all.", 1),
        ("shouting", b"HRR! HRR! HRR! HRR! HRR!", 3),
        ("small letters", b"hrry hrry hrry hrry hrry", 0),
    ] {
        let parsed = DescriptorView::parse(start, &Policy::STRICT).unwrap_err();
        let pushed = trace(start, &[], growing(Policy::STRICT)).result;
        for error in [parsed, pushed.unwrap_err()] {
            assert_eq!(error.rule(), Some(Rule::Magic), "{name}");
            assert_eq!(error.offset(), wrong as u64, "{name}");
        }
        // no byte more is needed to know
        let mut decoder = growing(Policy::STRICT);
        assert!(
            decoder.next_event(&mut &start[..wrong]).unwrap().is_none(),
            "{name}"
        );
        assert!(
            decoder.next_event(&mut &start[wrong..=wrong]).is_err(),
            "{name}"
        );
    }
}

#[test]
fn c17_files_and_nothing_at_all() {
    let file = b"HRRYFILE\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let error = trace(file, &[], growing(Policy::STRICT))
        .result
        .unwrap_err();
    assert_eq!(
        (error.rule(), error.offset()),
        (Some(Rule::FileNotStream), 4)
    );
    // a stream of no tensor, and no descriptor
    assert_eq!(trace(b"", &[], growing(Policy::STRICT)).result, Ok(()));
    let error = DescriptorView::parse(b"", &Policy::STRICT).unwrap_err();
    assert_eq!((error.rule(), error.offset()), (Some(Rule::Incomplete), 0));
}

/// The same with debug assertions and without: this test runs in both builds.
#[test]
fn c23_refusals_do_not_rest_on_assertions() {
    let mut refused = 0;
    let mut judge = |id: &str, rules: &[String], rule: Option<Rule>| {
        let rule = rule.unwrap_or_else(|| panic!("{id} is accepted"));
        assert!(rules.iter().any(|id| id == rule.id()), "{id}: {rule:?}");
        refused += 1;
    };
    for v in descriptors().iter().filter(|v| !v.accept) {
        let rule = match DescriptorView::parse(&v.bytes, &v.policy) {
            Ok((_, rest)) => (!rest.is_empty()).then_some(Rule::BytesAfter),
            Err(error) => error.rule(),
        };
        judge(&v.id, &v.rules, rule);
    }
    for v in streams().iter().filter(|v| !v.accept && !v.content) {
        let result = trace(&v.bytes, &[], growing(v.policy)).result;
        judge(&v.id, &v.rules, result.err().and_then(|error| error.rule()));
    }
    assert!(refused > 400, "{refused}");
}
