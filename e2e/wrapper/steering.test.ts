import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, at } = setStage();

describe("variables of the runtime do not affect the wrapper, and reach the program", () => {
  const preload = at("preload.js");
  writeFileSync(preload, `require("fs").writeFileSync(${JSON.stringify(at("preloaded"))}, "")`);

  const variables: Readonly<Record<string, string>> = {
    BUN_OPTIONS: `--preload ${preload} --print 1`,
    BUN_BE_BUN: "1",
    BUN_INSPECT: "ws://127.0.0.1:0/steered?wait=1",
    BUN_INSPECT_PRELOAD: preload,
    BUN_INSPECT_NOTIFY: "unix:///nonexistent",
    BUN_CONFIG_VERBOSE_FETCH: "curl",
    BUN_DEBUG_QUIET_LOGS: "0",
    BUN_JSC_dumpOptions: "2",
    BUN_JSC_useJIT: "0",
    JSC_dumpOptions: "2",
    NODE_OPTIONS: `--require ${preload}`,
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    NODE_EXTRA_CA_CERTS: "/nonexistent",
    SSL_CERT_FILE: "/nonexistent",
    HTTP_PROXY: "http://127.0.0.1:1",
    http_proxy: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
    ALL_PROXY: "http://127.0.0.1:1",
    MIMALLOC_SHOW_STATS: "1",
    MIMALLOC_VERBOSE: "1",
    NO_COLOR: "1",
    FORCE_COLOR: "1",
    TZ: "Asia/Tokyo",
    LANG: "tr_TR.UTF-8",
  };
  for (const [name, value] of Object.entries(variables)) {
    test(name, async () => {
      const ended = await runWrapper({
        program: ["/bin/sh", "-c", 'printenv "$1"; printenv DB_PASSWORD', "sh", name],
        environment: { ...environment, [name]: value },
      });
      expect(ended).toMatchObject({ exitCode: 0, stdout: Buffer.from(`${value}\n${password}\n`) });
      expect(linesThatAreNotOurs(ended.stderr)).toEqual([]);
      expect(await Bun.file(at("preloaded")).exists()).toBe(false);
    });
  }

  const files: Readonly<Record<string, string>> = {
    ".env": "VAULT_ADDR=http://127.0.0.1:1\nFROM_FILE=1\nSVC_LOG_LEVEL=debug\n",
    ".env.local": "FROM_FILE=1\n",
    ".env.production": "FROM_FILE=1\n",
    "bunfig.toml": `preload = [${JSON.stringify(preload)}]\n[run]\nbun = true\n`,
    "tsconfig.json": '{"extends": "./nowhere", "compilerOptions": {"paths": {"*": ["./x/*"]}}}',
    "package.json": "{ this is no JSON",
    "jsconfig.json": "{ nor this",
    ".npmrc": "registry=http://127.0.0.1:1\n",
  };
  for (const [name, content] of Object.entries(files)) {
    test(`${name} in the working directory`, async () => {
      using place = temporaryFolder();
      writeFileSync(join(place.path, name), content);
      const ended = await runWrapper({
        program: ["/bin/sh", "-c", 'printenv DB_PASSWORD; printenv FROM_FILE || echo "no file"'],
        environment,
        folder: place.path,
      });
      expect(ended).toMatchObject({ exitCode: 0, stdout: Buffer.from(`${password}\nno file\n`) });
      expect(linesThatAreNotOurs(ended.stderr)).toEqual([]);
      expect(await Bun.file(at("preloaded")).exists()).toBe(false);
    });
  }

  test("the words of a runtime on the command line are flags of the wrapper's and refused", async () => {
    const { exitCode, stderr } = await runWrapper({
      flags: ["-e", "1", "--eval=1", "run", "--preload", preload],
      program: ["/bin/true"],
      environment,
    });
    expect(exitCode).toBe(125);
    expect(stderr).toContain("SETTINGS_INVALID");
  });

  /** Everything that the wrapper itself prints is a JSON line with a component. */
  function linesThatAreNotOurs(stderr: string): readonly string[] {
    return stderr.split("\n").filter((line) => {
      if (line === "") return false;
      try {
        const parsed: unknown = JSON.parse(line);
        return !(typeof parsed === "object" && parsed !== null && "component" in parsed);
      } catch {
        return true;
      }
    });
  }
});
