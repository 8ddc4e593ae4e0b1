import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { needsRoot, waitFor } from "@svc/testing";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { childrenOf, environOf, stateOf } from "../harness/processes/process-facts.ts";
import { unprivileged, unprivilegedUser } from "../harness/processes/unprivileged.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { goVariant, libraryVariant, variantOf } from "../harness/programs/program-variants.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const { environment: common, password, store, at } = setStage();
// These stories are about following; if no filter may be set, `auto` takes the interposer.
const environment = { ...common, SVC_DELIVERY: "inject" };
const traced = { ...environment, SVC_FOLLOW: "trace" };
const NOBODY = "65534";
const holds = `holds ${password.length}\n`;
// Also other users run programs from here.
chmodSync(dirname(at("program")), 0o755);
const program = copyOf(variantOf("glibc, dynamic"), 0o755);
const staticProgram = copyOf(variantOf("musl, static"), 0o755);
const entrypoint = script('#!/bin/sh\nset -e\nls / >/dev/null\nexec "$@"\n');
const bashEntrypoint = script('#!/bin/bash\nexport ADDED="$DB_PASSWORD"\nexec "$@"\n');

describe("a program that the program executes has its values in the region:", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "sh -c": ["sh", "-c", program],
    "sh -c that stays": ["sh", "-c", `${program}; exit $?`],
    "bash -c": ["bash", "-c", program],
    "zsh -c": ["zsh", "-c", `${program}; exit $?`],
    "busybox sh -c": ["busybox", "sh", "-c", `${program}; exit $?`],
    "an entrypoint script": [entrypoint, program],
    env: ["env", "ADDED=1", program],
    "nice and timeout": ["nice", "timeout", "30", program],
    xargs: ["xargs", "-a", "/dev/null", program],
    tini: ["tini", "-s", "--", program],
    "dumb-init": ["dumb-init", "--", program],
    catatonit: ["catatonit", "--", program],
    "a subshell in the background": ["sh", "-c", `(${program}) & wait $!`],
    "a pipeline": ["sh", "-c", `true | ${program}`],
    "many, one behind the other": [
      ...["tini", "-s", "--", entrypoint, "nice", "sh", "-c", 'exec env "$0"', staticProgram],
    ],
    "a static Go program": [entrypoint, goVariant()],
  };
  const changesUser: typeof rows = {
    "su-exec's kind, in C": ["setpriv", "--reuid", NOBODY, "--clear-groups", program],
    "gosu, in Go": ["/usr/sbin/gosu", "nobody", program],
  };
  for (const [name, words] of Object.entries({ ...rows, ...changesUser })) {
    const declare = name in changesUser ? needsRoot(test.concurrent) : test.concurrent;
    declare(name, async () => {
      const { stdout, stderr } = await runWrapper({ program: words, environment });
      expectProtected(shownDelivery(stdout, stderr));
      const by = await runWrapper({ program: words, environment: traced });
      expectProtected(shownDelivery(by.stdout, by.stderr), "traced");
    });
  }

  test.concurrent("without any capability", async () => {
    const { stdout, stderr } = await runWrapper({
      program: ["sh", "-c", `nice ${program}; exit $?`],
      environment,
      startsAs: unprivileged,
    });
    expectProtected(shownDelivery(stdout, stderr), "traced");
  });

  // It makes a PID namespace.
  needsRoot(test.concurrent)(
    "as the first process of its namespace, in the background",
    async () => {
      const { stdout, stderr } = await runWrapper({
        program: ["dumb-init", entrypoint, program],
        environment,
        firstProcess: true,
      });
      expectProtected(shownDelivery(stdout, stderr));
    },
  );
});

