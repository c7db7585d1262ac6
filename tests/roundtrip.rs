//! Values to bytes and back, and the same refusals on either side.

mod support;

mod roundtrip {
    mod damage;
    mod tags;
    mod values;

    use hrry::{
        Agreements, DescriptorSpec, DescriptorView, Mode, NoSpace, Policy, Prepared, Sink,
        Violation, WriteError, check, encode, encode_to, encoded_len,
    };
    use proptest::prelude::*;

    use crate::support::bytes;
    use crate::support::generate::{LAYOUT_ID, LAYOUTS, Recipe, SCHEME, SCHEMES, valid};
    use crate::support::scale::scale;
    use crate::support::spec::{Kind, Plain, assert_same_fields};
    use damage::{Damage, KINDS, VALUES, damage};

    static AGREED: Agreements = {
        let mut agreements = Agreements::NONE;
        agreements.layouts = &[LAYOUT_ID];
        agreements.schemes = &[SCHEME];
        agreements
    };

    fn policy(mode: Mode) -> Policy {
        let mut policy = Policy::STRICT;
        policy.mode = mode;
        policy.agreements = &AGREED;
        policy
    }

    fn recipe() -> impl Strategy<Value = Recipe> {
        (any::<u64>(), 0..LAYOUTS, 0..SCHEMES, 0..16u8).prop_map(
            |(seed, layout, scheme, sections)| Recipe {
                seed,
                layout,
                scheme,
                sections,
            },
        )
    }

    fn damages() -> impl Strategy<Value = Vec<Damage>> {
        let one = (0..KINDS, 0..40usize, 0..VALUES.len());
        let one = one.prop_map(|(kind, index, value)| Damage { kind, index, value });
        prop::collection::vec(one, 1..3)
    }

    fn config(cases: usize) -> ProptestConfig {
        ProptestConfig {
            cases: (cases * scale()) as u32,
            failure_persistence: None,
            ..ProptestConfig::default()
        }
    }

    proptest! {
        #![proptest_config(config(2000))]

        #[test]
        fn valid_descriptors_come_back_equal(recipe in recipe()) {
            let plain = valid(recipe);
            let expected = bytes::encode(&plain);
            for kind in [Kind::Native, Kind::Le] {
                plain.lend(kind, |spec| written_and_read(spec, &expected));
            }
        }

        #[test]
        fn writer_check_and_reader_refuse_the_same(recipe in recipe(), damages in damages()) {
            let mut plain = valid(recipe);
            damages.into_iter().for_each(|d| damage(&mut plain, d));
            for mode in [Mode::Strict, Mode::Permissive] {
                let verdicts = verdicts(&plain, &policy(mode));
                prop_assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{mode:?}: {verdicts:?}");
            }
        }
    }

    /// Collects bytes and counts calls.
    #[derive(Default)]
    struct Collected(Vec<u8>);

    impl Sink for Collected {
        type Error = ();

