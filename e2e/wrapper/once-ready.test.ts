import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { certificateAuthority, freePort, waitFor } from "@svc/testing";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import {
  type Ended,
  type Launch,
  type RunningWrapper,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

const { environment, at } = setStage();
const argv = fixture("prints-argv");
const sealed = { VAULT_TOKEN: "", VAULT_AUTH_METHOD: "token" };
const pair = { SVC_BROKER_TLS_CERT: at("cert.pem"), SVC_BROKER_TLS_KEY: at("key.pem") };

/** A probe: the kubelet gives it the variables of the container. */
function probe(variables: Launch["environment"], words: readonly string[], more: Launch = {}) {
  const instead = [wrapperPath, "--once-ready", ...words];
  return runWrapper({ ...more, environment: { ...variables }, instead });
}

/** Its one line. */
function said({ stderr }: Ended): string {
  const [line = "", ...rest] = stderr.split("\n");
  expect(rest).toEqual([""]);
  return line;
}

async function beginning(
  more: object,
  host = "127.0.0.1",
): Promise<readonly [RunningWrapper, Launch["environment"]]> {
  const variables = { ...environment, HEALTH_ADDR: `${host}:${freePort()}`, ...more };
  const program = [fixture("waits")];
  return [await startWrapper({ program, environment: variables }), variables];
}

beforeAll(async () => {
  const { certificatePem, keyPem } = await (await certificateAuthority()).issue();
  writeFileSync(at("cert.pem"), certificatePem);
  writeFileSync(at("key.pem"), keyPem);
});

// One after the other: a running wrapper keeps one of the slots that its probes need.
describe("the command of a probe", () => {
  const states: Readonly<Record<string, readonly [more: object, status: string]>> = {
    "a vault that does not answer": [{ VAULT_ADDR: "http://127.0.0.1:1" }, "starting: "],
    "a token": [sealed, "sealed: "],
    "a token, by TLS": [{ ...sealed, ...pair }, "sealed: "],
  };
  for (const [what, [more, status]] of Object.entries(states)) {
    test(`does not run while the wrapper waits for ${what}`, async () => {
      const [wrapper, variables] = await beginning(more);
      await using _wrapper = wrapper;
      await wrapper.says("health server listens");
      // A wrapper that seals itself hands the port over, and connections are refused for a moment.
      const ended = await waitFor(
        async () => {
          const asked = await probe(variables, ["--", argv]);
          return asked.stderr.includes("ECONNREFUSED") ? undefined : asked;
        },
        { deadlineMs: 10_000, what: "an answer" },
      );
      expect([ended.exitCode, ended.stdout.toString()]).toEqual([1, ""]);
      expect((await probe(variables, [])).exitCode).toBe(1);
      expect(said(ended)).toMatch(/^svc-wrapper: --once-ready: GET https?:.*\/readyz: 503: /);
      expect(said(ended)).toContain(`503: ${status}`);
    });
  }

  const transports: Readonly<Record<string, readonly [more: object, host?: string]>> = {
    "plain HTTP": [{}],
    TLS: [pair],
    IPv6: [{}, "[::1]"],
    "every address": [{}, ""],
  };
  for (const [what, [more, host]] of Object.entries(transports)) {
    test(`runs once the program does, by ${what}`, async () => {
      const [wrapper, variables] = await beginning(more, host);
      await using _wrapper = wrapper;
      await wrapper.prints("ready");
      const isRunning = async () => (await probe(variables, [])).exitCode === 0;
      await waitFor(isRunning, { deadlineMs: 10_000, what: "the program" });
      const { exitCode, stdout, stderr } = await probe(variables, [
        "--",
        argv,
        "a b",
        "",
        "--",
        "-x",
      ]);
      expect([exitCode, stdout.toString(), stderr]).toEqual([0, "a b\0\0--\0-x\0", ""]);
    });
  }
});

describe("a probe without a wrapper that answers", () => {
  const cases: Readonly<Record<string, readonly [address: string, line: string]>> = {
    "whose port is free": ["127.0.0.1:1", "GET http://127.0.0.1:1/readyz: ECONNREFUSED"],
    "that is off": ["off", "HEALTH_ADDR: must be the address of the wrapper's health server"],
    "that has any free port": ["127.0.0.1:0", "HEALTH_ADDR: must be the address of the wrapper's"],
    "whose address is not an address": ["8199", "HEALTH_ADDR: must be an address to listen on"],
  };
  for (const [what, [HEALTH_ADDR, line]] of Object.entries(cases)) {
    test.concurrent(`${what} fails`, async () => {
      const ended = await probe({ HEALTH_ADDR }, ["--", argv]);
      expect([ended.exitCode, ended.stdout.toString()]).toEqual([1, ""]);
      expect(said(ended)).toStartWith(`svc-wrapper: --once-ready: ${line}`);
    });
  }

  test.concurrent("that is silent fails after two seconds", async () => {
    using silent = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: () => undefined },
    });
    const ended = await probe({ HEALTH_ADDR: `:${silent.port}` }, ["--", argv]);
    expect([ended.exitCode, ended.durationMs < 10_000]).toEqual([1, true]);
    expect(said(ended)).toEndWith("/readyz: no answer within 2 s");
  });

  test.concurrent("that redirects is not followed", async () => {
    const fetch = () => new Response(null, { status: 302, headers: { location: "/healthz" } });
    await using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    const ended = await probe({ HEALTH_ADDR: `:${other.port}` }, ["--", argv]);
    expect(ended.exitCode).toBe(1);
    expect(said(ended)).toEndWith("/readyz: 302");
  });

  const lines = {
    "no command after the dashes": ["--"],
    "no dashes": [argv],
    flags: ["--x", "--", argv],
  };
  for (const [what, words] of Object.entries(lines)) {
    test.concurrent(`and with ${what} fails`, async () => {
      const ended = await probe({}, words);
      expect([ended.exitCode, ended.stdout.toString()]).toEqual([1, ""]);
      expect(said(ended)).toContain("must be the last word, or be followed by -- and a command");
    });
  }
});

