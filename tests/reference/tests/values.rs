//! What the reference has of values: widths and sizes, the types that schemes store, the numbers of NF4 codes,
//! block counts, and the range of parameters. It reads no element and dequantizes nothing (AMB-110).

use hrry::{BufferHandle, ElementType, Scheme, SubBox, U64s, check_content, encode, read_values};
use hrry_reference_tests::places::TYPES;
use hrry_reference_tests::plan::{LayoutPlan, Plan, SchemePlan};
use hrry_reference_tests::policy;
use hrry_reference_tests::reference::element;
use hurray_core::buffer_size_bytes;
use hurray_core::quantization::{NF4_LUT, PerTensorAffine, QuantizationDescriptor};

fn plan(element_type: ElementType, shape: &[u64], sizes: &[u64]) -> Plan {
    let buffers = sizes.iter().map(|size| BufferHandle::cpu(*size, 64));
    Plan::new(
        element_type,
        shape.to_vec(),
        LayoutPlan::RowMajor,
        buffers.collect(),
    )
}

fn accepted(plan: &Plan) -> bool {
    plan.with_spec(|spec| encode(spec, &mut [0; 300], &policy()).is_ok())
}

#[test]
fn widths_and_sizes() {
    for element_type in TYPES {
        let theirs = element(element_type).unwrap();
        assert_eq!(element_type.bits(), theirs.bit_width(), "{element_type:?}");
        for elements in 0..20 {
            let least = buffer_size_bytes(theirs, elements);
            let fits = |size| accepted(&plan(element_type, &[elements], &[size]));
            assert!(fits(least), "{elements} {element_type:?}");
            assert!(
                least == 0 || !fits(least - 1),
                "{elements} {element_type:?}"
            );
        }
    }
}

/// One of each scheme, with parameters in buffer 1.
fn schemes(block_size: u32) -> [(Scheme, SchemePlan); 5] {
    let (axis, scales) = (0, 1);
    let per_tensor = SchemePlan::PerTensor {
        scale: 1.0,
        zero_point: 0,
    };
    let per_channel = SchemePlan::PerChannel {
        axis,
        scales,
        zero_points: None,
    };
    let per_block = SchemePlan::PerBlock {
        axis,
        block_size,
        scales,
        zero_points: None,
        scale_type: ElementType::Float32,
    };
    let nf4 = SchemePlan::Nf4 {
        axis,
        block_size,
        scales,
    };
    let mxfp = SchemePlan::Mxfp {
        axis,
        block_size,
        scales,
    };
    [
        (Scheme::PerTensorAffine, per_tensor),
        (Scheme::PerChannelAffine, per_channel),
        (Scheme::PerBlockAffine, per_block),
        (Scheme::Nf4, nf4),
        (Scheme::Mxfp, mxfp),
    ]
}

#[test]
fn types_that_schemes_store() {
    for (tag, scheme) in schemes(16) {
        let theirs = scheme.scheme().unwrap();
        for element_type in TYPES {
            let valid = theirs.is_valid_storage_type(element(element_type).unwrap());
            assert_eq!(element_type.stores(tag), valid, "{tag:?} {element_type:?}");
        }
    }
}

#[test]
fn zero_points_of_one_tensor() {
    let points = [
        0, 1, -1, 2, 3, -2, -3, 7, 8, -8, -9, 15, 16, 127, 128, -128, -129, 255, 256,
    ];
    let wide = [
        32767,
        32768,
        -32768,
        -32769,
        65535,
        65536,
        i32::MIN,
        i32::MAX,
    ];
    let mut legal = 0;
    for element_type in TYPES
        .into_iter()
        .filter(|t| t.stores(Scheme::PerTensorAffine))
    {
        for zero_point in points.into_iter().chain(wide) {
            let theirs = PerTensorAffine::new(1.0, zero_point).unwrap();
            let theirs = theirs.validate_zero_point_for(element(element_type).unwrap());
            let size = buffer_size_bytes(element(element_type).unwrap(), 3);
            let mut plan = plan(element_type, &[3], &[size]);
            plan.quantization = Some(SchemePlan::PerTensor {
                scale: 1.0,
                zero_point,
            });
            assert_eq!(
                accepted(&plan),
                theirs.is_ok(),
                "{zero_point} {element_type:?}"
            );
            legal += u32::from(theirs.is_ok());
        }
    }
    assert!(legal > 50, "{legal}");
}

