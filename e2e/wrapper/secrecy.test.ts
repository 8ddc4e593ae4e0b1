import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, freePort, needsRoot, runsAsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import {
  childrenOf,
  commandLineOf,
  environOf,
  ownerOf,
} from "../harness/processes/process-facts.ts";
import { unprivileged, unprivilegedUser } from "../harness/processes/unprivileged.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import {
  type Launch,
  type RunningWrapper,
  runWrapper,
  startWrapper,
} from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 180_000;
const jwt = canary();
const nullNeighbour = canary();
const withNul = canary();
const reference = `vault:${canary()}`;

const { store, environment, password } = oneSecretStore({
  secrets: {
    "secret/data/large": { password: withNul.repeat(10_000) },
    "secret/data/odd": {
      nothing: null,
      neighbour: nullNeighbour,
      nul: `${withNul}\0after`,
      reference,
      "not a name": nullNeighbour,
    },
  },
  kubernetes: {
    jwt,
    serviceAccount: { name: "app", namespace: "shop" },
    roles: {
      app: {
        boundServiceAccountNames: ["app"],
        boundServiceAccountNamespaces: ["shop"],
        policies: ["root"],
      },
      other: {
        boundServiceAccountNames: ["other"],
        boundServiceAccountNamespaces: ["shop"],
        policies: [],
      },
    },
  },
});
// A supervisor and a courier are not dumpable: only root reads their memory and environment.
const rootTest = needsRoot(test);
const secrets = [store.token, password, jwt, nullNeighbour, withNul, reference];
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
writeFileSync(at("jwt"), jwt);
writeFileSync(at("token"), store.token);
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

test("the search finds the value in every form and at every offset", () => {
  const secret = canary();
  for (const prefix of ["", "a", "ab", "abc"]) {
    const text = Buffer.from(`${prefix}${secret}${prefix}`);
    expect(leaksIn(text.toString("base64"), [secret])).toEqual([`${secret} as base64`]);
    expect(leaksIn(text.toString("hex"), [secret])).toEqual([`${secret} as hex`]);
    expect(leaksIn(text, [secret])).toEqual([`${secret} as it is`]);
  }
  expect(leaksIn(canary(), [secret])).toEqual([]);
});

