//! What the numbers of one tensor are like.

use std::error;

use hrry::owned::{Buffer, Error, Tensor, TensorDescriptor};
use hrry::{
    DYNAMIC, Fields, Layout, Policy, Statistics, SubBox, Summary, U64s, ValueError, element,
};

/// Numbers that are read at a time.
const SLAB: u64 = 1 << 18;
/// Elements that nobody waits too long for; of more, each byte of data may stand for so many.
const FEW: u64 = 1 << 26;
const FOR_A_BYTE: u64 = 1 << 10;

/// What the data is like.
pub struct Facts {
    pub summary: Summary,
    /// Elements that are not 0; in a sparse layout those that are stored.
    nnz: u64,
    /// The most of these in any group of consecutive elements that the statistics section speaks of.
    most_in_group: u64,
}

/// What checked content of a tensor is like.
pub fn facts(
    descriptor: TensorDescriptor,
    buffers: Vec<Buffer>,
    policy: &Policy,
) -> Result<Facts, Box<dyn error::Error>> {
    let bytes: u64 = buffers.iter().map(|buffer| buffer.len() as u64).sum();
    let tensor = Tensor::new(descriptor, buffers)?;
    // numbers of broken content have no meaning
    tensor.check_content(policy)?;
    if let Some(facts) = stored(&tensor)? {
        return Ok(facts);
    }
    // strides of 0 and sparse layouts announce as many as they like
    let most = bytes.saturating_mul(FOR_A_BYTE).max(FEW);
    let shape = tensor.descriptor().shape();
    let known = shape.iter().all(|size| size != DYNAMIC);
    let elements = SubBox::whole(shape).elements();
    if known && elements.is_none_or(|elements| elements > most) {
        return Err(format!("{bytes} bytes stand for more than {most} elements").into());
    }
    Ok(all(&tensor)?)
}

/// Of what a sparse tensor stores: its zeros may be more than anybody can write down.
fn stored(tensor: &Tensor) -> Result<Option<Facts>, Error> {
    let d = tensor.descriptor();
    let Some(nnz) = nnz(d).filter(|_| d.quantization().is_none() && group(d) == 0) else {
        return Ok(None);
    };
    let values = tensor.buffers().first().map_or(&[][..], |buffer| buffer);
    let mut summary = Summary::new();
    let mut done = 0;
    while done < nnz {
        let mut numbers = vec![0.0f64; (nnz - done).min(SLAB) as usize];
        let decoded = element::decode(d.element_type(), values, done, &mut numbers);
        decoded.map_err(ValueError::from)?;
        summary.extend(numbers.iter().copied());
        done += numbers.len() as u64;
    }
    let elements = SubBox::whole(d.shape()).elements().unwrap_or(u64::MAX);
    summary.add_times(0.0, elements.saturating_sub(nnz));
    Ok(Some(Facts {
        summary,
        nnz,
        most_in_group: 0,
    }))
}

/// Elements that a sparse layout stores.
fn nnz(d: &TensorDescriptor) -> Option<u64> {
    match d.layout() {
        Layout::Coo { nnz, .. }
        | Layout::Csr { nnz }
        | Layout::Csc { nnz }
        | Layout::Csf { nnz, .. } => Some(nnz),
        _ => None,
    }
}

/// Elements of a group that the statistics section speaks of; 0 for none.
fn group(d: &TensorDescriptor) -> u64 {
    d.statistics().map_or(0, |stated| stated.nm_m.into())
}

/// Of all elements, one slab after the other.
fn all(tensor: &Tensor) -> Result<Facts, Error> {
    let d = tensor.descriptor();
    let mut summary = Summary::new();
    let mut groups = Groups::new(group(d), d.shape());
    slabs(d.shape(), |part| {
        let numbers: Vec<f64> = tensor.read_box(part)?;
        numbers.iter().for_each(|x| groups.add(*x != 0.0));
        summary.extend(numbers);
        Ok(())
    })?;
    Ok(Facts {
        nnz: nnz(d).unwrap_or(summary.count() - summary.zeros()),
        summary,
        most_in_group: groups.most,
    })
}

