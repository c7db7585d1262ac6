//! What has no place, and why.

use hrry::{
    AddressError, BufferHandle, CombineOp, CompositeHead, CompositionRule, Compressed,
    DescriptorSpec, ElementType, Layout, LayoutTag, Pages, StorageWalk, StoredWalk, SubBox, Walk,
    locate, locate_stored,
};

use super::support::{bytes, extension, whole};

const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(1 << 12, 64)];
const DYNAMIC: u64 = u64::MAX;

fn spec<'a>(shape: &'a [u64], layout: Layout<'a>) -> DescriptorSpec<'a> {
    DescriptorSpec::new(ElementType::Float32, shape, layout, &BUFFERS)
}

#[test]
fn an_index_of_another_rank() {
    for layout in [
        Layout::RowMajor,
        Layout::Coo {
            nnz: 0,
            is_sorted: true,
        },
    ] {
        let spec = spec(&[3, 4, 5], layout);
        for index in [&[][..], &[0, 0], &[0, 0, 0, 0]] {
            let refused = AddressError::Rank {
                index: index.len() as u32,
                shape: 3,
            };
            assert_eq!(locate(&spec, index), Err(refused));
            assert_eq!(locate_stored(&spec, &[&[], &[]], index), Err(refused));
        }
    }
}

#[test]
fn an_index_outside_each_axis() {
    let spec = spec(&[3, 4, 5], Layout::ColumnMajor);
    for (axis, size) in (0u32..).zip([3, 4, 5]) {
        for at in [size, size + 1, u64::MAX] {
            let mut index = [2, 3, 4];
            assert!(locate(&spec, &index).is_ok());
            index[axis as usize] = at;
            assert_eq!(
                locate(&spec, &index),
                Err(AddressError::OutOfRange { axis })
            );
        }
    }
    // the first one is told
    let both = locate(&spec, &[0, 4, 5]);
    assert_eq!(both, Err(AddressError::OutOfRange { axis: 1 }));
}

#[test]
fn dynamic_dimensions() {
    let shape = [3, DYNAMIC];
    let refused = AddressError::Dynamic { axis: 1 };
    let dense = spec(&shape, Layout::RowMajor);
    assert_eq!(locate(&dense, &[0, 0]), Err(refused));
    assert_eq!(Walk::new(&dense, whole(&shape)).err(), Some(refused));
    assert_eq!(StorageWalk::new(&dense).err(), Some(refused));
    for layout in [
        Layout::Csr { nnz: 0 },
        Layout::Coo {
            nnz: 0,
            is_sorted: false,
        },
    ] {
        let sparse = spec(&shape, layout);
        assert_eq!(locate_stored(&sparse, &[], &[0, 0]), Err(refused));
        assert_eq!(StoredWalk::new(&sparse, &[]).err(), Some(refused));
    }
    assert_eq!(
        Compressed::new(&spec(&shape, Layout::Csc { nnz: 0 }), &[]).err(),
        Some(refused)
    );
}

#[test]
fn layouts_without_places() {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count: 0,
    };
    let private = Layout::Private {
        tag: LayoutTag(0xF7),
        extension_layout_id: 1,
        extension_data: &[],
    };
    for layout in [
        Layout::Composite(head),
        private,
        Layout::Unknown(LayoutTag(0x30)),
    ] {
        let spec = spec(&[2, 2], layout);
        let refused = AddressError::Layout(layout.tag());
        assert_eq!(locate(&spec, &[0, 0]), Err(refused));
        assert_eq!(locate_stored(&spec, &[&[]], &[0, 0]), Err(refused));
        assert_eq!(Walk::new(&spec, whole(&[2, 2])).err(), Some(refused));
        assert_eq!(StorageWalk::new(&spec).err(), Some(refused));
        assert_eq!(StoredWalk::new(&spec, &[]).err(), Some(refused));
        assert_eq!(Compressed::new(&spec, &[]).err(), Some(refused));
        assert_eq!(Pages::new(&spec, &[]).err(), Some(refused));
    }
    // what depends on buffers has no place without them, and the other way round
    let sparse = spec(&[2, 2], Layout::Csr { nnz: 0 });
    let refused = AddressError::Layout(LayoutTag::Csr);
    assert_eq!(locate(&sparse, &[0, 0]), Err(refused));
    assert_eq!(Walk::new(&sparse, whole(&[2, 2])).err(), Some(refused));
    let dense = spec(
        &[2, 2],
        Layout::Morton {
            morton_bits: (&[1, 1]).into(),
        },
    );
    let refused = AddressError::Layout(LayoutTag::Morton);
    assert_eq!(StoredWalk::new(&dense, &[]).err(), Some(refused));
}

