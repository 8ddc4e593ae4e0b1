import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildPreload } from "../build/preload.ts";
import { buildEngineWrapper, engineWrapper } from "./build-wrapper.ts";
import { checkEngine } from "./check-engine.ts";
import { run } from "./run.ts";

// Tests the small engine: its crates (format and lint, too), the wrapper's unit tests on it, the wrapper's stories with it.

const root = resolve(import.meta.dir, "../..");
const STORIES = ["e2e/wrapper", "e2e/lifecycle"];

checkEngine();
run([process.execPath, join(root, "scripts/engine/test-on-engine.ts")]);
await buildEngineWrapper("quick");
mkdirSync(join(root, "dist/engine/lib"), { recursive: true });
copyFileSync(buildPreload(root), join(root, "dist/engine/lib/libsvc-preload.so"));
run([process.execPath, "test", ...STORIES, "--timeout", "180000"], {
  SVC_TEST_WRAPPER: engineWrapper,
});
