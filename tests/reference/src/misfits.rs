//! Layouts that fit neither their shape nor their buffers; a part of [`deviations`](crate::deviations).

use crate::deviations::{DYN, Deviation, F32, one};
use crate::wire::{Wire, halves, words};

/// Layouts that do not fit the shape.
pub fn shapes() -> Vec<Deviation> {
    let side = "layouts/hilbert.md: every dimension is 2^order, hilbert_rank the rank";
    let hilbert =
        |shape: &[u64], order, rank| Wire::new(F32, 0x40, shape, halves(&[order, rank]), &[256]);
    let paged = |shape: &[u64], page_size, axis| {
        let payload = block_paged(page_size, 1, axis, 0);
        Wire::new(F32, 0x0A, shape, payload, &[1 << 10, 0, 8])
    };
    let csr = Wire::new(F32, 0x07, &[3, 4, 1], words(&[2, 0]), &[8, 16, 32]);
    let csf = [words(&[2]), halves(&[0, 1]), words(&[0])].concat();
    let csf = Wire::new(F32, 0x09, &[3, 4], csf, &[8, 16, 0, 8, 16]);
    let morton = Wire::new(F32, 0x05, &[4, 5], halves(&[2, 2]), &[256]);
    vec![
        one(
            "CSR of rank 3",
            "LAYOUT-29",
            "layouts/csr.md: two-dimensional",
            &csr,
        ),
        one(
            "CSF of rank 2",
            "LAYOUT-33",
            "layouts/csf.md: rank 3 or more",
            &csf,
        ),
        one("Hilbert side", "LAYOUT-19", side, &hilbert(&[4, 8], 2, 2)),
        one("Hilbert rank", "LAYOUT-19", side, &hilbert(&[4, 4], 2, 3)),
        one(
            "Hilbert dynamic",
            "LAYOUT-19",
            "DYN is no power of two (AMB-22)",
            &hilbert(&[4, DYN], 2, 2),
        ),
        one(
            "Morton side",
            "LAYOUT-17",
            "layouts/morton.md: at most 2^bits",
            &morton,
        ),
        one(
            "block-paged rank 2",
            "LAYOUT-39",
            "layouts/block-paged.md: rank 3",
            &paged(&[4, 2], 4, 0),
        ),
        one(
            "page_size 0",
            "LAYOUT-40",
            "layouts/block-paged.md: at least 1",
            &paged(&[4, 2, 2], 0, 0),
        ),
        one(
            "paged_axis 1",
            "LAYOUT-41",
            "layouts/block-paged.md: 0",
            &paged(&[4, 2, 2], 4, 1),
        ),
    ]
}

/// Rank 0 outside row-major.
pub fn scalars() -> Vec<Deviation> {
    let reason = "data-model.md: scalars are row-major (AMB-15)";
    let head = Wire::new(F32, 0x0B, &[], vec![3, 0, 0, 0, 1, 0, 0, 0], &[]);
    vec![
        one(
            "rank-0 column-major",
            "DESC-12",
            reason,
            &Wire::new(F32, 0x02, &[], vec![], &[4]),
        ),
        one(
            "rank-0 strided",
            "DESC-12",
            reason,
            &Wire::new(F32, 0x03, &[], vec![], &[4]),
        ),
        one("rank-0 head", "DESC-12", reason, &head),
    ]
}

/// Heads whose composite can never be whole.
pub fn heads() -> Vec<Deviation> {
    let head = |shape: &[u64], rule, op, members: u8| {
        Wire::new(
            F32,
            0x0B,
            shape,
            vec![rule, op, 0, 0, members, 0, 0, 0],
            &[],
        )
    };
    let dynamic = "data-model.md: no cover of an unknown size (AMB-75)";
    vec![
        one(
            "overlay without members",
            "COMP-12",
            "checked at the head (AMB-69)",
            &head(&[4], 2, 1, 0),
        ),
        one(
            "dynamic partition",
            "COMP-13",
            dynamic,
            &head(&[DYN], 1, 0, 1),
        ),
        one(
            "dynamic overlay",
            "COMP-13",
            dynamic,
            &head(&[DYN], 2, 2, 1),
        ),
        one(
            "partition of something into nothing",
            "COMP-14",
            "a gap (AMB-65)",
            &head(&[4], 1, 0, 0),
        ),
    ]
}

/// Private layouts that the caller did not register.
pub fn private_layouts() -> Vec<Deviation> {
    let payload = [words(&[99]), halves(&[0])].concat();
    let wire = Wire::new(F32, 0xF0, &[3, 4], payload, &[48]);
    vec![one(
        "unknown id",
        "LAYOUT-04",
        "metadata.md rejects unknown ids (AMB-45)",
        &wire,
    )]
}

