//! Where elements are: walks beside a look-up of each index, and rows of a sparse matrix beside a loop over
//! its numbers.

use std::hint::black_box;

use hrry::{
    BufferHandle, Compressed, DescriptorSpec, DescriptorView, Element, ElementType, Layout,
    LayoutTag, Policy, StorageWalk, StoredWalk, SubBox, Tiled, TiledLevel, Walk, locate,
    locate_stored,
};

use crate::cases::bytes_of;
use crate::measure::{Group, Op};

/// Rows and columns of all dense tensors; a power of two, so that a Hilbert curve fills it.
const SIDE: u64 = 64;

/// One group for each layout, and the rows.
pub fn groups() -> Vec<Group> {
    let sparse = [
        sparse("coo", |nnz| Layout::Coo {
            nnz,
            is_sorted: true,
        }),
        sparse("csr", |nnz| Layout::Csr { nnz }),
        sparse("csc", |nnz| Layout::Csc { nnz }),
        sparse("csf", |nnz| Layout::Csf {
            nnz,
            mode_order: (&[0, 1, 2]).into(),
        }),
    ];
    dense()
        .into_iter()
        .chain(sparse)
        .chain([rows(3), rows(32)])
        .collect()
}

fn dense() -> Vec<Group> {
    let rank = SHAPE.len() as u32;
    let order = SIDE.trailing_zeros();
    let level = |tile_shape: &'static [u64], inner_layout| TiledLevel {
        tile_shape: tile_shape.into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout,
        outer_strides: (&[]).into(),
        inner_strides: (&[]).into(),
    };
    let one = [level(&[16, 8], LayoutTag::RowMajor)];
    let two = [
        level(&[32, 32], LayoutTag::Tiled),
        level(&[4, 4], LayoutTag::ColumnMajor),
    ];
    let layouts = [
        ("row_major", Layout::RowMajor),
        ("column_major", Layout::ColumnMajor),
        (
            "strided",
            Layout::Strided {
                strides: (&[-66, 1]).into(),
            },
        ),
        ("tiled", Layout::Tiled(Tiled::Native(&one))),
        ("tiled_twice", Layout::Tiled(Tiled::Native(&two))),
        (
            "morton",
            Layout::Morton {
                morton_bits: (&[6, 6]).into(),
            },
        ),
        (
            "hilbert",
            Layout::Hilbert {
                hilbert_order: order,
                hilbert_rank: rank,
            },
        ),
    ];
    let float = layouts.map(|(name, layout)| walks(name, ElementType::Float32, layout));
    let packed = walks("row_major_int4", ElementType::Int4, Layout::RowMajor);
    float.into_iter().chain([packed]).collect()
}

const SHAPE: [u64; 2] = [SIDE, SIDE];

fn walks(layout_name: &'static str, element_type: ElementType, layout: Layout<'_>) -> Group {
    let buffers = [BufferHandle::cpu(1 << 20, 64)];
    let view = parsed(&DescriptorSpec {
        byte_offset: 1 << 18,
        ..DescriptorSpec::new(element_type, &SHAPE, layout, &buffers)
    });
    let sum = |sum: u64, element: Element| sum.wrapping_add(element.byte ^ u64::from(element.bit));
    let lookup = move || {
        let rows = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| [row, column]));
        let find = |index: [u64; 2]| locate(black_box(&view), &index).expect("inside");
        rows.map(find).fold(0, sum)
    };
    let walk = move || {
        let mut all = 0;
        for element in Walk::new(black_box(&view), SubBox::whole(view.shape())).expect("inside") {
            all = sum(all, element);
        }
        all
    };
    let storage_walk = move || {
        let mut all = 0;
        let mut walk = StorageWalk::new(black_box(&view)).expect("inside");
        while let Some(element) = walk.next() {
            all = sum(all, element);
            black_box(walk.index());
        }
        all
    };
    assert_eq!(lookup(), walk());
    assert_eq!(lookup(), storage_walk());
    let per = (SIDE * SIDE) as usize;
    Group {
        name: format!("address/{layout_name}"),
        unit: "element",
        ops: vec![
            Op::new("lookup", lookup).per(per),
            Op::new("walk", walk).per(per),
            Op::new("storage_walk", storage_walk).per(per),
        ],
    }
}

