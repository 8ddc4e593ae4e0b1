import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { runToProof } from "../harness/wrapper/run-to-proof.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, at } = setStage();

const wrong = { ...environment, SVC_ENV_MAP: "missing=X" };

test("the message goes through no symbolic link", async () => {
  const target = at("link-target");
  writeFileSync(target, "untouched");
  symlinkSync(target, at("link"));
  const ended = await runWrapper({
    program: ["/bin/true"],
    environment: { ...wrong, SVC_TERMINATION_LOG: at("link") },
  });
  expect(ended.exitCode).toBe(125);
  expect(readFileSync(target, "utf8")).toBe("untouched");
});

test("the message leaves a directory alone", async () => {
  mkdirSync(at("directory"));
  const settings = { ...wrong, SVC_TERMINATION_LOG: at("directory") };
  expect((await runWrapper({ program: ["/bin/true"], environment: settings })).exitCode).toBe(125);
});

test("the message leaves a named pipe without a reader alone", async () => {
  Bun.spawnSync(["mkfifo", at("pipe")]);
  const settings = { ...wrong, SVC_TERMINATION_LOG: at("pipe") };
  const ended = await runWrapper({ program: ["/bin/true"], environment: settings });
  expect(ended.exitCode).toBe(125);
  expect(ended.durationMs).toBeLessThan(60_000);
});

test("the message makes no file if there was none", async () => {
  const settings = { ...wrong, SVC_TERMINATION_LOG: at("not-made") };
  expect((await runWrapper({ program: ["/bin/true"], environment: settings })).exitCode).toBe(125);
  expect(existsSync(at("not-made"))).toBe(false);
});

test("the message holds at most the 4,096 bytes that the kubelet reads", async () => {
  const map = Array.from({ length: 300 }, (_, index) => `missing${index}=V${index}`).join(",");
  const { message, stderr } = await runToProof({
    environment: { ...environment, SVC_ENV_MAP: map },
  });
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
  expect(stderr).toContain("V299");
});

test("the message holds the problems of settings too", async () => {
  const { message } = await runToProof({
    environment: { ...environment, SVC_ROTATION: "retsart" },
  });
  expect(message).toContain("SVC_ROTATION");
});

const flagForms = [
  ["in one word", (file: string) => [`--termination-log=${file}`]],
  ["in two words", (file: string) => ["--termination-log", file]],
] as const;
for (const [name, words] of flagForms) {
  test(`the message goes to the path of the flag, ${name}, though settings are wrong`, async () => {
    const file = at(`flag-${name.replaceAll(" ", "-")}`);
    writeFileSync(file, "");
    const flags = [...words(file), "--rotation=retsart"];
    const ended = await runWrapper({ program: ["/bin/true"], flags, environment });
    expect(ended.exitCode).toBe(125);
    expect(readFileSync(file, "utf8")).toContain("SVC_ROTATION");
  });
}

test("the message is left alone when the program was started", async () => {
  const file = at("untouched-message");
  writeFileSync(file, "untouched");
  const settings = { ...environment, SVC_TERMINATION_LOG: file };
  await runWrapper({ program: [fixture("exits-with"), "3"], environment: settings });
  expect(readFileSync(file, "utf8")).toBe("untouched");
});