#[test]
fn types_without_a_width() {
    // unknown, private without a section, and widths that fill no bytes
    let mut cases = vec![(ElementType(0x30), None), (ElementType(0xF0), None)];
    cases.extend([0, 7, 9, 12].map(|width| {
        let mut section = extension(ElementType(0xF1), 8).unwrap();
        section.bit_width = width;
        (ElementType(0xF1), Some(section))
    }));
    for (element_type, extension_type) in cases {
        let spec = DescriptorSpec {
            element_type,
            extension_type,
            ..spec(&[2], Layout::RowMajor)
        };
        let refused = AddressError::Width(element_type);
        assert_eq!(locate(&spec, &[0]), Err(refused), "{extension_type:?}");
        assert_eq!(Walk::new(&spec, whole(&[2])).err(), Some(refused));
        assert_eq!(StorageWalk::new(&spec).err(), Some(refused));
    }
}

#[test]
fn boxes_that_leave_the_shape() {
    let spec = spec(&[3, 4], Layout::RowMajor);
    let walk = |offset: &[u64], shape: &[u64]| {
        let part = SubBox {
            offset: offset.into(),
            shape: shape.into(),
        };
        Walk::new(&spec, part).map(Iterator::count)
    };
    let outside = |axis| Err(AddressError::OutOfRange { axis });
    assert_eq!(walk(&[1, 1], &[2, 3]), Ok(6));
    assert_eq!(walk(&[1, 1], &[3, 3]), outside(0));
    assert_eq!(walk(&[1, 1], &[2, 4]), outside(1));
    assert_eq!(walk(&[u64::MAX, 0], &[1, 1]), outside(0));
    assert_eq!(walk(&[0, u64::MAX], &[1, u64::MAX]), outside(1));
    assert_eq!(walk(&[0, 1], &[1, u64::MAX]), outside(1));
    // an empty box has to be somewhere as well
    assert_eq!(walk(&[3, 4], &[0, 0]), Ok(0));
    assert_eq!(walk(&[0, 0], &[3, 0]), Ok(0));
    assert_eq!(walk(&[4, 0], &[0, 4]), outside(0));
    assert_eq!(
        walk(&[0], &[3, 4]),
        Err(AddressError::Rank { index: 1, shape: 2 })
    );
    assert_eq!(
        walk(&[0, 0], &[3]),
        Err(AddressError::Rank { index: 1, shape: 2 })
    );
}

#[test]
fn empty_shapes_and_scalars() {
    for layout in [
        Layout::RowMajor,
        Layout::ColumnMajor,
        Layout::Strided {
            strides: (&[1, -9]).into(),
        },
        Layout::Morton {
            morton_bits: (&[1, 3]).into(),
        },
    ] {
        let spec = DescriptorSpec {
            buffers: &[],
            ..spec(&[0, 5], layout)
        };
        let refused = AddressError::OutOfRange { axis: 0 };
        assert_eq!(locate(&spec, &[0, 0]), Err(refused));
        assert_eq!(Walk::new(&spec, whole(&[0, 5])).unwrap().count(), 0);
        assert_eq!(StorageWalk::new(&spec).unwrap().count(), 0);
    }
    let scalar = spec(&[], Layout::RowMajor);
    assert_eq!(locate(&scalar, &[]).unwrap().byte, 0);
    assert_eq!(Walk::new(&scalar, whole(&[])).unwrap().count(), 1);
    assert_eq!(StorageWalk::new(&scalar).unwrap().count(), 1);
    // one element, but nowhere
    let nowhere = DescriptorSpec {
        buffers: &[],
        ..scalar
    };
    assert_eq!(locate(&nowhere, &[]), Err(AddressError::Outside));
    assert_eq!(Walk::new(&nowhere, whole(&[])).unwrap().count(), 0);
    assert_eq!(StorageWalk::new(&nowhere).unwrap().count(), 0);
}

