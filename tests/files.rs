//! Hostile containers: a typed error inside the input or the right result, the same as a reader written
//! from the rules alone, and no panic.

mod support;

mod files {
    mod changes;
    mod composites;
    mod entries;
    mod names;
    mod numbers;
    mod permissive;
    mod random;
    mod readers;
    mod samples;
    mod scratch;
    mod sweep;

    use hrry::Policy;

    const MODES: [Policy; 2] = [Policy::STRICT, Policy::PERMISSIVE];
}
