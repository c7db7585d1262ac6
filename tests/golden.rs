//! The vectors: verdict, rule and every decoded field, through the library.

mod support;

use hrry::DescriptorView;
use support::trace::{growing, trace};
use support::vectors::{descriptors, streams};

#[test]
fn descriptor_verdicts() {
    for v in descriptors() {
        let result = DescriptorView::parse(&v.bytes, &v.policy);
        match result {
            Ok((_, rest)) => assert_eq!(v.accept, rest.is_empty(), "{}", v.id),
            Err(error) => {
                assert!(!v.accept, "{}: {error}", v.id);
                let rule = error.rule().map(hrry::Rule::id).unwrap();
                assert!(v.rules.iter().any(|id| id == rule), "{}: {error}", v.id);
            }
        }
    }
}

#[test]
fn stream_verdicts() {
    for v in streams() {
        let t = trace(&v.bytes, &[], growing(v.policy));
        match t.result {
            Ok(()) => assert!(v.accept || v.content, "{}", v.id),
            Err(error) => {
                assert!(!v.accept && !v.content, "{}: {error}", v.id);
                let rule = error.rule().map(hrry::Rule::id).unwrap();
                assert!(v.rules.iter().any(|id| id == rule), "{}: {error}", v.id);
            }
        }
    }
}
