/**
 * Compiles formats/proto/ into packages/agent-protocol/src/generated:
 * `bun scripts/generate-protocol.ts`. To be run when formats/proto/ has changed. Not a part of
 * scripts/generate.ts: only this script needs the compiler, which has 93 MB. A test compares the
 * digest that this leaves with the sources.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const tools = {
  "@bufbuild/buf": "1.75.0",
  "@bufbuild/protobuf": "2.17.0",
  "@bufbuild/protoc-gen-es": "2.17.0",
} as const;
const root = join(import.meta.dirname, "..");
const generated = join(root, "packages/agent-protocol/src/generated");
const plugin = "node_modules/@bufbuild/protoc-gen-es/bin/protoc-gen-es";

const folder = mkdtempSync(join(tmpdir(), "svc-proto-"));
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: tools }));
  run([process.execPath, "install", "--ignore-scripts"]);
  const compile = { local: [process.execPath, plugin], out: generated, opt: ["target=js+dts"] };
  const template = JSON.stringify({ version: "v2", plugins: [compile] });
  const buf = join("node_modules/@bufbuild", `buf-linux-${process.arch}`, "bin/buf");
  // The others are interfaces of Kubernetes', with its names.
  run([buf, "lint", join(root, "formats/proto"), "--path", join(root, "formats/proto/svc")]);
  run([buf, "generate", join(root, "formats/proto"), "--template", template]);
  for (const path of new Bun.Glob("**/*.proto").scanSync(join(root, "formats/proto"))) {
    const digest = createHash("sha256")
      .update(readFileSync(join(root, "formats/proto", path)))
      .digest("hex");
    writeFileSync(join(generated, `${basename(path)}.sha256`), `${digest}\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function run(cmd: readonly string[]): void {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...cmd], { cwd: folder });
  if (exitCode === 0) return;
  throw new Error(`compile proto: ${cmd[0]}: ${stdout.toString()}${stderr.toString()}`);
}
