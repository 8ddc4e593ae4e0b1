//! `src/agent/messages.rs` is the code that formats/proto/svc/agent/v1/agent.proto generates.
//!
//! After a change of that: `SVC_GENERATE=1 cargo test -p svc-network --test agent_messages`.

use std::{env, fs, path::Path};

#[test]
fn the_messages_are_those_of_the_proto_file() {
    // When it runs: another checkout may have compiled it.
    let here = env::var_os("CARGO_MANIFEST_DIR").expect("the folder of the crate");
    let here = Path::new(&here);
    let proto = here.join("../../formats/proto");
    let described = protox::compile(["svc/agent/v1/agent.proto"], [proto]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    prost_build::Config::new()
        .out_dir(directory.path())
        .format(true)
        .compile_fds(described)
        .unwrap();
    let made = fs::read_to_string(directory.path().join("svc.agent.v1.rs")).unwrap();
    let kept = here.join("src/agent/messages.rs");
    if env::var_os("SVC_GENERATE").is_some() {
        fs::write(&kept, &made).unwrap();
    }
    assert!(fs::read_to_string(kept).unwrap() == made, "run it with SVC_GENERATE=1");
}
