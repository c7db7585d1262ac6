//! One container through every reader of `hrry`.

use std::fmt::Display;

use hrry::{FileView, Mode, Region};

use super::front::{Memory, parser};
use super::here::{Here, view};
use super::ranges::{owned, ranges};
use crate::choices::Choices;
use crate::policy;

/// Reads a container with all readers, strict and permissive, in chunks of any size and in memory that is
/// just large enough. They must read the same.
pub fn read_everywhere(c: &mut Choices<'_>, file: &[u8]) -> Result<Here, String> {
    let mut permissive = policy();
    permissive.mode = Mode::Permissive;
    let here = view(file, policy()).map_err(|error| format!("view: {error}"))?;
    let end = FileView::open(file, &policy()).map_err(text)?.region_end();
    let behind = file.len() - end as usize;
    let longest = here.tensors.iter().map(|t| t.descriptor.len()).max();
    let name = here.names.iter().map(|name| 34 + name.len()).max();
    // the header is gathered there, too
    let frame = longest.max(name).unwrap_or(0).max(behind).max(64);
    let sizes: Vec<usize> = (0..5).map(|_| size(c)).collect();
    let count = here.tensors.len();
    // keys are forgotten when names come
    let texts = words(here.names.iter()).max(words(here.kv.iter().map(|(key, _)| key)));
    let mut flat = here.clone();
    flat.tensors.iter_mut().for_each(|tensor| tensor.level = 0);
    for policy in [policy(), permissive] {
        same("view", &here, view(file, policy))?;
        for region in [Region::Count(count as u64), Region::EndsAt(end)] {
            let places = 4 * count + texts;
            let memory = Memory {
                frame,
                places,
                region,
            };
            same("parser", &here, parser(file, policy, memory, &sizes))?;
        }
        let frame = longest.unwrap_or(0);
        same("ranges", &flat, ranges(file, policy, behind, frame))?;
        same("ranges", &flat, ranges(file, policy, file.len(), frame))?;
        same("owned", &here, owned(file, policy))?;
    }
    Ok(here)
}

/// Words that a parser takes to compare texts: three for each, and one for each eight bytes begun.
fn words<'a>(texts: impl Iterator<Item = &'a String>) -> usize {
    texts.map(|text| 3 + text.len().div_ceil(8)).sum()
}

/// Bytes of a chunk, mostly more than one.
fn size(c: &mut Choices<'_>) -> usize {
    let most = c.pick(&[4096, 1 << 16, 100, 8, 1]);
    1 + c.below(most) as usize
}

fn same<E: Display>(reader: &str, here: &Here, other: Result<Here, E>) -> Result<(), String> {
    let other = other.map_err(|error| format!("{reader}: {error}"))?;
    match other == *here {
        true => Ok(()),
        false => Err(format!("{reader}: {other:?}\n{here:?}")),
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}
