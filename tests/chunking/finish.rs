//! `finish` after every prefix: clean, truncated or torn, as the lengths in the stream say.

use hrry::{ErrorKind, Rule};

use crate::support::scale::every;
use crate::support::trace::{Recorder, growing};
use crate::support::vectors::streams;
use crate::support::walk::{End, end_of_prefix, items};

#[test]
fn every_prefix_ends_as_its_structure_says() {
    let mut seen = [0; 3];
    for v in streams().iter().filter(|v| v.accept) {
        let items = items(&v.bytes);
        assert_eq!(
            items.last().map(|item| item.end()),
            Some(v.bytes.len()),
            "{}",
            v.id
        );
        let step = if v.bytes.len() > 3300 { every(50) } else { 1 };
        let mut recorder = Recorder::new(growing(v.policy));
        for end in 0..=v.bytes.len() {
            if end > 0 {
                recorder.push(&v.bytes[end - 1..end]).unwrap();
            }
            if end % step != 0 && end != v.bytes.len() {
                continue;
            }
            let result = recorder.machine.finish().map_err(|error| {
                assert_eq!(error.offset(), end as u64, "{}", v.id);
                error.kind()
            });
            let (kind, expected) = match end_of_prefix(&items, end) {
                End::Clean => (0, Ok(())),
                End::Truncated { missing } => {
                    let rule = Rule::StreamTruncated;
                    let missing = missing as u64;
                    (1, Err(ErrorKind::Truncated { rule, missing }))
                }
                End::Torn {
                    level,
                    declared,
                    seen,
                } => {
                    let torn = ErrorKind::Torn {
                        level,
                        declared,
                        seen,
                    };
                    (2, Err(torn))
                }
            };
            seen[kind] += 1;
            assert_eq!(result, expected, "{} first {end} bytes", v.id);
        }
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

#[test]
fn a_prefix_of_a_rejected_stream_passes_only_at_an_item_boundary() {
    for v in streams().iter().filter(|v| !v.accept && !v.content) {
        let mut boundaries = vec![0];
        boundaries.extend(items(&v.bytes).iter().map(|item| item.end()));
        let mut recorder = Recorder::new(growing(v.policy));
        for end in 0..=v.bytes.len() {
            let failed = end > 0 && recorder.push(&v.bytes[end - 1..end]).is_err();
            let accepted = recorder.machine.finish().is_ok();
            assert!(!accepted || boundaries.contains(&end), "{} {end}", v.id);
            assert!(!(accepted && end == v.bytes.len()), "{}", v.id);
            if failed {
                break;
            }
        }
    }
}

#[test]
fn finish_before_the_events_were_taken_is_no_clean_end() {
    for v in streams().iter().filter(|v| v.accept) {
        let mut decoder = growing(v.policy);
        let mut input = &v.bytes[..];
        assert!(decoder.next_event(&mut input).unwrap().is_some());
        // a descriptor was handed out; its end was not
        let error = decoder.finish().unwrap_err();
        assert_eq!(error.rule(), Some(Rule::StreamTruncated), "{}", v.id);
    }
}
