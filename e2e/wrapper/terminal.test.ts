import { afterAll, expect, test } from "bun:test";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import {
  type RunningWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

const { store, environment } = oneSecretStore();
afterAll(() => store.stop());
expectNothingLeft();

const CTRL_C = "\x03";
const CTRL_Z = "\x1a";
const wrapped = `${wrapperPath} -- ${fixture("uses-terminal")}`;

/** script(1) of util-linux runs a command line on a separate terminal. */
function onTerminal(line: string): Promise<RunningWrapper> {
  return startWrapper({
    instead: ["/usr/bin/script", "--quiet", "--return", "--command", line, "/dev/null"],
    environment: { ...environment, TERM: "dumb" },
    typing: true,
  });
}

test("a program has the terminal's foreground and reads from it", async () => {
  await using session = await onTerminal(wrapped);
  await session.prints("<foreground>");
  session.type("hello\n");
  await session.prints("<read hello>");
  session.type("end\n");
  expect((await session.ended).exitCode).toBe(0);
});

test("Ctrl-C reaches the program once and ends nothing else", async () => {
  await using session = await onTerminal(wrapped);
  await session.prints("<foreground>");
  session.type(CTRL_C);
  await session.prints("<interrupted>");
  session.type("end\n");
  const { exitCode, stdout } = await session.ended;
  expect(exitCode).toBe(0);
  expect(stdout.toString().split("<interrupted>")).toHaveLength(2);
});

test("Ctrl-C ends a program that does not catch it with 130", async () => {
  await using session = await onTerminal(`${wrapperPath} -- ${fixture("waits")}`);
  await session.prints("ready");
  session.type(CTRL_C);
  expect((await session.ended).exitCode).toBe(130);
});

test("Ctrl-Z stops the shell's job, and fg continues it in the foreground", async () => {
  await using session = await onTerminal("/bin/bash --norc --noprofile -i");
  session.type(`${wrapped}\n`);
  await session.prints("<foreground>");
  session.type(CTRL_Z);
  await session.prints("Stopped");
  session.type("echo in-the-$((40 + 2))-shell\n");
  await session.prints("in-the-42-shell");
  session.type("fg\n");
  await session.prints("<continued>");
  session.type("hello again\n");
  await session.prints("<read hello again>");
  session.type("end\n");
  await session.prints("<read end>");
  session.type("echo code-$?-code\n");
  await session.prints("code-0-code");
  session.type("exit\n");
  expect((await session.ended).exitCode).toBe(0);
});

test("Ctrl-Z stops the whole job if the wrapper is a part of a pipeline", async () => {
  await using session = await onTerminal("/bin/bash --norc --noprofile -i");
  session.type(`${wrapped} | cat\n`);
  await session.prints("<foreground>");
  session.type(CTRL_Z);
  await session.prints("Stopped");
  // In one line: the next one could be read by the program, before the signal reaches it.
  session.type("kill %1; fg; echo in-the-$((40 + 2))-shell\n");
  await session.prints("in-the-42-shell");
  session.type("exit\n");
  await session.ended;
});

test("the shell has its terminal back when the program has ended", async () => {
  await using session = await onTerminal(`${wrapped}; read -r line; echo "shell got $line"`);
  await session.prints("<foreground>");
  session.type("end\n");
  await session.prints("<read end>");
  session.type("more\n");
  await session.prints("shell got more");
  expect((await session.ended).exitCode).toBe(0);
});

test("logs are text on a terminal", async () => {
  await using session = await onTerminal(`${wrapperPath} -- /bin/true`);
  const { stdout } = await session.ended;
  expect(stdout.toString()).toContain("svc: info: deliver by inject");
});
