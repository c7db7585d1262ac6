//! The vectors, as the program sees them: every verdict, rule and field.

use serde_json::Value;

use crate::run;

const ROOT: &str = "tests/vectors";

const FAMILIES: [&str; 4] = ["descriptors", "streams", "messages", "files"];

pub fn cases(family: &str) -> Vec<Value> {
    let path = format!("{}/{ROOT}/{family}.json", env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&manifest).unwrap()
}

pub fn path(case: &Value) -> String {
    format!("{ROOT}/{}", case["file"].as_str().unwrap())
}

/// What the program calls the kind.
fn kind(case: &Value) -> &str {
    match case["kind"].as_str().unwrap() {
        "message" => "messages",
        kind => kind,
    }
}

/// The options under which the verdict of a case holds.
pub fn options(case: &Value) -> Vec<String> {
    let mut options = vec!["--kind".into(), kind(case).into()];
    if kind(case) == "messages" {
        for (option, field) in [
            ("--sender", "sender"),
            ("--scope", "scope"),
            ("--max-message-size", "receiver_max_message_size"),
            ("--peer-version", "peer_protocol_version"),
        ] {
            let value = &case[field];
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            options.extend([option.into(), text]);
        }
    }
    if case["mode"] == "permissive" {
        options.push("--permissive".into());
    }
    for what in case["agreement"].as_array().into_iter().flatten() {
        options.extend(["--agree".into(), what.as_str().unwrap().into()]);
    }
    if let Some(transport) = case["transport"].as_str() {
        options.extend(["--transport".into(), transport.into()]);
    }
    options
}

fn call(command: &[&str], case: &Value) -> crate::Run {
    let (options, path) = (options(case), path(case));
    let mut args = command.to_vec();
    args.extend(options.iter().map(String::as_str));
    args.push(&path);
    run(&args)
}

/// Whether `got` has everything that `want` says; bit patterns are numbers in hex.
fn holds(want: &Value, got: &Value) -> Result<(), String> {
    match (want, got) {
        // manifests shorten long strings of one character
        (Value::Object(fields), Value::String(got)) if fields.contains_key("repeat") => {
            let (text, times) = (fields["repeat"].as_str(), fields["times"].as_u64());
            let text = text.unwrap().repeat(times.unwrap() as usize);
            if *got == text {
                Ok(())
            } else {
                Err("another text".into())
            }
        }
        (Value::Object(fields), Value::Object(_)) => {
            let short = want["members_listed"] == "first and last only";
            for (name, want) in fields.iter().filter(|(name, _)| *name != "members_listed") {
                let got = got.get(name).ok_or_else(|| format!("no {name}"))?;
                let got = match got.as_array() {
                    Some(all) if short && name == "members" => {
                        &Value::from(vec![all[0].clone(), all[all.len() - 1].clone()])
                    }
                    _ => got,
                };
                holds(want, got).map_err(|why| format!("{name}.{why}"))?;
            }
            Ok(())
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .enumerate()
            .try_for_each(|(k, (want, got))| holds(want, got).map_err(|why| format!("{k}.{why}"))),
        _ if want == got => Ok(()),
        _ => Err(format!("{got}, want {want}")),
    }
}

#[test]
fn verdicts_and_rules() {
    for case in FAMILIES.iter().flat_map(|family| cases(family)) {
        // rules about what buffers hold break only where they are asked for, and nothing else breaks them
        let looks = kind(&case) != "messages";
        let content = looks && (case["verdict"] == "accept" || case["level"] == "content");
        let command = ["check", "--json", "--content"];
        let run = call(&command[..2 + usize::from(content)], &case);
        if content {
            assert_eq!(call(&command[..2], &case).status, 0, "{}", case["id"]);
        }
        let line = &run.lines()[0];
        assert_eq!(line["verdict"], case["verdict"], "{}: {line}", case["id"]);
        assert_eq!(
            run.status,
            i32::from(case["verdict"] == "reject"),
            "{}",
            case["id"]
        );
        if case["verdict"] == "reject" {
            let rules = case["format_rules"].as_array().unwrap();
            assert!(rules.contains(&line["rule"]), "{}: {line}", case["id"]);
            let offset = line["offset"].as_u64().unwrap();
            assert!(
                offset <= case["size"].as_u64().unwrap(),
                "{}: {line}",
                case["id"]
            );
        }
    }
}

#[test]
fn fields() {
    let mut seen = 0;
    for case in FAMILIES.iter().flat_map(|family| cases(family)) {
        if case["verdict"] == "accept" {
            let run = call(&["inspect", "--json", "--digest"], &case);
            let shown = run.json();
            assert_eq!(
                (run.status, shown["kind"].as_str()),
                (0, Some(kind(&case))),
                "{}",
                case["id"]
            );
            if let Err(why) = holds(&case["expect"], &shown["value"]) {
                panic!("{}: {why}", case["id"]);
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 205 + 47 + 46 + 46);
}