describe("behind a wrapper that is ready", () => {
  const ready = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("{}") });
  afterAll(() => ready.stop());
  const variables = { HEALTH_ADDR: `:${ready.port}` };

  const failures: Readonly<Record<string, readonly [command: string, exitCode: number]>> = {
    "that is nowhere in PATH": ["no-such-program", 127],
    "that is not a file": ["/no/such/program", 127],
    "whose interpreter is missing": [at("no-interpreter"), 127],
    "that is a folder": ["/", 126],
    "that may not be executed": [at("plain"), 126],
    "that is not a program": [at("garbage"), 126],
  };
  writeFileSync(at("no-interpreter"), "#!/no/such/interpreter\n", { mode: 0o755 });
  writeFileSync(at("plain"), "");
  writeFileSync(at("garbage"), "\x7fELF");
  chmodSync(at("garbage"), 0o755);
  for (const [what, [command, exitCode]] of Object.entries(failures)) {
    test.concurrent(`a command ${what} gives ${exitCode}`, async () => {
      const ended = await probe(variables, ["--", command]);
      expect(ended.exitCode).toBe(exitCode);
      expect(said(ended)).toStartWith(`svc-wrapper: --once-ready: start "${command}": `);
    });
  }

  test.concurrent("no command gives 0, and says nothing", async () => {
    const { exitCode, stdout, stderr } = await probe(variables, []);
    expect([exitCode, stdout.toString(), stderr]).toEqual([0, "", ""]);
  });

  test.concurrent("a command gets its words and its environment to the byte", async () => {
    const script =
      'exec "$1" --once-ready -- "$2" "$(printf "\\377\\376")" "$(printf "\\357\\273\\277--")"';
    const words = ["sh", "-c", script, "sh", wrapperPath, argv];
    const { exitCode, stdout } = await runWrapper({ environment: variables, instead: words });
    expect([exitCode, stdout.toString("latin1")]).toEqual([0, "\xff\xfe\0\xef\xbb\xbf--\0"]);
  });

  test.concurrent("a command finds every variable, in its order", async () => {
    const given = { ...environment, BUN_OPTIONS: "--version", LD_X: "1", EMPTY: "", ...variables };
    const program = fixture("prints-env");
    const [bare, asked] = await Promise.all([
      runWrapper({ environment: given, instead: [program] }),
      probe(given, ["--", program]),
    ]);
    const entries = ({ stdout }: Ended) => {
      // Each run of these tests has its own mark.
      return stdout
        .toString()
        .split("\0")
        .filter((entry) => !/^[^=]*MARK/i.test(entry));
    };
    expect(entries(asked)).toEqual(entries(bare));
    expect(entries(asked)).toContain("BUN_OPTIONS=--version");
  });

  const surroundings: Readonly<Record<string, readonly string[]>> = {
    "in plain surroundings": [],
    "with signals ignored and blocked": ["-i", "1", "-i", "13", "-b", "10"],
    "with a lowered limit": ["-l", "nofile=512"],
    "with descriptors 3 and 7": ["-o", "3=/dev/null", "-o", "7=/dev/null"],
    "without standard input and error": ["-c", "0", "-c", "2"],
  };
  for (const [what, startsAs] of Object.entries(surroundings)) {
    test.concurrent(`a command has the same surroundings as without --once-ready, ${what}`, async () => {
      const program = fixture("prints-state");
      const state = async (run: (variables: Launch["environment"]) => Promise<Ended>) => {
        const file = at(`state-${crypto.randomUUID()}`);
        writeFileSync(file, "");
        const { exitCode, stderr } = await run({ ...variables, STATE_FILE: file });
        expect(exitCode, stderr).toBe(0);
        const found: unknown = JSON.parse(readFileSync(file, "utf8"));
        return found;
      };
      const launch = { startsAs, instead: [program] };
      const bare = await state((given) => runWrapper({ ...launch, environment: { ...given } }));
      const asked = await state((given) => probe(given, ["--", program], { startsAs }));
      expect(asked).toEqual(bare);
    });
  }
});