describe("a variable stays as a shell has made it:", () => {
  const rows: Readonly<Record<string, { words: string[]; found: string | undefined }>> = {
    "a value that it changed": {
      words: ["sh", "-c", `export DB_PASSWORD=changed; exec ${program}`],
      found: "changed",
    },
    "a value that it lengthened": {
      words: ["bash", "-c", `export DB_PASSWORD="$DB_PASSWORD-more"; exec ${program}`],
      found: `${password}-more`,
    },
    "a variable that it took away": {
      words: ["env", "-u", "DB_PASSWORD", program],
      found: undefined,
    },
    "its own environment": { words: ["env", "-i", "A=1", program], found: undefined },
    "a descriptor that it closed": {
      words: ["bash", "-c", `eval "exec $SVC_SECRET_FD>&-"; exec ${program}`],
      found: password,
    },
    "a descriptor that it uses otherwise": {
      words: ["bash", "-c", `eval "exec $SVC_SECRET_FD</dev/null"; exec ${program}`],
      found: password,
    },
  };
  for (const [name, { words, found }] of Object.entries(rows)) {
    test.concurrent(name, async () => {
      const { stdout, stderr } = await runWrapper({ program: words, environment: traced });
      expect(shownDelivery(stdout, stderr).variables.get("DB_PASSWORD")).toBe(found);
    });
  }

  test.concurrent("and a copy under another name is the shell's own", async () => {
    const { stdout, stderr } = await runWrapper({
      program: [bashEntrypoint, program],
      environment,
    });
    const { variables, block } = shownDelivery(stdout, stderr);
    expect(variables.get("ADDED")).toBe(password);
    expect(variables.get("DB_PASSWORD")).toBe(password);
    expect(
      leaksIn(block.filter((entry) => !entry.startsWith("ADDED")).join(" "), [password]),
    ).toEqual([]);
  });

  const copies = {
    "a copy of a value, told by its program": {
      ...environment,
      WORDS: 'export ADDED="$DB_PASSWORD"',
    },
    "a copy in the middle of a text": {
      ...environment,
      WORDS: 'export URL="db://u:$DB_PASSWORD@h"',
    },
    "a copy if all is traced": { ...traced, WORDS: 'export ADDED="$DB_PASSWORD"' },
    "a copy if values are replaced": {
      ...environment,
      SVC_ROTATION: "sighup",
      WORDS: 'export ADDED="$DB_PASSWORD"',
    },
  };
  for (const [name, variables] of Object.entries(copies)) {
    test.concurrent(`and the log reports ${name}`, async () => {
      const { exitCode, stderr } = await runWrapper({
        program: ["sh", "-c", `eval "$WORDS"; ${program}; exit $?`],
        environment: variables,
      });
      expect(exitCode).toBe(7);
      expect(stderr).toContain("another variable holds a copy of one, which svc did not make");
      expect(leaksIn(stderr, [password])).toEqual([]);
    });
  }

  test.concurrent("and the log says nothing if no variable holds a value", async () => {
    const { exitCode, stderr } = await runWrapper({
      program: ["sh", "-c", `export ADDED="\${DB_PASSWORD%??}" SHORT=x; ${program}; exit $?`],
      environment,
    });
    expect(exitCode).toBe(7);
    expect(stderr).not.toContain("plain values");
  });
});

const preloaded = { ...common, SVC_DELIVERY: "preload" };
const ways = { notify: environment, trace: traced, preload: preloaded };
for (const [way, variables] of Object.entries(ways)) {
  test(`a program that uses the library has the descriptor, and no value, by ${way}`, async () => {
    const { stdout, stderr } = await runWrapper({
      program: [entrypoint, libraryVariant()],
      environment: variables,
    });
    expect(stdout.toString(), stderr).toBe(`DB_PASSWORD=${password}\n"" false\n`);
  });
}

test("the log reports a descriptor that a shell has closed", async () => {
  const words = ["bash", "-c", `eval "exec $SVC_SECRET_FD>&-"; exec ${program}`];
  const { stderr } = await runWrapper({ program: words, environment: traced });
  expect(stderr).toContain("the program before it has closed the descriptor of the secrets");
});

// The program is root's, with the set-user-ID bit.
needsRoot(describe)("a program that raises privileges keeps them if all is traced:", () => {
  const readable = copyOf(fixture("prints-user"), 0o4755);
  const unreadable = copyOf(fixture("prints-user"), 0o4711);
  const name = readable.split("/").at(-1);
  const rows: Readonly<Record<string, readonly string[]>> = {
    "as a child": ["sh", "-c", `${readable}; exit $?`],
    "as a child, by a relative path": ["sh", "-c", `cd ${dirname(readable)} && ./${name}; exit $?`],
    "that a shell becomes": ["sh", "-c", `exec ${readable}`],
    "behind others": ["env", "nice", readable],
    "of no read permission": ["sh", "-c", `${unreadable}; exit $?`],
  };
  for (const [what, words] of Object.entries(rows)) {
    test.concurrent(what, async () => {
      const { stdout, stderr } = await runWrapper({
        program: words,
        environment,
        startsAs: unprivileged,
      });
      expect(stdout.toString(), stderr).toBe(`0 ${password}\n`);
      expect(stderr).toContain("raises privileges");
    });
  }
});

