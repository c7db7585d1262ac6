//! What was read of a container against what was planned, and against what the reference read.

use std::fmt::Debug;

use hrry::{DescriptorView, Layout, Policy};

use super::container::{Container, places};
use super::here::{Here, Tensor};
use super::kv::Pairs;
use super::there::{Tensor as TheirTensor, There, they_read};
use crate::compare::same;
use crate::policy;

/// Nothing where a reader here gave what was planned, else the first difference. `descriptors` are the
/// bytes that the reference gives them; the reference pads heads, `hrry` does not (AMB-91).
pub fn as_planned(
    container: &Container,
    here: &Here,
    descriptors: &[Vec<u8>],
    pads_heads: bool,
) -> Result<(), String> {
    let mut names = container.names.clone();
    if container.sorted {
        names.sort();
    }
    equal("names", &here.names, &names)?;
    equal("kv", &here.kv, &container.kv)?;
    let lengths: Vec<u64> = descriptors.iter().map(|bytes| bytes.len() as u64).collect();
    let places = places(container, &lengths, pads_heads);
    let parts = container.parts();
    equal("tensors", here.tensors.len(), parts.len())?;
    let planned = parts.iter().zip(descriptors).zip(places);
    for (tensor, ((part, descriptor), place)) in here.tensors.iter().zip(planned) {
        equal("name", tensor.name.as_str(), part.name)?;
        equal("level", tensor.level, part.level)?;
        equal("descriptor", &tensor.descriptor, descriptor)?;
        equal("buffers", tensor.buffers.as_slice(), part.buffers)?;
        equal("place", tensor.place, place)?;
    }
    Ok(())
}

/// Reads a container with the reference and compares all of it with what was read here.
pub fn as_read_there(bytes: &[u8], here: &Here, policy: &Policy) -> Result<(), Difference> {
    let there = they_read(bytes).map_err(Difference::Refused)?;
    same_file(here, &there, policy).map_err(Difference::Content)
}

/// Why the reference does not agree with what was read here.
#[derive(Debug)]
pub enum Difference {
    /// It refuses the file.
    Refused(hurray_io::Error),
    /// It reads something else.
    Content(String),
}

/// Nothing where both read the same, else the first difference.
pub fn same_file(here: &Here, there: &There, policy: &Policy) -> Result<(), String> {
    same_tensors(here, there, policy)?;
    same_composites(&composites(here), there, policy)
}

/// Each head with everything that belongs to it.
fn composites(here: &Here) -> Vec<&[Tensor]> {
    let mut composites = Vec::new();
    for (k, head) in here.tensors.iter().enumerate() {
        let (view, _) = DescriptorView::parse(&head.descriptor, &policy()).expect("it was read");
        if matches!(view.layout(), Layout::Composite(_)) {
            let behind = &here.tensors[k + 1..];
            let members = behind.iter().take_while(|part| part.level > head.level);
            composites.push(&here.tensors[k..=k + members.count()]);
        }
    }
    composites
}

fn same_tensors(here: &Here, there: &There, policy: &Policy) -> Result<(), String> {
    let told = here.kv.iter();
    let told: Pairs = told
        .map(|(key, value)| (key.clone(), value.as_told_there()))
        .collect();
    equal("kv", &told, &there.kv)?;
    equal("tensors", here.names.len(), there.tensors.len())?;
    for (name, (theirs, place)) in here.names.iter().zip(&there.tensors) {
        equal("name", name, &theirs.name)?;
        let mut named = here.tensors.iter().filter(|tensor| tensor.name == *name);
        let ours = named.next().ok_or_else(|| format!("no {name:?} here"))?;
        equal("place", ours.place, *place)?;
        same_tensor(ours, theirs, policy)?;
    }
    Ok(())
}

fn same_composites(ours: &[&[Tensor]], there: &There, policy: &Policy) -> Result<(), String> {
    equal("composites", ours.len(), there.composites.len())?;
    for (ours, theirs) in ours.iter().zip(&there.composites) {
        equal("parts", ours.len(), theirs.len())?;
        for (part, (level, theirs)) in ours.iter().zip(theirs) {
            equal("name", &part.name, &theirs.name)?;
            equal("level", part.level - ours[0].level, *level)?;
            same_tensor(part, theirs, policy)?;
        }
    }
    Ok(())
}

fn same_tensor(ours: &Tensor, theirs: &TheirTensor, policy: &Policy) -> Result<(), String> {
    let (view, _) = DescriptorView::parse(&ours.descriptor, policy).map_err(|e| e.to_string())?;
    same(&view, &theirs.descriptor).map_err(|error| format!("{:?}: {error}", ours.name))?;
    equal("buffers", &ours.buffers, &theirs.buffers)
}

fn equal<T: PartialEq + Debug>(what: &str, a: T, b: T) -> Result<(), String> {
    match a == b {
        true => Ok(()),
        false => Err(format!("{what}: {a:?} and {b:?}")),
    }
}
