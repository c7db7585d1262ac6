//! Calls and descriptors that nobody who keeps to the documentation makes: an error or nothing, never a panic.

use hrry::{
    BufferHandle, ContentError, ContentScan, DescriptorSpec, ElementType, ErrorKind, Fields,
    Layout, LayoutTag, Policy, Quantization, Resource, Scheme, U32s, check_content,
};

use crate::judged::{Tensor, judged, le, le32};
use crate::support::spec::{Kind, PlainLayout, PlainScheme};

const NONE: &[&[u8]] = &[];

/// Two rows of one element each.
fn csr() -> Tensor {
    let buffers = vec![vec![0; 2], le(&[0, 1]), le(&[0, 1, 2])];
    Tensor::new(ElementType::UInt8, &[2, 2], PlainLayout::Csr(2), buffers)
}

fn capacity(error: ContentError) -> (Resource, u64, u64) {
    let ErrorKind::Capacity {
        what,
        needed,
        available,
    } = error.kind
    else {
        panic!("{error}");
    };
    assert_eq!(error.rule(), None);
    (what, needed, available)
}

fn refused<F: Fields>(d: &F, buffers: &[Vec<u8>]) -> (u8, u64, u64) {
    let error = check_content(d, buffers, &mut [], &Policy::STRICT).unwrap_err();
    let (what, needed, available) = capacity(error);
    assert_eq!(what, Resource::Buffer);
    (error.buffer, needed, available)
}

