//! The formulas of the specification, written down once more and as plainly as they can be.

/// All indices of a shape, last dimension fastest.
pub fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    let Some((first, rest)) = shape.split_first() else {
        return vec![vec![]];
    };
    let mut all = Vec::new();
    for i in 0..*first {
        for mut index in indices(rest) {
            index.insert(0, i);
            all.push(index);
        }
    }
    all
}

/// ADDR-01: row-major strides.
pub fn row_major(shape: &[u64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as i64;
    }
    strides
}

/// ADDR-02: column-major strides.
pub fn column_major(shape: &[u64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in 1..shape.len() {
        strides[i] = strides[i - 1] * shape[i - 1] as i64;
    }
    strides
}

/// ADDR-03.
pub fn strided(strides: &[i64], index: &[u64]) -> i64 {
    strides.iter().zip(index).map(|(s, i)| s * *i as i64).sum()
}

/// The order of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    Rows,
    Columns,
    Strides(Vec<i64>),
}

impl Order {
    pub fn place(&self, shape: &[u64], index: &[u64]) -> i64 {
        match self {
            Order::Rows => strided(&row_major(shape), index),
            Order::Columns => strided(&column_major(shape), index),
            Order::Strides(strides) => strided(strides, index),
        }
    }
}

/// A level of tiling; without an inner order it is tiled again by the next one.
#[derive(Clone, Debug)]
pub struct Level {
    pub tile: Vec<u64>,
    pub outer: Order,
    pub inner: Option<Order>,
}

/// ADDR-04.
pub fn tiled(levels: &[Level], shape: &[u64], index: &[u64]) -> i64 {
    let Level { tile, outer, inner } = &levels[0];
    let axes = 0..shape.len();
    let t: Vec<u64> = axes.clone().map(|k| index[k] / tile[k]).collect();
    let e: Vec<u64> = axes.clone().map(|k| index[k] % tile[k]).collect();
    let grid: Vec<u64> = axes.map(|k| shape[k].div_ceil(tile[k])).collect();
    let unit: u64 = tile.iter().product();
    let inside = match inner {
        Some(order) => order.place(tile, &e),
        None => tiled(&levels[1..], tile, &e),
    };
    outer.place(&grid, &t) * unit as i64 + inside
}

/// ADDR-05.
pub fn morton(bits: &[u32], index: &[u64]) -> i64 {
    let rank = index.len();
    let mut code = 0i64;
    for d in 0..rank {
        for b in 0..bits[d].min(64) as usize {
            if index[d] >> b & 1 == 1 {
                code |= 1 << (b * rank + d);
            }
        }
    }
    code
}

/// ADDR-06, from coordinates to the place on the curve.
pub fn hilbert(p: u32, index: &[u64]) -> i64 {
    let (r, mut x) = (index.len(), index.to_vec());
    let mut q = 1u64 << (p - 1);
    while q >= 2 {
        for i in 0..r {
            if x[i] & q != 0 {
                x[0] ^= q - 1;
            } else {
                let t = (x[0] ^ x[i]) & (q - 1);
                x[0] ^= t;
                x[i] ^= t;
            }
        }
        q /= 2;
    }
    for i in 1..r {
        x[i] ^= x[i - 1];
    }
    let mut t = 0;
    let mut q = 1u64 << (p - 1);
    while q >= 2 {
        if x[r - 1] & q != 0 {
            t ^= q - 1;
        }
        q /= 2;
    }
    let mut h = 0;
    for (d, x) in x.iter().enumerate() {
        for b in 0..p as usize {
            h |= (((x ^ t) >> b & 1) as i64) << (b * r + r - 1 - d);
        }
    }
    h
}

/// ADDR-06, from a place on the curve to coordinates.
pub fn hilbert_index(p: u32, r: usize, h: u64) -> Vec<u64> {
    let mut x = vec![0u64; r];
    for (d, x) in x.iter_mut().enumerate() {
        for b in 0..p as usize {
            *x |= (h >> (b * r + r - 1 - d) & 1) << b;
        }
    }
    let t = x[r - 1] >> 1;
    for i in (1..r).rev() {
        x[i] ^= x[i - 1];
    }
    x[0] ^= t;
    let mut q = 2u64;
    while q <= 1 << (p - 1) {
        for i in (0..r).rev() {
            if x[i] & q != 0 {
                x[0] ^= q - 1;
            } else {
                let t = (x[0] ^ x[i]) & (q - 1);
                x[0] ^= t;
                x[i] ^= t;
            }
        }
        q *= 2;
    }
    x
}

/// ADDR-12 to ADDR-14 and ADDR-19: first byte and bit of an element, and how many bytes it is found in; the
/// byte is negative in front of the buffer.
pub fn packed(width: u32, byte_offset: u64, offset: i64) -> (i64, u8, u64) {
    let start = byte_offset as i64;
    match width {
        1 | 2 | 4 => {
            let p = 8 / i64::from(width);
            let bit = offset.rem_euclid(p) * i64::from(width);
            (start + offset.div_euclid(p), bit as u8, 1)
        }
        6 => {
            let bit = offset.rem_euclid(4) * 6;
            (start + 3 * offset.div_euclid(4), bit as u8, 3)
        }
        _ => {
            assert_eq!(width % 8, 0);
            let bytes = u64::from(width / 8);
            (start + offset * bytes as i64, 0, bytes)
        }
    }
}
