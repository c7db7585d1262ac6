//! What the index buffers of fibres and pages may hold (LAYOUT-36 to LAYOUT-38, LAYOUT-46), by one number
//! changed at a time.

use hrry::ElementType;
use hrry_reference_tests::cases;
use hrry_reference_tests::choices::check;
use hrry_reference_tests::generate::NUMBERS;
use hrry_reference_tests::paged::Paged;
use hrry_reference_tests::places::indexes;
use hrry_reference_tests::sparse::Sparse;

const VALUES: [u64; 8] = [0, 1, 2, 3, 4, 5, 1 << 31, u64::MAX];

fn fibres() -> Vec<Sparse> {
    let mut tensors = Vec::new();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        for step in 1..7 {
            let entries: Vec<Vec<u64>> = indexes(&[2, 3, 2]).step_by(step).collect();
            tensors.push(Sparse::csf(
                ElementType::UInt8,
                &[2, 3, 2],
                &entries,
                &order,
            ));
        }
        tensors.push(Sparse::csf(ElementType::UInt8, &[2, 3, 2], &[], &order));
    }
    tensors
}

#[test]
fn numbers_of_fibres() {
    let (mut accepted, mut refused) = (0, 0);
    for tensor in fibres() {
        for buffer in 0..tensor.numbers.len() {
            for k in 0..tensor.numbers[buffer].len() {
                for value in VALUES {
                    let mut changed = tensor.clone();
                    changed.numbers[buffer][k] = value;
                    let rule = changed.our_rule();
                    assert_eq!(
                        rule.is_none(),
                        changed.they_accept(),
                        "{rule:?} {changed:?}"
                    );
                    if rule.is_some() {
                        refused += 1;
                        continue;
                    }
                    accepted += 1;
                    changed.compare().unwrap();
                }
            }
        }
    }
    assert!(accepted > 300 && refused > 2000, "{accepted} {refused}");
}

/// AMB-16: buffers may be larger than the layout needs; the reference takes the numbers as a slice, and all
/// of it is the tree. Coordinates of a tensor without
/// elements have no room on either side (LAYOUT-38).
#[test]
fn fibres_with_room_behind() {
    for tensor in fibres() {
        for buffer in 0..tensor.numbers.len() {
            let mut longer = tensor.clone();
            longer.numbers[buffer].push(9);
            longer.plan.buffers[buffer + 1].byte_size += 8;
            let empty = buffer % 2 == 1 && tensor.numbers[1].is_empty();
            let rule = empty.then_some("LAYOUT-38");
            assert_eq!(longer.our_rule(), rule, "{longer:?}");
            assert!(!longer.they_accept(), "{longer:?}");
        }
    }
}

#[test]
fn numbers_of_pages() {
    let counts = std::cell::Cell::new((0, 0));
    check(cases(500), NUMBERS, |c| {
        let paged = Paged::random(c);
        let wide = c.one_in(2);
        let places = (0..paged.table.len()).map(|k| (true, k));
        let places = places.chain((0..paged.sequences.len()).map(|k| (false, k)));
        for (table, k) in places {
            for value in VALUES {
                let mut changed = paged.clone();
                let numbers = if table {
                    &mut changed.table
                } else {
                    &mut changed.sequences
                };
                // what 32 bits hold
                numbers[k] = if wide { value } else { value & 0xFFFF_FFFF };
                let rule = changed.our_rule(wide);
                // AMB-16: a table with room behind the last page is one slice too long there
                let mut cut = changed.clone();
                let pages = *changed.sequences.last().unwrap_or(&0);
                if rule.is_none() && pages < changed.table.len() as u64 {
                    assert!(!changed.they_accept(wide), "{changed:?}");
                    cut.table.truncate(pages as usize);
                }
                if rule.is_none() != cut.they_accept(wide) {
                    return Err(format!("{rule:?} {changed:?}"));
                }
                let (accepted, refused) = counts.get();
                counts.set(if rule.is_none() {
                    cut.compare(ElementType::Int16, wide)?;
                    (accepted + 1, refused)
                } else {
                    (accepted, refused + 1)
                });
            }
        }
        Ok(())
    });
    let (accepted, refused) = counts.get();
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
}