needsRoot(describe)("with the capabilities of containers, without CAP_SYS_PTRACE,", () => {
  const container = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"];
  const rows: Readonly<Record<string, readonly string[]>> = {
    "a shell": ["sh", "-c", `${program}; exit $?`],
    "a change of the user": ["setpriv", "--reuid", NOBODY, "--clear-groups", program],
    "an init process and gosu": ["tini", "-s", "--", "/usr/sbin/gosu", "nobody", program],
    "gosu and an entrypoint script": ["/usr/sbin/gosu", "nobody", entrypoint, program],
  };
  for (const [name, words] of Object.entries(rows)) {
    test.concurrent(`${name} is followed`, async () => {
      const { stdout, stderr } = await runWrapper({
        instead: [...container, wrapperPath, "--", ...words],
        environment,
      });
      expectProtected(shownDelivery(stdout, stderr));
      const by = await runWrapper({
        instead: [...container, wrapperPath, "--", ...words],
        environment: traced,
      });
      expectProtected(shownDelivery(by.stdout, by.stderr), "traced");
    });
  }

  test.concurrent("a set-user-ID program behind a change of the user keeps its privileges", async () => {
    const raising = copyOf(fixture("prints-user"), 0o4755);
    const { stdout, stderr } = await runWrapper({
      instead: [
        ...[...container, wrapperPath, "--", "setpriv", "--reuid", NOBODY, "--clear-groups"],
        ...["sh", "-c", `${raising}; exec ${raising}`],
      ],
      environment: traced,
    });
    expect(stdout.toString(), stderr).toBe(`0 ${password}\n0 ${password}\n`);
  });
});

test("a program that may not lock memory runs, and the log reports its plain values", async () => {
  const { stdout, stderr } = await runWrapper({
    program: ["sh", "-c", `ulimit -l 0; exec ${copyOf(fixture("prints-user"), 0o755)}`],
    environment,
    startsAs: unprivileged,
  });
  expect(stdout.toString(), stderr).toBe(`${unprivilegedUser} ${password}\n`);
  expect(stderr).toContain("RLIMIT_MEMLOCK");
});

test("a name that leads the supervisor to a pipe does not stop it", async () => {
  mkdirSync(at("pipes/below"), { recursive: true });
  expect(Bun.spawnSync(["mkfifo", at("pipes/app")]).exitCode).toBe(0);
  copyFileSync("/bin/true", at("pipes/below/app"));
  const { exitCode, stderr } = await runWrapper({
    program: ["sh", "-c", "cd below; ./app"],
    environment,
    folder: at("pipes"),
  });
  expect(exitCode, stderr).toBe(0);
});

test("a program without read permission runs, and the log reports its plain values", async () => {
  const { stdout, stderr } = await runWrapper({
    program: ["sh", "-c", `${copyOf(fixture("prints-user"), 0o111)}; exit $?`],
    environment,
    startsAs: unprivileged,
  });
  expect(stdout.toString()).toBe(`${unprivilegedUser} ${password}\n`);
  expect(stderr).toContain("may be executed and not read");
});

// It reads the memory of the wrapper, which is not dumpable.
needsRoot(test)(
  "there is no value in the memory of a shell's long-lived child, or in its environment",
  async () => {
    const waiting = fixture("holds-secret");
    await using wrapper = await startWrapper({
      program: ["sh", "-c", `${waiting} & ${waiting}; wait`],
      environment,
    });
    await wrapper.prints(`${holds}${holds}`);
    const secrets = [password, store.token];
    const shell = childrenOf(wrapper.pid)[0] ?? 0;
    const programs = childrenOf(shell);
    expect(programs).toHaveLength(2);
    for (const pid of programs) {
      expect(findInMemory(pid, secrets)).toEqual([]);
      expect(leaksIn(environOf(pid), secrets)).toEqual([]);
    }
    expect(findInMemory(wrapper.pid, secrets)).toEqual([]);
  },
);