fn parsed(spec: &DescriptorSpec<'_>) -> DescriptorView<'static> {
    let (view, _) = DescriptorView::parse(bytes_of(spec).leak(), &Policy::STRICT).expect("valid");
    view
}

/// Every fifth column of each row of a square, or of each row of each square of a cube with one other axis.
fn sparse(layout_name: &'static str, layout: fn(u64) -> Layout<'static>) -> Group {
    const SIZE: u64 = 100;
    const STORED: u64 = SIZE * SIZE / 5;
    let tree = layout(STORED).tag() == LayoutTag::Csf;
    let shape: &[u64] = if tree { &[10, 10, SIZE] } else { &[SIZE, SIZE] };
    let across = |line: u64| (line % 5..SIZE).step_by(5);
    let lines = 0..SIZE;
    let coordinates = lines
        .clone()
        .flat_map(|row| across(row).flat_map(move |c| [row, c]));
    let indices = lines.flat_map(across);
    let pointers = |end: u64, step: usize| (0..=end).step_by(step);
    let numbers: Vec<Vec<u64>> = match layout(STORED).tag() {
        LayoutTag::Coo => vec![coordinates.collect()],
        LayoutTag::Csf => vec![
            vec![0, 10],
            (0..10).collect(),
            pointers(100, 10).collect(),
            (0..100).map(|row| row % 10).collect(),
            pointers(STORED, 20).collect(),
            indices.collect(),
        ],
        _ => vec![indices.collect(), pointers(STORED, 20).collect()],
    };
    let data: Vec<&'static [u8]> = numbers.iter().map(|numbers| le(numbers)).collect();
    let values: &'static [u8] = vec![0; 4 * STORED as usize].leak();
    let data: &'static [&'static [u8]] = [vec![values], data].concat().leak();
    let handles: Vec<BufferHandle> = data
        .iter()
        .map(|bytes| BufferHandle::cpu(bytes.len() as u64, 64))
        .collect();
    let view: &'static _ = Box::leak(Box::new(parsed(&DescriptorSpec::new(
        ElementType::Float32,
        shape,
        layout(STORED),
        &handles,
    ))));

    let mut stored = Vec::new();
    let mut walk = StoredWalk::new(view, data).expect("sound");
    while let Some((index, _)) = walk.next_entry().expect("sound") {
        stored.push(index.to_vec());
    }
    assert_eq!(stored.len() as u64, STORED);
    let lookup = move || {
        let find = |index: &Vec<u64>| locate_stored(black_box(view), data, index);
        let bytes = stored
            .iter()
            .map(|index| find(index).expect("sound").expect("stored").byte);
        bytes.fold(0, u64::wrapping_add)
    };
    let walk = move || {
        let mut walk = StoredWalk::new(black_box(view), data).expect("sound");
        let mut all = 0u64;
        while let Some((index, position)) = walk.next_entry().expect("sound") {
            black_box(index);
            all = all.wrapping_add(4 * position);
        }
        all
    };
    assert_eq!(lookup(), walk());
    let per = STORED as usize;
    Group {
        name: format!("address/{layout_name}"),
        unit: "stored element",
        ops: vec![
            Op::new("lookup", lookup).per(per),
            Op::new("walk", walk).per(per),
        ],
    }
}

fn le(numbers: &[u64]) -> &'static [u8] {
    numbers
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect::<Vec<u8>>()
        .leak()
}

/// A matrix times a vector: by the bytes of its arrays, and by [`Compressed`].
fn rows(stored: u64) -> Group {
    const ROWS: u64 = 1_000;
    const COLUMNS: u64 = 1_000;
    let nnz = ROWS * stored;
    let column = |row: u64, k: u64| (row * 7 + k * (COLUMNS / stored)) % COLUMNS;
    let row = |row: u64| {
        let mut columns: Vec<u64> = (0..stored).map(|k| column(row, k)).collect();
        columns.sort_unstable();
        columns
    };
    let indices = le(&(0..ROWS).flat_map(row).collect::<Vec<u64>>());
    let pointers = le(&(0..=nnz).step_by(stored as usize).collect::<Vec<u64>>());
    let values = (0..nnz).flat_map(|k| (k as f32).to_le_bytes());
    let values: &'static [u8] = values.collect::<Vec<u8>>().leak();
    let vector: &'static [f32] = (0..COLUMNS).map(|k| k as f32).collect::<Vec<f32>>().leak();

    let number = |bytes: &[u8], at: usize| {
        let bytes = bytes[8 * at..8 * at + 8].try_into().expect("eight");
        u64::from_le_bytes(bytes)
    };
    let value = |at: usize| {
        let bytes = values[4 * at..4 * at + 4].try_into().expect("four");
        f32::from_le_bytes(bytes)
    };
    let by_hand = move || {
        let (indices, pointers) = black_box((indices, pointers));
        let mut out = [0f32; ROWS as usize];
        for (row, out) in out.iter_mut().enumerate() {
            let (first, end) = (number(pointers, row), number(pointers, row + 1));
            for at in first as usize..end as usize {
                *out += value(at) * vector[number(indices, at) as usize];
            }
        }
        out
    };
    let handles = [values, indices, pointers].map(|b| BufferHandle::cpu(b.len() as u64, 64));
    let layout = Layout::Csr { nnz };
    let shape = [ROWS, COLUMNS];
    let view = parsed(&DescriptorSpec::new(
        ElementType::Float32,
        &shape,
        layout,
        &handles,
    ));
    let lines = move || {
        let matrix = Compressed::new(&view, &black_box([values, indices, pointers])).expect("CSR");
        let mut out = [0f32; ROWS as usize];
        for (row, out) in out.iter_mut().enumerate() {
            for (column, position) in matrix.line(row as u64).expect("sound").entries() {
                *out += value(position as usize) * vector[column as usize];
            }
        }
        out
    };
    assert_eq!(by_hand(), lines());
    Group {
        name: format!("address/csr_rows_of_{stored}"),
        unit: "stored element",
        ops: vec![
            Op::new("by_hand", by_hand).per(nnz as usize),
            Op::new("lines", lines).per(nnz as usize),
        ],
    }
}
