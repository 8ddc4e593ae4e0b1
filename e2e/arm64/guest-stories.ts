import type { GuestCommand } from "./guest-script.ts";

const WRAPPER = "/opt/svc/bin/svc-wrapper";
const NOBODY = "65534";

/** A program that `svc dev` runs under the wrapper. */
export interface Story {
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** testdata/shows-delivery.c ends with 7. */
  readonly exitCode?: number;
  /** The place of the values. */
  readonly memory?: "memfd_secret" | "memfd";
  /** SVC_DELIVERY; by default inject. */
  readonly delivery?: string;
  /** Options of testdata/starts-as.c. */
  readonly startsAs?: readonly string[];
  /** True if no execve can be announced, and everything is traced. */
  readonly isTraced?: boolean;
}

/** Programs that the wrapper becomes. */
export const direct: Readonly<Record<string, Story>> = {
  "a static Go program": { program: ["/app/go"] },
  "a static program": { program: ["/app/static"] },
  "a static, position-independent program": { program: ["/app/static-pie"] },
  "a dynamic program": { program: ["/app/dynamic"] },
  "a program of a user without capabilities": {
    program: ["/app/dynamic"],
    startsAs: ["-U", NOBODY],
    isTraced: true,
  },
  "a program in memory that the kernel does not protect, if it has no other": {
    program: ["/app/dynamic"],
    startsAs: ["-n", "memfd_secret=38"],
    memory: "memfd",
  },
  "a set-user-ID program of a file system that ignores that": {
    program: ["/nosuid/set-user-id"],
    startsAs: ["-U", NOBODY],
    isTraced: true,
  },
};

/** Programs behind others. */
export const launched: Readonly<Record<string, Story>> = {
  "that a shell becomes": { program: ["sh", "-c", "exec /app/static"] },
  "that a shell waits for": { program: ["sh", "-c", "/app/dynamic; exit 3"], exitCode: 3 },
  "that a shell has started before": {
    program: ["sh", "-c", "/app/dynamic >/dev/null; /app/dynamic >/dev/null; exec /app/dynamic"],
  },
  "that a shell starts again": {
    program: ["sh", "-c", "/app/static >/dev/null; /app/static; exit 3"],
    exitCode: 3,
  },
  "behind a shell and env": { program: ["sh", "-c", "exec env /app/go"] },
};

/** Programs that cannot be traced. */
export const preloaded: Readonly<Record<string, Story>> = {
  "a dynamic program if ptrace is forbidden": {
    program: ["/app/dynamic"],
    startsAs: ["-n", "ptrace=1"],
    delivery: "auto",
  },
};

/** Programs that are not started, and why. */
export const refused: Readonly<Record<string, Story & { readonly why: string }>> = {
  "a set-user-ID program": {
    program: ["/app/set-user-id"],
    startsAs: ["-U", NOBODY],
    why: "raises privileges",
  },
  "if ptrace is forbidden": {
    program: ["/app/static"],
    startsAs: ["-n", "ptrace=1"],
    why: "ptrace: EPERM",
  },
};

/**
 * The delivery under each kernel.yama.ptrace_scope. It can be raised, and not lowered again from 3.
 */
export const underYama: readonly (Story & { readonly scope: number; readonly says: string })[] = [
  { scope: 1, program: ["/app/static"], startsAs: ["-U", NOBODY], says: "deliver by inject" },
  { scope: 2, program: ["/app/dynamic"], says: "deliver by inject" },
  {
    scope: 2,
    program: ["/app/dynamic"],
    startsAs: ["-U", NOBODY],
    says: "deliver by preload: no inject: ptrace: EPERM (kernel.yama.ptrace_scope is 2)",
  },
  {
    scope: 2,
    program: ["/app/static"],
    startsAs: ["-U", NOBODY],
    says: "deliver by env: values are readable in /proc/PID/environ",
  },
  {
    scope: 3,
    program: ["/app/dynamic"],
    says: "deliver by preload: no inject: ptrace: EPERM (kernel.yama.ptrace_scope is 3)",
  },
].map((story) => ({ ...story, delivery: "auto" }));

/** Sets it for the following commands. */
export function settingScope(scope: number): GuestCommand {
  return {
    words: ["sh", "-c", `echo ${scope} >/proc/sys/kernel/yama/ptrace_scope`],
    environment: { PATH: "/bin" },
  };
}

/** How the wrapper ends. */
export const ends: Readonly<Record<string, Story>> = {
  "an exit code": { program: ["sh", "-c", "exit 41"], exitCode: 41 },
  "a signal": { program: ["sh", "-c", "kill -TERM $$"], exitCode: 143 },
  // The runtime has its own handler for this one.
  "a signal that the wrapper hands on": {
    program: ["sh", "-c", "kill -PWR $PPID; sleep 60"],
    exitCode: 158,
  },
  "a program that is not there": { program: ["/app/nothing"], exitCode: 127 },
};

/** The first line of --explain, and the command that it is for. */
export const explained: Readonly<Record<string, GuestCommand>> = {
  "inject: ": { words: [WRAPPER, "--explain", "--", "/app/static"], environment: settings("auto") },
  "impossible: inject: ": {
    words: ["/app/starts-as", "-U", NOBODY, WRAPPER, "--explain", "--", "/app/set-user-id"],
    environment: settings("inject"),
  },
};

/** A program that reads its region by the Go library. */
export const library: Story = { program: ["/app/library"], delivery: "auto", exitCode: 0 };

// Left out: programs that need files, or more than the 8 MiB that this kernel lets a process lock,
// or mmap to count them. Also programs that make thousands of mappings: an emulated processor is
// too slow.
const NOT_HERE = [
  ...["Vectors", "Fuzz", "Example", "NoMemory/a_file_on"],
  ...["NoRegion", "ValuesAre", "TooLittleMemory", "NothingIsLeft"],
  ...["StayAreFew", "StaysWhole", "VeryMany"],
].join("|");

/** The Go library's own tests, with this kernel and processor. */
export const libraryTests: GuestCommand = {
  words: ["/app/library-tests", "-test.v", "-test.short", `-test.skip=${NOT_HERE}`],
  environment: { PATH: "/bin" },
};

/** How a story is started; its secret is in app/secrets.json. */
export function commandOf({ program, startsAs, delivery = "inject" }: Story): GuestCommand {
  const options = ["--secrets", "/app/secrets.json", "--wrapper", WRAPPER];
  const surroundings = startsAs === undefined ? [] : ["/app/starts-as", ...startsAs];
  return {
    words: [...surroundings, "/app/svc", "dev", ...options, "--", ...program],
    environment: settings(delivery),
  };
}

function settings(delivery: string): Readonly<Record<string, string>> {
  return { PATH: "/bin", SVC_DELIVERY: delivery, SVC_LOG_LEVEL: "debug" };
}