#[test]
fn buffers_that_end_early() {
    let tensor = csr();
    tensor.plain.lend(Kind::Native, |spec| {
        let buffers = |lens: [usize; 3]| {
            let buffers = tensor.buffers.iter().zip(lens);
            buffers
                .map(|(bytes, len)| bytes[..len].to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(refused(spec, &buffers([2, 15, 24])), (1, 16, 15));
        assert_eq!(refused(spec, &buffers([2, 16, 23])), (2, 24, 23));
        assert_eq!(refused(spec, &buffers([2, 0, 24])), (1, 16, 0));
        assert_eq!(refused(spec, &buffers([2, 16, 24])[..2]), (2, 24, 0));
        assert_eq!(refused(spec, &[]), (1, 16, 0));
        // nobody looks at these values
        assert_eq!(
            check_content(spec, &buffers([0, 16, 24]), &mut [], &Policy::STRICT),
            Ok(())
        );
    });
    let padded = Tensor::new(
        ElementType::Bool,
        &[12],
        PlainLayout::RowMajor,
        vec![vec![0; 2]],
    );
    padded.plain.lend(Kind::Native, |spec| {
        assert_eq!(refused(spec, &[vec![0]]), (0, 2, 1))
    });
}

#[test]
fn pieces_out_of_order() {
    let tensor = csr();
    tensor.plain.lend(Kind::Native, |spec| {
        // a gap, a repetition, a buffer that was left
        for second in [(1, 9), (1, 0), (0, 0)] {
            let mut scan = ContentScan::new(spec, &Policy::STRICT);
            let kept = [&[][..], &le(&[0, 1])];
            assert_eq!(scan.payload(spec, 1, 0, &[0; 8], &kept), Ok(()));
            let (buffer, offset) = second;
            let error = scan.payload(spec, buffer, offset, &[0], &kept).unwrap_err();
            assert_eq!(capacity(error).0, Resource::Buffer);
            // it sticks
            assert_eq!(scan.payload(spec, 1, 8, &[0; 8], &kept), Err(error));
            assert_eq!(scan.finish(spec, &kept, &mut []), Err(error));
        }
    });
}

#[test]
fn what_was_not_kept() {
    let tensor = csr();
    tensor.plain.lend(Kind::Native, |spec| {
        let mut scan = ContentScan::new(spec, &Policy::STRICT);
        assert!(!scan.keeps(0) && scan.keeps(1) && !scan.keeps(2));
        assert_eq!(scan.payload(spec, 1, 0, &tensor.buffers[1], NONE), Ok(()));
        let error = scan
            .payload(spec, 2, 0, &tensor.buffers[2], NONE)
            .unwrap_err();
        assert_eq!(
            (capacity(error), error.buffer),
            ((Resource::Buffer, 8, 0), 1)
        );
    });
}

#[test]
fn scratch_that_is_too_small() {
    let layout = PlainLayout::Coo {
        nnz: 3,
        is_sorted: false,
    };
    let buffers = vec![vec![0; 3], le(&[2, 0, 1])];
    let tensor = Tensor::new(ElementType::UInt8, &[3], layout, buffers);
    tensor.plain.lend(Kind::Native, |spec| {
        assert_eq!(ContentScan::new(spec, &Policy::STRICT).scratch_words(), 3);
        let check =
            |scratch: &mut [u64]| check_content(spec, &tensor.buffers, scratch, &Policy::STRICT);
        let error = check(&mut [0; 2]).unwrap_err();
        assert_eq!(capacity(error), (Resource::Arena, 3, 2));
        assert_eq!(check(&mut [9; 4]), Ok(()));
        let mut scan = ContentScan::new(spec, &Policy::STRICT);
        assert_eq!(scan.payload(spec, 1, 0, &tensor.buffers[1], NONE), Ok(()));
        let error = scan.finish(spec, NONE, &mut [0; 3]).unwrap_err();
        assert_eq!(
            (capacity(error), error.buffer),
            ((Resource::Buffer, 24, 0), 1)
        );
    });
}

#[test]
fn numbers_near_two_to_the_64() {
    const MANY: u64 = u64::MAX;
    let buffers = [BufferHandle::cpu(MANY, 64); 9];
    let bytes = vec![vec![0xFF; 40]; 9];
    let order = [0, 1, 2];
    let csf = |nnz| Layout::Csf {
        nnz,
        mode_order: U32s::Native(&order),
    };
    for nnz in [0, 1, MANY / 8, MANY - 1, MANY] {
        let layouts = [
            (
                Layout::Coo {
                    nnz,
                    is_sorted: true,
                },
                3,
            ),
            (
                Layout::Coo {
                    nnz,
                    is_sorted: false,
                },
                3,
            ),
            (Layout::Csr { nnz }, 2),
            (Layout::Csc { nnz }, 2),
            (csf(nnz), 3),
        ];
        for (layout, rank) in layouts {
            for size in [0, 1, MANY - 1, MANY] {
                let shape = vec![size; rank];
                for kind in [
                    ElementType::Bool,
                    ElementType::Float6E2M3,
                    ElementType::Float8E8M0,
                ] {
                    let spec = DescriptorSpec::new(kind, &shape, layout, &buffers);
                    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
                        let _ = check_content(&spec, &bytes, &mut [0; 4], &policy);
                        let _ = check_content(&spec, &vec![vec![0; 40]; 9], &mut [0; 4], &policy);
                    }
                }
            }
        }
    }
}

#[test]
fn layouts_and_ranks_that_do_not_go_together() {
    let buffers = [BufferHandle::cpu(16, 64); 3];
    let bytes = vec![vec![1; 16]; 300];
    let long = vec![2; 100];
    for shape in [&[][..], &[2], &[2; 3], &long] {
        let layouts = [
            Layout::Coo {
                nnz: 2,
                is_sorted: true,
            },
            Layout::Csr { nnz: 2 },
            Layout::Csf {
                nnz: 2,
                mode_order: U32s::Native(&[0, 7, 7]),
            },
            Layout::Csf {
                nnz: 2,
                mode_order: U32s::EMPTY,
            },
            Layout::Hilbert {
                hilbert_order: 70,
                hilbert_rank: 70,
            },
            Layout::Morton {
                morton_bits: U32s::Native(&[u32::MAX]),
            },
        ];
        for layout in layouts {
            let spec = DescriptorSpec::new(ElementType::UInt4, shape, layout, &buffers);
            let _ = check_content(&spec, &bytes, &mut [0; 4], &Policy::PERMISSIVE);
        }
    }
}

#[test]
fn what_is_opaque_is_not_judged() {
    let ones = || vec![0xFF; 64];
    let fine = |tensor: &Tensor| {
        tensor.plain.lend(Kind::Native, |spec| {
            check_content(spec, &tensor.buffers, &mut [], &Policy::PERMISSIVE)
        })
    };
    let private = PlainLayout::Private {
        tag: 0xF0,
        id: 7,
        data: vec![],
    };
    let tensor = Tensor::new(ElementType::Bool, &[3], private, vec![ones()]);
    assert_eq!(fine(&tensor), Ok(()));
    let unknown = Layout::Unknown(LayoutTag(0x0C));
    let spec = DescriptorSpec::new(ElementType::Bool, &[3], unknown, &[]);
    assert_eq!(
        check_content(&spec, NONE, &mut [], &Policy::PERMISSIVE),
        Ok(())
    );
    // a private type has no padding that is known
    let tensor = Tensor::new(ElementType(0xF1), &[3], PlainLayout::RowMajor, vec![ones()]);
    assert_eq!(fine(&tensor), Ok(()));
    // modes that are no permutation
    let layout = PlainLayout::Csf {
        nnz: 1,
        mode_order: vec![0, 1, 1],
    };
    let buffers = vec![vec![0xFF; 16]; 7];
    let tensor = Tensor::new(ElementType::UInt8, &[2, 2, 2], layout, buffers);
    assert_eq!(judged(&tensor, &Policy::PERMISSIVE), Ok(vec![]));
    // a private scheme says nothing of its buffers, and takes nothing from the elements
    let mut tensor = Tensor::new(
        ElementType::UInt4,
        &[1],
        PlainLayout::RowMajor,
        vec![vec![0x0F], ones()],
    );
    tensor.plain.quantization = Some(PlainScheme::Other(vec![Scheme(0xF0).0, 1, 0, 0]));
    assert_eq!(fine(&tensor), Ok(()));
    tensor.buffers[0] = vec![0x1F];
    let strict = tensor.plain.lend(Kind::Native, |spec| {
        check_content(spec, &tensor.buffers, &mut [], &Policy::STRICT)
    });
    assert_eq!(
        strict.unwrap_err().rule().map(hrry::Rule::id),
        Some("TYPE-08")
    );
}

#[test]
fn pages_have_no_stated_number_of_nf4_scales() {
    let mut tensor = crate::paged::tensor(ElementType::UInt4, 8, &[8, 1, 1], &[0], &[0, 1]);
    tensor.buffers.push(le32(&[u32::MAX; 2]));
    tensor.plain.buffers.push(BufferHandle::cpu(8, 64));
    let tensor = tensor.quantized(Quantization::nf4(0, 8, 3));
    assert_eq!(judged(&tensor, &Policy::STRICT), Ok(vec![]));
}

/// Pointers up and down again would have every row run over everything.
#[test]
fn broken_pointers_end_the_judgement_of_rows() {
    let lines = 1 << 12;
    let pointers: Vec<u64> = (0..=lines)
        .map(|k| if k % 2 == 0 { 0 } else { lines })
        .collect();
    let buffers = vec![vec![0; 1 << 12], le(&vec![0; 1 << 12]), le(&pointers)];
    let tensor = Tensor::new(
        ElementType::UInt8,
        &[lines, lines],
        PlainLayout::Csr(lines),
        buffers,
    );
    let flags = tensor.plain.lend(Kind::Le, |spec| {
        let mut scan = ContentScan::new(spec, &Policy::PERMISSIVE);
        scan.buffers(spec, &tensor.buffers, &mut []).unwrap();
        scan.relaxed().map(hrry::Rule::id).collect::<Vec<_>>()
    });
    assert_eq!(flags, ["LAYOUT-31"]);
}