describe("nothing that the wrapper prints holds a token or a value", () => {
  const kubernetes = {
    VAULT_TOKEN: "",
    VAULT_AUTH_ROLE: "app",
    SVC_AUTH_JWT_PATH: at("jwt"),
  };
  const odd = (map: string) => ({ SVC_SECRET_PATHS: "secret/data/odd", SVC_ENV_MAP: map });
  const cases: Readonly<Record<string, Launch["environment"] & object>> = {
    "success by env": { SVC_DELIVERY: "env" },
    "success by library": { SVC_DELIVERY: "library" },
    "success with a token file": { VAULT_TOKEN: "", VAULT_TOKEN_FILE: at("token") },
    "success with a kubernetes login": kubernetes,
    "a login that is refused": { ...kubernetes, VAULT_AUTH_ROLE: "other" },
    "a login with a role that does not exist": { ...kubernetes, VAULT_AUTH_ROLE: "nobody" },
    "a login at a mount that does not exist": { ...kubernetes, VAULT_AUTH_MOUNT_PATH: "nowhere" },
    "a missing path": { SVC_SECRET_PATHS: "secret/data/missing" },
    "a missing field": { SVC_ENV_MAP: "passwort=DB_PASSWORD" },
    "a value that is null": odd("nothing=A,neighbour=B"),
    "a value with a NUL byte": odd("nul=A,neighbour=B"),
    "a value that is a reference": odd("reference=A,neighbour=B"),
    "a name that makes no variable": odd("*=*"),
    "a field that is delivered twice": {
      SVC_SECRET_PATHS: "secret/data/app,secret/data/app",
      SVC_ENV_MAP: "*=*;*=*",
    },
    "settings that are wrong": { SVC_ROTATION: "retsart", VAULT_ADDR: "nowhere" },
    "the token in the place of an address": { VAULT_CACERT: at("token") },
    "an unreachable vault": {
      VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
      SVC_START_DEADLINE: "200ms",
    },
    "a vault that speaks TLS by name only": {
      VAULT_ADDR: store.address.replace("http:", "https:"),
      SVC_START_DEADLINE: "200ms",
    },
    "a program that does not exist": { SVC_ORIGINAL_CMD: "/nonexistent" },
    "a value that does not fit": { SVC_SECRET_PATHS: "secret/data/large", SVC_DELIVERY: "env" },
  };
  for (const [what, more] of Object.entries(cases)) {
    test.concurrent(
      what,
      async () => {
        const message = at(`message-${crypto.randomUUID()}`);
        writeFileSync(message, "");
        const settings = { SVC_ORIGINAL_CMD: fixture("exits-with"), SVC_LOG_LEVEL: "debug" };
        const ended = await runWrapper({
          environment: { ...environment, ...settings, SVC_TERMINATION_LOG: message, ...more },
        });
        expect(ended.exitCode === 0, ended.stderr).toBe(what.startsWith("success"));
        const printed = [ended.stderr, ended.stdout.toString(), readFileSync(message, "utf8")];
        expect(leaksIn(printed.join("\n"), secrets)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  // Answers that hold secrets in places that the client does not read.
  const answers: Readonly<Record<string, (secret: string) => Response>> = {
    "JSON that is cut off": (secret) => new Response(`{"data":{"data":{"password":"${secret}"`),
    "text that is not JSON": (secret) => new Response(`password: ${secret}`),
    "an error that quotes the request": (secret) =>
      Response.json({ errors: [`denied for ${secret}`] }, { status: 403 }),
    "an error that is not JSON": (secret) => new Response(`<p>${secret}</p>`, { status: 502 }),
    "a warning that quotes a value": (secret) =>
      Response.json({ data: null, warnings: [secret] }, { status: 404 }),
    "a redirect that carries a value": (secret) =>
      new Response(null, { status: 307, headers: { location: `http://127.0.0.1:1/${secret}` } }),
    "data of the wrong kind": (secret) => Response.json({ data: { data: [secret] } }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    test.concurrent(
      `an answer of ${what}`,
      async () => {
        await using server = Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: (request) => answer(request.headers.get("x-vault-token") ?? "no token"),
        });
        const ended = await runWrapper({
          program: ["/bin/true"],
          environment: {
            ...environment,
            VAULT_ADDR: server.url.origin,
            SVC_START_DEADLINE: "200ms",
            SVC_LOG_LEVEL: "debug",
          },
        });
        expect(ended.exitCode).toBe(125);
        expect(leaksIn(ended.stderr, secrets)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }
});

describe("the supervisor holds neither the token nor a value while the program runs", () => {
  rootTest("and the search through its memory finds its present values", async () => {
    await using wrapper = await running({
      FIND_ME: "in the environment block of both",
      SVC_DELIVERY: "env",
    });
    const program = childrenOf(wrapper.pid)[0] ?? 0;
    expect(findInMemory(wrapper.pid, [store.address])).toEqual([store.address]);
    expect(findInMemory(program, [password])).toEqual([password]);
  });

  const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    VAULT_TOKEN: {},
    "a token file": { VAULT_TOKEN: "", VAULT_TOKEN_FILE: at("token") },
    "a kubernetes login": {
      VAULT_TOKEN: "",
      VAULT_AUTH_ROLE: "app",
      SVC_AUTH_JWT_PATH: at("jwt"),
    },
  };
  for (const [way, more] of Object.entries(ways)) {
    for (const delivery of ["env", "library", "inject"]) {
      rootTest(
        `token by ${way}, delivery by ${delivery}`,
        async () => {
          await using proxy = recordingProxy(store.address);
          await using wrapper = await running({
            ...more,
            VAULT_ADDR: proxy.address,
            SVC_DELIVERY: delivery,
          });
          const issued = proxy.issuedTokens();
          expect(issued).toHaveLength(way === "a kubernetes login" ? 1 : 0);
          const all = [...secrets, ...issued];
          expect(findInMemory(wrapper.pid, all)).toEqual([]);
          expect(leaksIn(environOf(wrapper.pid), all)).toEqual([]);
          expect(leaksIn(commandLineOf(wrapper.pid), all)).toEqual([]);
          expect(leaksIn(wrapper.stderr(), all)).toEqual([]);
          expect(leaksIn(await healthAnswers(wrapper), all)).toEqual([]);
        },
        TIMEOUT_MS,
      );
    }
  }

  test("by library the program's environment holds no value, and by env it does", async () => {
    for (const [delivery, found] of [
      ["library", []],
      ["env", [`${password} as it is`]],
    ] as const) {
      await using wrapper = await running({ SVC_DELIVERY: delivery });
      const program = childrenOf(wrapper.pid)[0] ?? 0;
      expect(leaksIn(environOf(program), secrets)).toEqual(found);
    }
  });
});

rootTest(
  "a courier that waits for the vault shows no token, and neither does its supervisor",
  async () => {
    const environmentOfOutage = {
      ...environment,
      VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
      SVC_LOG_LEVEL: "debug",
    };
    await using wrapper = await startWrapper({
      program: ["/bin/true"],
      environment: environmentOfOutage,
    });
    await wrapper.says("retryInMs");
    const courier = childrenOf(wrapper.pid)[0] ?? 0;
    expect(commandLineOf(courier).toString()).toStartWith("svc-courier\0");
    for (const pid of [courier, wrapper.pid]) {
      expect(environOf(pid).includes("SVC_SECRET_PATHS")).toBe(true);
      expect(leaksIn(environOf(pid), secrets)).toEqual([]);
      expect(leaksIn(commandLineOf(pid), secrets)).toEqual([]);
    }
    expect(findInMemory(wrapper.pid, secrets)).toEqual([]);
  },
);

test("supervisor and courier cannot be dumped or read by their own user, the program can", async () => {
  await using waiting = await startWrapper({
    startsAs: unprivileged,
    program: ["/bin/true"],
    environment: { ...environment, VAULT_ADDR: `http://127.0.0.1:${freePort()}` },
  });
  await waiting.says("retryInMs");
  await using wrapper = await startWrapper({
    startsAs: unprivileged,
    program: ["/bin/sh", "-c", "echo ready; exec sleep 60"],
    environment,
  });
  await wrapper.prints("ready");
  const [courier = 0, program = 0] = [waiting, wrapper].map(({ pid }) => childrenOf(pid)[0] ?? 0);
  for (const pid of [wrapper.pid, waiting.pid, courier]) {
    expect(ownerOf(pid)).toBe(0);
    expect(readableByItsUser(pid)).toBe(false);
  }
  expect(ownerOf(program)).toBe(unprivilegedUser);
  expect(readableByItsUser(program)).toBe(true);
});

function readableByItsUser(pid: number): boolean {
  const ids = [`--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, "--clear-groups"];
  const asUser = runsAsRoot() ? ["setpriv", ...ids] : [];
  const { exitCode } = Bun.spawnSync([...asUser, "head", "-c1", `/proc/${pid}/environ`]);
  return exitCode === 0;
}

async function running(more: Readonly<Record<string, string>>): Promise<RunningWrapper> {
  const wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: { ...environment, SVC_LOG_LEVEL: "debug", ...more },
  });
  await wrapper.prints("ready");
  return wrapper;
}

async function healthAnswers(wrapper: RunningWrapper): Promise<string> {
  const port = await waitFor(
    () => /"health server listens".*"port":(\d+)/.exec(wrapper.stderr())?.[1],
    { deadlineMs: 5000, what: "the health server" },
  );
  const answers = ["/healthz", "/readyz", "/metrics", "/v1/unseal", "/nowhere"].map(
    async (path) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${JSON.stringify([...answer.headers])}${await answer.text()}`;
    },
  );
  return (await Promise.all(answers)).join("\n");
}