// The first execve of a file is the script's, each further one the engine's.
for (const [kind, path] of Object.entries({ dynamic: program, static: staticProgram })) {
  test.concurrent(`a ${kind} program has its values each time, and many at once`, async () => {
    const folder = at(`shown-${crypto.randomUUID()}`);
    mkdirSync(folder, { mode: 0o777 });
    const loop = (step: string) => `i=0; while [ $i -lt 40 ]; do i=$((i+1)); ${step}; done`;
    const text = [
      loop(`${path} >${folder}/one-$i`),
      loop(`PATH=/missing:/bin ${path} >${folder}/at-once-$i &`).replaceAll("&;", "&"),
      "wait",
      loop(`(exec /missing/program) 2>/dev/null; ${path} >${folder}/behind-failures-$i`),
    ].join("\n");
    const { exitCode, stderr } = await runWrapper({ program: ["sh", "-c", text], environment });
    expect(exitCode, stderr).toBe(7);
    const shown = readdirSync(folder);
    expect(shown).toHaveLength(120);
    for (const name of shown) {
      expectProtected(shownDelivery(readFileSync(join(folder, name)), stderr));
    }
  });
}

describe("a shell's remaining processes handle SIGTERM,", () => {
  const rows: Readonly<Record<string, string>> = {
    "waiting for a child": "sleep 0.01",
    "busy with itself": ":",
    // In vfork, more often than not, when it is to be released.
    "starting programs": "/bin/true",
    "starting programs, again": "/bin/true",
    "starting programs in the background": "/bin/true & wait $!",
    "starting subshells": "(:)",
  };
  for (const [name, step] of Object.entries(rows)) {
    test.concurrent(name, async () => {
      const proof = at(`proof-${crypto.randomUUID()}`);
      const handler = `trap 'echo handled >${proof}; exit' TERM; echo >${proof}.ready`;
      const left = `(${handler}; while :; do ${step}; done) >/dev/null 2>&1 &`;
      const ready = `while [ ! -e ${proof}.ready ]; do sleep 0.01; done`;
      const program = ["sh", "-c", `${left} ${ready}; exit 4`];
      const { exitCode, stderr } = await runWrapper({ program, environment });
      expect(exitCode, stderr).toBe(4);
      expect(existsSync(proof)).toBe(true);
    });
  }
});

describe("a shell under job control", () => {
  test("stops and goes on with its children", async () => {
    await using wrapper = await startWrapper({
      program: ["sh", "-c", `${fixture("holds-secret")}; exit 5`],
      environment,
    });
    await wrapper.prints(holds);
    const shell = childrenOf(wrapper.pid)[0] ?? 0;
    wrapper.kill(20, shell);
    await waitFor(() => /[Tt]/.test(stateOf(shell) ?? ""), { deadlineMs: 2000, what: "the stop" });
    wrapper.kill(18, shell);
    await waitFor(() => stateOf(shell) === "S", { deadlineMs: 2000, what: "the shell to go on" });
    for (const pid of childrenOf(shell)) wrapper.kill(15, pid);
    expect((await wrapper.ended).exitCode).toBe(5);
  });
});

function expectProtected(shown: ReturnType<typeof shownDelivery>, way = "announced"): void {
  expect(shown.variables.get("DB_PASSWORD")).toBe(password);
  expect(leaksIn(shown.block.join("\n"), [password, store.token])).toEqual([]);
  // If all is traced, each program hands the descriptor on.
  const own = way === "traced" ? 1 : 0;
  const secret = shown.descriptors.filter((target) => target.includes("secretmem"));
  expect(secret.length).toBeLessThanOrEqual(own);
  expect([...shown.variables.keys()].filter((key) => /^(SVC|VAULT)_/.test(key))).toHaveLength(own);
  expect(shown.pageBytes).toBe(4096);
}

function copyOf(source: string, mode: number): string {
  const path = at(`copy-${crypto.randomUUID()}`);
  copyFileSync(source, path);
  chmodSync(path, mode);
  return path;
}

function script(text: string): string {
  const path = at(`script-${crypto.randomUUID()}`);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}
