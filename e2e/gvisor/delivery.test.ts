import { describe } from "bun:test";
import { cacheFolder, needsRoot } from "@svc/testing";
import { runscProgram } from "../../scripts/runsc/runsc-release.ts";
import { describePlace } from "../harness/wrapper/describe-place.ts";
import { setStage } from "../harness/wrapper/stage.ts";

const { environment, password } = setStage();

describePlace("under gVisor", {
  ...{ declare: needsRoot(describe), environment, password },
  before: [
    runscProgram(cacheFolder(process.env)),
    // The files and the network are those of this machine, for a container's own take root's tools.
    ...["--rootless", "--network=host", "--ignore-cgroups", "do", "--"],
  ],
  reason: "the kernel reports stops of traced processes otherwise than Linux",
});