/// Buffers too small for layouts other than plain dense ones, and counts that cannot be.
pub fn sizes() -> Vec<Deviation> {
    let needs = "buffer sizes are minima (AMB-16)";
    let huge = Wire::new(F32, 0x01, &[1 << 40, 1 << 40], vec![], &[1 << 40]);
    let strided = |strides: [i64; 2], size| {
        let payload = strides.iter().flat_map(|n| n.to_le_bytes()).collect();
        Wire::new(F32, 0x03, &[3, 4], payload, &[size])
    };
    let level =
        |tile: [u64; 2], orders: [u8; 2]| [words(&tile), vec![orders[0], orders[1], 0, 0]].concat();
    let outer = [level([2, 2], [3, 1]), words(&[2, 1])].concat();
    let nested = [level([3, 3], [1, 4]), level([2, 2], [1, 1])].concat();
    let morton = Wire::new(F32, 0x05, &[4, 4], halves(&[2, 2]), &[63]);
    let uneven = Wire::new(F32, 0x05, &[8, 2], halves(&[3, 1]), &[95]);
    let hilbert = Wire::new(F32, 0x40, &[4, 4], halves(&[2, 2]), &[63]);
    let sorted = Wire::new(F32, 0x06, &[4, 4], coo(4, 2), &[16, 64]);
    let coo_at = |nnz, sizes: [u64; 2]| Wire::new(F32, 0x06, &[4, 4], coo(nnz, 1), &sizes);
    let csr = Wire::new(F32, 0x07, &[3, 4], words(&[2, 0]), &[8, 16, 31]);
    let csf = [words(&[2]), halves(&[0, 1, 2]), words(&[0])].concat();
    let csf = Wire::new(F32, 0x09, &[4, 4, 4], csf, &[8, 8, 0, 8, 0, 8, 16]);
    let paged = |pages, sizes: [u64; 3]| {
        Wire::new(F32, 0x0A, &[4, 2, 0], block_paged(4, pages, 0, 0), &sizes)
    };
    let pool = Wire::new(F32, 0x0A, &[4, 2, 2], block_paged(4, 1, 0, 0), &[63, 0, 8]);
    let mut nnz = [0; 72];
    (nnz[0], nnz[8]) = (1, 3);
    let statistics = Wire {
        statistics: Some(nnz),
        ..coo_at(4, [16, 64])
    };
    vec![
        one(
            "2^80 elements",
            "DESC-19",
            "more bytes than a buffer has (AMB-14)",
            &huge,
        ),
        one("strided, end", "LAYOUT-07", needs, &strided([4, 1], 47)),
        one(
            "strided, negative",
            "LAYOUT-07",
            needs,
            &strided([-4, 1], 1 << 10),
        ),
        one(
            "tiles with strides",
            "LAYOUT-14",
            needs,
            &Wire::new(F32, 0x04, &[4, 4], outer, &[63]),
        ),
        one(
            "tiles that do not divide",
            "LAYOUT-13",
            "elements would share storage (AMB-35)",
            &Wire::new(F32, 0x04, &[6, 6], nested, &[1 << 10]),
        ),
        one("Morton", "LAYOUT-18", needs, &morton),
        one(
            "Morton with uneven bits",
            "LAYOUT-18",
            "index [7,1] is code 23 (AMB-37)",
            &uneven,
        ),
        one("Hilbert", "LAYOUT-20", needs, &hilbert),
        one("COO is_sorted 2", "LAYOUT-22", "0 or 1 (AMB-38)", &sorted),
        one("COO values", "LAYOUT-24", needs, &coo_at(4, [15, 64])),
        one("COO indices", "LAYOUT-24", needs, &coo_at(4, [16, 63])),
        one(
            "more stored than there are",
            "LAYOUT-25",
            "no duplicates",
            &coo_at(17, [68, 272]),
        ),
        one("CSR pointers", "LAYOUT-30", needs, &csr),
        one("CSF first level", "LAYOUT-35", needs, &csf),
        one("page pool", "LAYOUT-45", needs, &pool),
        one(
            "page numbers",
            "LAYOUT-44",
            "2^32 pages in 32 bits (AMB-43)",
            &paged(1 << 32, [0, 0, 8]),
        ),
        one(
            "nnz of statistics",
            "STAT-04",
            "equals the layout's (AMB-39)",
            &statistics,
        ),
    ]
}

/// Payload of COO.
pub fn coo(nnz: u64, is_sorted: u8) -> Vec<u8> {
    [words(&[nnz]), vec![is_sorted, 0, 0, 0, 0, 0, 0, 0]].concat()
}

/// Payload of block-paged for one sequence without a layer.
pub fn block_paged(page_size: u32, num_pages: u64, axis: u32, index_type: u8) -> Vec<u8> {
    let mut payload = halves(&[page_size]);
    payload.extend(words(&[num_pages]));
    payload.extend(halves(&[axis, 1]));
    payload.push(0);
    payload.extend(halves(&[u32::MAX]));
    payload.extend([index_type, 0, 0, 0, 0, 0, 0]);
    payload
}
