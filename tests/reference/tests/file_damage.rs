//! Damaged containers: we accept nothing that the reference refuses, and what both accept they read alike.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hrry::{DescriptorView, FileView, crc32c};
use hrry_reference_tests::choices::{Choices, check};
use hrry_reference_tests::files::container::{NUMBERS, container};
use hrry_reference_tests::files::equal::{Difference, as_read_there};
use hrry_reference_tests::files::here::{Here, view, we_write};
use hrry_reference_tests::files::there::they_write;
use hrry_reference_tests::mutate::mutate;
use hrry_reference_tests::{cases, policy};
use hurray_core::Error as CoreError;

/// What we accept has sizes and counts that are true, so the reference can be asked without fear for
/// memory.
#[test]
fn we_accept_nothing_that_the_reference_refuses() {
    let (accepted, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    check(cases(2_500), NUMBERS + 200, |c| {
        let mut container = container(c);
        container.kv.retain(|(_, value)| value.is_writable_there());
        container.alignment = 4096;
        let file = match c.one_in(2) {
            true => they_write(&container)?,
            false => we_write(&container.clone().writable_here(), policy()).map_err(text)?,
        };
        let sections = sections(&file);
        for _ in 0..10 {
            let damaged = damage(c, &file, &sections);
            let Ok(here) = view(&damaged, policy()) else {
                refused.fetch_add(1, Relaxed);
                continue;
            };
            accepted.fetch_add(1, Relaxed);
            match as_read_there(&damaged, &here, &policy()) {
                Ok(()) => {}
                // members without elements overlap nothing (COMP-44, AMB-63)
                Err(Difference::Refused(hurray_io::Error::Core(
                    CoreError::CompositePartitionOverlap { .. },
                ))) if has_empty(&here) => {}
                Err(difference) => {
                    return Err(format!("{difference:?}\n{container:?}"));
                }
            }
        }
        Ok(())
    });
    let (accepted, refused) = (accepted.into_inner(), refused.into_inner());
    assert!(
        accepted > 1_500 && refused > 10_000,
        "{accepted} and {refused}"
    );
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn has_empty(here: &Here) -> bool {
    here.tensors.iter().any(|tensor| {
        let (view, _) = DescriptorView::parse(&tensor.descriptor, &policy()).unwrap();
        view.shape().iter().any(|size| size == 0)
    })
}

/// Where header, descriptors, keys, index and trailer are.
fn sections(file: &[u8]) -> Vec<(usize, usize)> {
    let view = FileView::open(file, &policy()).unwrap();
    let trailer = view.trailer();
    let index = trailer.index_offset as usize;
    let mut sections = vec![
        (0, 64),
        (index, index + trailer.index_length as usize),
        (file.len() - 40, file.len()),
    ];
    if trailer.kv_length > 0 {
        let kv = trailer.kv_offset as usize;
        sections.push((kv, kv + trailer.kv_length as usize));
    }
    sections.extend(view.entries().map(|entry| {
        let start = entry.descriptor_offset as usize;
        (start, start + entry.descriptor_length as usize)
    }));
    sections
}

/// One section changed; what stands behind it moves if its length does. Mostly the checksum still holds.
fn damage(c: &mut Choices<'_>, file: &[u8], sections: &[(usize, usize)]) -> Vec<u8> {
    let (start, end) = c.pick(sections);
    let changed = mutate(c, &file[start..end]);
    let damaged = [&file[..start], &changed, &file[end..]].concat();
    match c.one_in(8) {
        true => damaged,
        false => with_checksum(damaged),
    }
}

/// The file with the checksum of the index where its trailer says.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let Some(trailer) = file.len().checked_sub(40) else {
        return file;
    };
    let word = |at| {
        file[at..]
            .first_chunk()
            .copied()
            .map_or(0, u64::from_le_bytes)
    };
    let (start, len) = (word(trailer) as usize, word(trailer + 8) as usize);
    let end = start.saturating_add(len);
    if let Some(index) = file.get(start..end) {
        let crc = crc32c(0, index).to_le_bytes();
        file[trailer + 28..trailer + 32].copy_from_slice(&crc);
    }
    file
}
