/** A command that the guest runs. */
export interface GuestCommand {
  readonly words: readonly string[];
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The end of a command: its status and its output. */
export interface GuestEnded {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The guest's own facts come first. */
const FACTS = ["uname", "-a"];
const DEADLINE_SECONDS = 60;

/** The guest's first program: runs the commands one after the other, and powers off. */
export function guestScript(commands: readonly GuestCommand[]): string {
  const facts: GuestCommand = { words: FACTS, environment: { PATH: "/bin" } };
  return [
    "#!/bin/sh",
    "/bin/busybox --install -s /bin",
    "mount -t proc proc /proc",
    "mount -t devtmpfs dev /dev",
    "mount -t tmpfs tmp /tmp",
    "mount -t tmpfs -o nosuid,mode=755 nosuid /nosuid",
    "cp /app/static /nosuid/set-user-id",
    "chmod 4755 /nosuid/set-user-id",
    "ip link set lo up",
    "run() {",
    "  number=$1; shift",
    '  "$@" </dev/null >/tmp/out 2>/tmp/err',
    '  echo "@$number:$?:$(base64 -w 0 /tmp/out):$(base64 -w 0 /tmp/err)@"',
    "}",
    ...[facts, ...commands].map((command, index) => `run ${index} ${line(command)}`),
    "poweroff -f",
    "",
  ].join("\n");
}

/** The results of the commands, from the guest's console. The guest's own facts come first. */
export function readConsole(text: string): readonly GuestEnded[] {
  const results = text.matchAll(/^@(\d+):(\d+):([\w+/=]*):([\w+/=]*)@\r?$/gm);
  return [...results].map(([, number, exitCode, stdout = "", stderr = ""], index) => {
    if (Number(number) !== index) throw new TypeError(`result ${index} is missing:\n${text}`);
    return {
      exitCode: Number(exitCode),
      stdout: Buffer.from(stdout, "base64"),
      stderr: Buffer.from(stderr, "base64").toString(),
    };
  });
}

function line({ words, environment }: GuestCommand): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const deadline = ["timeout", "-s", "KILL", `${DEADLINE_SECONDS}`];
  return ["env", "-i", ...variables, ...deadline, ...words].map(quoted).join(" ");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