        fn put(&mut self, bytes: &[u8]) -> Result<(), ()> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }
    }

    const FILL: u8 = 0xA5;

    fn written_and_read(spec: &DescriptorSpec<'_>, expected: &[u8]) {
        let policy = policy(Mode::Strict);
        assert_eq!(check::descriptor(spec, &policy), Ok(()), "{spec:?}");
        let needed = expected.len() as u32;
        assert_eq!(encoded_len(spec), Ok(needed));

        let mut exact = vec![FILL; expected.len()];
        assert_eq!(encode(spec, &mut exact, &policy), Ok(expected.len()));
        assert_eq!(exact, expected);

        let mut longer = vec![FILL; expected.len() + 9];
        assert_eq!(encode(spec, &mut longer, &policy), Ok(expected.len()));
        assert_eq!(longer[..expected.len()], *expected);
        assert_eq!(
            longer[expected.len()..],
            [FILL; 9],
            "nothing is written behind it"
        );

        for short in [0, 1, 19, 20, expected.len() / 2, expected.len() - 1] {
            let mut out = vec![FILL; short];
            let refused = encode(spec, &mut out, &policy);
            assert_eq!(refused, Err(WriteError::Sink(NoSpace { needed })));
            assert_eq!(out, vec![FILL; short], "nothing is written");
        }

        let mut sink = Collected::default();
        assert_eq!(encode_to(spec, &mut sink, &policy), Ok(needed));
        assert_eq!(sink.0, expected);

        // checked once and written often, whatever became of it the time before
        let prepared = Prepared::new(spec, &policy).unwrap();
        assert_eq!(prepared.encoded_len(), needed);
        for (room, result) in [
            (needed - 1, Err(NoSpace { needed })),
            (needed, Ok(needed)),
            (needed, Ok(needed)),
        ] {
            let mut out = vec![FILL; room as usize];
            assert_eq!(prepared.encode(&mut out), result.map(|len| len as usize));
            let written = if result.is_ok() {
                expected
            } else {
                &vec![FILL; out.len()]
            };
            assert_eq!(out, written);
            let mut sink = Collected::default();
            prepared.encode_to(&mut sink).unwrap();
            assert_eq!(sink.0, expected);
        }

        let (view, rest) = DescriptorView::parse(expected, &policy).unwrap();
        assert!(rest.is_empty());
        assert_same_fields(&view, spec, "read");
        let mut again = vec![FILL; expected.len()];
        assert_eq!(encode(&view, &mut again, &policy), Ok(expected.len()));
        assert_eq!(again, expected, "a view writes its own bytes");
        assert_eq!(view.check(&policy), Ok(()));
    }

    /// What checks, writers and a reader say of a descriptor, each for both kinds of arrays.
    fn verdicts(plain: &Plain, policy: &Policy) -> Vec<Result<(), Violation>> {
        let bytes = bytes::encode(plain);
        let read = match DescriptorView::parse(&bytes, policy) {
            Ok((view, rest)) => {
                assert!(rest.is_empty());
                plain.lend(Kind::Native, |spec| assert_same_fields(&view, spec, "read"));
                Ok(())
            }
            Err(error) => match error.kind() {
                hrry::ErrorKind::Rule(violation) => Err(violation),
                other => panic!("{other}"),
            },
        };
        let mut verdicts = vec![read];
        for kind in [Kind::Native, Kind::Le] {
            plain.lend(kind, |spec| {
                verdicts.push(check::descriptor(spec, policy));
                let mut out = vec![FILL; bytes.len()];
                let written = encode(spec, &mut out, policy);
                verdicts.push(refusal(written.map(|len| assert_eq!(out[..len], bytes))));
                if written.is_err() {
                    assert_eq!(out, vec![FILL; bytes.len()], "nothing is written");
                }
                let mut sink = Collected::default();
                let put = encode_to(spec, &mut sink, policy);
                verdicts.push(refusal(put.map(|_| assert_eq!(sink.0, bytes))));
                assert!(put.is_ok() || sink.0.is_empty(), "nothing is written");
            });
        }
        verdicts
    }

    fn refusal<E: std::fmt::Debug>(result: Result<(), WriteError<E>>) -> Result<(), Violation> {
        result.map_err(|error| match error {
            WriteError::Refused(hrry::ErrorKind::Rule(violation)) => violation,
            other => panic!("{other:?}"),
        })
    }

    /// Most of what damage does is refused, and some of it is another valid descriptor; of the rules
    /// that a descriptor alone can break, most are met.
    #[test]
    fn damage_reaches_many_rules() {
        let mut rng = crate::support::scale::Rng(21);
        let mut rules = std::collections::BTreeSet::new();
        let mut accepted = 0;
        for n in 0..6000 {
            let mut plain = valid(Recipe {
                seed: rng.next(),
                layout: n % LAYOUTS,
                scheme: rng.below(SCHEMES),
                sections: rng.below(16) as u8,
            });
            damage(
                &mut plain,
                Damage {
                    kind: rng.below(KINDS),
                    index: rng.below(40),
                    value: rng.below(VALUES.len()),
                },
            );
            match verdicts(&plain, &policy(Mode::Strict))[0] {
                Ok(()) => accepted += 1,
                Err(violation) => {
                    rules.insert(violation.rule.id());
                }
            }
        }
        assert!((1000..5000).contains(&accepted), "{accepted}");
        assert!(rules.len() >= 60, "{}: {rules:?}", rules.len());
    }
}