/// Along an axis of so many elements, the scale buffer has the bytes of so many blocks, or there is no such tensor.
#[test]
fn blocks_of_an_axis() {
    let mut legal = 0;
    for block_size in [16, 32] {
        for size in 0..70 {
            for (_, scheme) in schemes(block_size) {
                use QuantizationDescriptor as Q;
                let (element_type, valid, bytes) = match scheme.scheme().unwrap() {
                    Q::PerBlockAffine(q) => (
                        ElementType::Int8,
                        q.validate_against_shape_axis(size).is_ok(),
                        4 * q.num_blocks_per_axis(size),
                    ),
                    Q::Nf4(q) => (
                        ElementType::UInt4,
                        q.validate_against_shape_axis(size).is_ok(),
                        4 * q.num_blocks_per_axis(size),
                    ),
                    Q::Mxfp(q) => (
                        ElementType::Float8E4M3,
                        q.validate_against_shape_axis(size).is_ok(),
                        q.num_blocks_per_axis(size).unwrap_or(0),
                    ),
                    _ => continue,
                };
                // three lines of blocks
                let fits = |bytes| {
                    let data = buffer_size_bytes(element(element_type).unwrap(), 3 * size);
                    let mut plan = plan(element_type, &[size, 3], &[data, bytes]);
                    plan.quantization = Some(scheme.clone());
                    accepted(&plan)
                };
                let exact = 3 * bytes;
                assert_eq!(fits(exact), valid, "{size} {scheme:?}");
                assert!(
                    !fits(exact + 1) && (exact == 0 || !fits(exact - 1)),
                    "{size} {scheme:?}"
                );
                legal += u32::from(valid);
            }
        }
    }
    // 16 and 32: no elements or a block at least, twice; the multiples below 70
    assert_eq!(legal, 2 * (1 + 54) + 2 * (1 + 38) + 4 + 2);
}

#[test]
fn numbers_of_nf4_codes() {
    let mut plan = plan(ElementType::UInt4, &[16], &[8, 4]);
    plan.quantization = Some(SchemePlan::Nf4 {
        axis: 0,
        block_size: 16,
        scales: 1,
    });
    let codes: Vec<u8> = (0..8).map(|k| (2 * k) | ((2 * k + 1) << 4)).collect();
    let one = 1f32.to_le_bytes();
    let mut out = [9f32; 16];
    plan.with_spec(|spec| {
        let whole = SubBox::whole(U64s::from(&[16]));
        read_values(spec, &[&codes, &one], whole, &mut out).unwrap();
    });
    assert_eq!(out.map(f32::to_bits), NF4_LUT.map(f32::to_bits));
}

/// QUANT-30, and AMB-27.
#[test]
fn scale_bytes() {
    let [.., (_, scheme)] = schemes(16);
    let QuantizationDescriptor::Mxfp(theirs) = scheme.scheme().unwrap() else {
        panic!("not MXFP");
    };
    let mut plan = plan(ElementType::Float8E4M3, &[32], &[32, 2]);
    plan.quantization = Some(scheme);
    for byte in 0..=255 {
        let scales = [127, byte];
        let ours = plan.with_spec(|spec| {
            let checked = check_content(spec, &[&[0; 32][..], &scales], &mut [], &policy());
            checked.map_err(|e| e.rule().map(|rule| rule.id()))
        });
        let legal = theirs.validate_scale_bytes(&scales).is_ok();
        let wanted = if legal { Ok(()) } else { Err(Some("QUANT-30")) };
        assert_eq!(ours, wanted, "{byte}");
    }
}
