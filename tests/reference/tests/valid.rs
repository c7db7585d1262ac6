//! Valid descriptors: each side reads what the other writes, and both write the same bytes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use hrry::{DescriptorView, encode, encoded_len};
use hrry_reference_tests::choices::check;
use hrry_reference_tests::compare::same;
use hrry_reference_tests::generate::{NUMBERS, descriptor};
use hrry_reference_tests::layouts::Limits;
use hrry_reference_tests::plan::{LayoutPlan, Plan};
use hrry_reference_tests::{cases, policy};
use hurray_core::descriptor::TensorDescriptor;

#[test]
fn each_side_reads_what_the_other_writes() {
    let seen = Mutex::new(BTreeMap::new());
    check(cases(20_000), NUMBERS, |c| {
        let plan = descriptor(c, Limits::DESCRIPTOR);
        note(&plan, &mut seen.lock().unwrap());
        both_ways(&plan).map_err(|error| format!("{error}\n{plan:?}"))
    });
    // 26 assigned types and at least one private; 12 named layouts and a private one; a level of
    // nesting; every scheme and section
    let seen = seen.into_inner().unwrap();
    let kinds = |what: &str| {
        seen.range(what.to_owned()..)
            .filter(|(k, _)| k.starts_with(what))
            .count()
    };
    assert!(kinds("type ") > 26, "{seen:?}");
    assert!(kinds("layout ") > 12, "{seen:?}");
    assert_eq!(kinds("levels "), 8, "{seen:?}");
    assert_eq!(kinds("scheme "), 6, "{seen:?}");
    assert_eq!(kinds("rank "), 65, "{seen:?}");
    assert_eq!(kinds("section "), 5, "{seen:?}");
    assert_eq!(kinds("device "), 9 + 15, "{seen:?}");
}

fn both_ways(plan: &Plan) -> Result<(), String> {
    let policy = policy();
    let reference = plan
        .reference()
        .map_err(|e| format!("the reference builds: {e:?}"))?;
    let theirs = reference
        .encode()
        .map_err(|e| format!("the reference writes: {e:?}"))?;
    let (view, rest) =
        DescriptorView::parse(&theirs, &policy).map_err(|e| format!("we read: {e}"))?;
    if !rest.is_empty() {
        return Err("bytes are left".into());
    }
    same(&view, &reference)?;
    if !plan.is_writable() {
        return Ok(());
    }
    let mut ours = vec![0xAA; theirs.len() + 1];
    let len = plan.with_spec(|spec| {
        let known = encoded_len(spec).map_err(|e| format!("we measure: {e}"))?;
        let len = encode(spec, &mut ours, &policy).map_err(|e| format!("we write: {e}"))?;
        (known as usize == len)
            .then_some(len)
            .ok_or("two lengths".to_owned())
    })?;
    if ours[..len] != theirs {
        return Err(format!("{:?} here, {theirs:?} there", &ours[..len]));
    }
    let read = TensorDescriptor::decode(&ours[..len]).map_err(|e| format!("it reads: {e:?}"))?;
    let (view, _) = DescriptorView::parse(&ours[..len], &policy).map_err(|e| e.to_string())?;
    same(&view, &read)
}

fn note(plan: &Plan, seen: &mut BTreeMap<String, u32>) {
    let mut one = |what: String| *seen.entry(what).or_default() += 1;
    one(format!("type {:?}", plan.element_type));
    one(format!("rank {}", plan.shape.len()));
    let layout = format!("{:?}", plan.layout);
    let name = layout.split([' ', '(']).next().unwrap_or_default();
    one(format!("layout {name}"));
    if let LayoutPlan::Tiled(levels) = &plan.layout {
        one(format!("levels {}", levels.len()));
    }
    if let Some(scheme) = &plan.quantization {
        let scheme = format!("{scheme:?}");
        let name = scheme.split([' ', '(']).next().unwrap_or_default();
        one(format!("scheme {name}"));
    }
    let sections = [
        ("quantization", plan.quantization.is_some()),
        ("shard", plan.shard.is_some()),
        ("statistics", plan.statistics.is_some()),
        ("extension_type", plan.extension_type.is_some()),
        ("member_role", plan.member_role.is_some()),
    ];
    for (name, present) in sections {
        if present {
            one(format!("section {name}"));
        }
    }
    if let Some(handle) = plan.buffers.first() {
        one(format!("device {:?}", handle.device_tag));
    }
}