/// Calls with boxes that together are all of a shape, in logical order, none much larger than a slab.
fn slabs(
    shape: U64s<'_>,
    mut take: impl FnMut(SubBox<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let shape: Vec<u64> = shape.iter().collect();
    if shape.contains(&0) {
        return Ok(());
    }
    // the axis that is cut: what is behind it fits a slab
    let mut behind = 1u64;
    let mut cut = shape.len();
    while cut > 0 && behind.saturating_mul(shape[cut - 1]) <= SLAB {
        cut -= 1;
        behind *= shape[cut];
    }
    let mut offset = vec![0; shape.len()];
    let mut part = shape.clone();
    part[..cut].fill(1);
    let step = (SLAB / behind).max(1);
    loop {
        if let Some(axis) = cut.checked_sub(1) {
            part[axis] = step.min(shape[axis] - offset[axis]);
        }
        take(SubBox {
            offset: U64s::from(&offset[..]),
            shape: U64s::from(&part[..]),
        })?;
        let mut axis = cut;
        loop {
            let Some(k) = axis.checked_sub(1) else {
                return Ok(());
            };
            offset[k] += part[k];
            if offset[k] < shape[k] {
                break;
            }
            offset[k] = 0;
            axis = k;
        }
    }
}

/// Counts what is not 0 in groups of consecutive elements of a row.
struct Groups {
    len: u64,
    row: u64,
    at: u64,
    here: u64,
    most: u64,
}

impl Groups {
    fn new(len: u64, shape: U64s<'_>) -> Self {
        Groups {
            len,
            row: shape.iter().last().unwrap_or(1),
            at: 0,
            here: 0,
            most: 0,
        }
    }

    fn add(&mut self, counts: bool) {
        if self.len == 0 {
            return;
        }
        if self.at.is_multiple_of(self.len) {
            self.here = 0;
        }
        self.here += u64::from(counts);
        self.most = self.most.max(self.here);
        self.at += 1;
        if self.at == self.row {
            self.at = 0;
        }
    }
}

impl Facts {
    /// The fields of a statistics section that the data contradicts.
    pub fn contradict(&self, stated: &Statistics, d: &TensorDescriptor) -> Vec<&'static str> {
        let summary = &self.summary;
        let has = |bit: u32| stated.computed_mask & (1 << bit) != 0;
        let total = summary.count();
        let mut differs = Vec::new();
        let mut require = |valid: bool, holds: bool, field| {
            if valid && !holds {
                differs.push(field);
            }
        };
        require(has(0), stated.nnz == self.nnz, "nnz");
        let zeros = total.saturating_sub(self.nnz) as f64 / total.max(1) as f64;
        let ratio = f64::from_bits(stated.sparsity_ratio.0);
        require(has(1), near(ratio, zeros, 1.0), "sparsity_ratio");
        let (min, max) = (summary.min().unwrap_or(0.0), summary.max().unwrap_or(0.0));
        let same = |stated: u64, found: f64| f64::from_bits(stated) == found;
        let any = summary.min().is_some();
        require(has(2) && any, same(stated.value_min.0, min), "value_min");
        require(has(2) && any, same(stated.value_max.0, max), "value_max");
        let largest = min.abs().max(max.abs());
        require(
            has(2) && any,
            same(stated.value_abs_max.0, largest),
            "value_abs_max",
        );
        // sums are rounded in many ways, and a writer may let one NaN or infinity spoil them
        let scale = largest.max(f64::MIN_POSITIVE);
        let spoilt = summary.nans() > 0 || summary.infinities() > 0;
        let close = |stated: u64, found: Option<f64>| {
            let stated = f64::from_bits(stated);
            (spoilt && !stated.is_finite()) || found.is_none_or(|x| near(stated, x, scale))
        };
        require(
            has(3),
            close(stated.value_mean.0, summary.mean()),
            "value_mean",
        );
        require(
            has(3),
            close(stated.value_stddev.0, summary.stddev()),
            "value_stddev",
        );
        let pattern = self.most_in_group <= stated.nm_n.into() || stated.nm_m == 0;
        require(has(4) && !d.shape().is_empty(), pattern, "nm_n");
        let flag = |stated: u8, found: u64| (stated != 0) == (found > 0);
        require(has(5), flag(stated.has_nan, summary.nans()), "has_nan");
        require(
            has(5),
            flag(stated.has_inf, summary.infinities()),
            "has_inf",
        );
        differs
    }
}

/// Whether two numbers differ by less than float32 sums of numbers of that size do.
fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= scale * 1e-5
}
