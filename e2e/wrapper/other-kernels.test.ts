import { describe } from "bun:test";
import { needsRoot } from "@svc/testing";
import { describePlace } from "../harness/wrapper/describe-place.ts";
import { setStage } from "../harness/wrapper/stage.ts";

// Places that look like Linux, and in which `auto` takes another delivery method than `inject`
// (decision 0113). e2e/gvisor has one more.

const { environment, password } = setStage();

describePlace("in a PID namespace with the /proc of an outer one", {
  ...{ declare: needsRoot(describe), environment, password },
  before: ["unshare", "--pid", "--fork", "--kill-child"],
  reason: "/proc is that of another PID namespace: it shows this process as ",
});

describePlace("under qemu-user, which has no ptrace", {
  ...{ environment, password },
  before: [process.arch === "arm64" ? "qemu-aarch64-static" : "qemu-x86_64-static"],
  reason: "ptrace: ENOSYS",
  // On a busy machine once in some 200 starts, when it forks: docs/decisions/0094-plans-of-tests.md.
  crash: "qemu: uncaught target signal 11",
});