/// More dimensions than the format has.
#[test]
fn too_many_dimensions() {
    let shape = [1; 65];
    let refused = AddressError::Rank {
        index: 64,
        shape: 65,
    };
    let dense = spec(&shape, Layout::RowMajor);
    assert_eq!(locate(&dense, &shape), Err(refused));
    let part = SubBox {
        offset: (&[0; 65]).into(),
        shape: (&shape).into(),
    };
    assert_eq!(Walk::new(&dense, part).err(), Some(refused));
    assert_eq!(StorageWalk::new(&dense).err(), Some(refused));
    let sparse = spec(
        &shape,
        Layout::Coo {
            nnz: 0,
            is_sorted: true,
        },
    );
    assert_eq!(StoredWalk::new(&sparse, &[]).err(), Some(refused));
}

/// Buffers that break a content rule are told of where they are read.
#[test]
fn broken_pointers_and_coordinates() {
    let broken = |buffer, entry| Err(AddressError::Broken { buffer, entry });
    let csr = |columns: &[u64], rows: &[u64], row: u64| {
        let spec = spec(&[2, 4], Layout::Csr { nnz: 3 });
        let (columns, rows) = (bytes(columns), bytes(rows));
        let matrix = Compressed::new(&spec, &[&[], &columns, &rows]).unwrap();
        matrix.line(row).map(|line| line.entries().count())
    };
    assert_eq!(csr(&[0, 1, 2], &[0, 2, 3], 1), Ok(1));
    assert_eq!(csr(&[0, 1, 2], &[0, 2, 1], 1), broken(2, 2));
    assert_eq!(csr(&[0, 1, 2], &[0, 2, 4], 1), broken(2, 2));
    assert_eq!(csr(&[0, 1, 2, 3], &[0, 2, 4], 1), broken(2, 2));
    assert_eq!(csr(&[0, 1], &[0, 2, 3], 1), broken(2, 2));
    assert_eq!(csr(&[0, 1, 2], &[0, 2], 1), broken(2, 2));
    assert_eq!(csr(&[0, 1, 2], &[], 0), broken(2, 0));

    let walk = |layout, shape: &[u64], buffers: &[&[u64]]| {
        let spec = spec(shape, layout);
        let buffers: Vec<Vec<u8>> = buffers.iter().map(|numbers| bytes(numbers)).collect();
        let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let mut walk = StoredWalk::new(&spec, &buffers)?;
        let mut count = 0;
        while walk.next_entry()?.is_some() {
            count += 1;
        }
        Ok(count)
    };
    let coo = Layout::Coo {
        nnz: 2,
        is_sorted: false,
    };
    assert_eq!(walk(coo, &[2, 4], &[&[], &[1, 3, 0, 0]]), Ok(2));
    assert_eq!(walk(coo, &[2, 4], &[&[], &[1, 3, 0, 4]]), broken(1, 3));
    assert_eq!(walk(coo, &[2, 4], &[&[], &[1, 3, 0]]), broken(1, 3));
    let csc = Layout::Csc { nnz: 2 };
    assert_eq!(walk(csc, &[2, 2], &[&[], &[0, 1], &[0, 1, 2]]), Ok(2));
    assert_eq!(
        walk(csc, &[2, 2], &[&[], &[0, 2], &[0, 1, 2]]),
        broken(1, 1)
    );
    let csf = Layout::Csf {
        nnz: 1,
        mode_order: (&[0, 1, 2]).into(),
    };
    let good: [&[u64]; 7] = [&[], &[0, 1], &[1], &[0, 1], &[0], &[0, 1], &[1]];
    assert_eq!(walk(csf, &[2, 2, 2], &good), Ok(1));
    for (buffer, numbers, entry) in [
        (1, &[0, 2][..], 1),
        (1, &[1, 0], 1),
        (1, &[0], 1),
        (2, &[2], 0),
        (3, &[0, 2], 1),
        (5, &[0, 2], 1),
        (6, &[7], 0),
        (6, &[], 1),
    ] {
        let mut bad = good;
        bad[buffer] = numbers;
        // a pointer behind its coordinates is what is told
        let told = if numbers.is_empty() {
            buffer - 1
        } else {
            buffer
        };
        assert_eq!(
            walk(csf, &[2, 2, 2], &bad),
            broken(told as u8, entry),
            "{numbers:?}"
        );
    }
}
