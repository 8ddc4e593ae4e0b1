import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { postgresFolder } from "../../harness/programs/ensure-programs.ts";
import { exampleServer } from "../../harness/programs/example-server.ts";
import { realPrograms } from "../../harness/programs/real-programs.ts";
import { password, startWrapped } from "./wrapped-program.ts";

/** A program that does its work while others are attacked. */
export interface Workload {
  readonly name: string;
  /** The pid of the program's process; undefined if it is not known. */
  readonly pid: () => number | undefined;
  /** False if the program has ended. */
  readonly runs: () => boolean;
  /** Has it do something. @throws any error of that */
  readonly ask: () => Promise<void>;
}

const GO_PORT = 18_080;
const NODE_PORT = 18_081;
const STARTS_WITHIN_MS = 600_000;

/** It starts a program now and then, as many do. */
const nodeServer = `
const { execFile } = require("node:child_process");
require("node:http").createServer((request, response) => {
  const answer = () => response.end("has " + process.env.DB_PASSWORD);
  if (request.url === "/") return answer();
  execFile("/bin/true", (error) => (error ? response.end(String(error)) : answer()));
}).listen(${NODE_PORT}, "127.0.0.1");
`;

/** Starts PostgreSQL, nginx, a Go and a Node program under wrappers, and waits until they work. */
export async function startWorkloads(
  folder: string,
  socketPath: string,
): Promise<readonly Workload[]> {
  // PostgreSQL is not root.
  chmodSync(folder, 0o755);
  const start = (name: string): Workload => {
    const own = join(folder, name);
    mkdirSync(own);
    chmodSync(own, 0o777);
    const { words, environment, ask } = programs[name]?.(own) ?? missing(name);
    const program = startWrapped(words, { folder: own, socketPath }, environment);
    return {
      name,
      pid: () => program.pid(),
      runs: program.runs,
      ask: async () => {
        if (!program.runs()) throw new TypeError(`it has ended: ${program.log()}`);
        const answer = await ask();
        if (answer.includes(`has ${password}`)) return;
        throw new TypeError(`it answers "${answer}": ${program.log()}`);
      },
    };
  };
  const workloads = Object.keys(programs).map(start);
  await Promise.all(workloads.map(waitUntilItWorks));
  return workloads;
}

async function waitUntilItWorks({ name, ask, runs }: Workload): Promise<void> {
  let complaint: unknown;
  const works = async (): Promise<boolean> => {
    try {
      await ask();
      return true;
    } catch (error) {
      complaint = error;
      // A program that has ended never works.
      if (!runs()) throw error;
      return false;
    }
  };
  try {
    await waitFor(works, { deadlineMs: STARTS_WITHIN_MS, what: `${name} to work` });
  } catch {
    throw new TypeError(`${name} does not work: ${complaint}`);
  }
}

interface AskedProgram {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ask: () => Promise<string>;
}

const programs: Readonly<Record<string, (folder: string) => AskedProgram>> = {
  PostgreSQL: real("PostgreSQL, by an entrypoint script with gosu"),
  nginx: real("nginx"),
  Go: () => ({
    words: [exampleServer(), "-listen", `127.0.0.1:${GO_PORT}`],
    ask: async () => {
      const names = await get(`http://127.0.0.1:${GO_PORT}/`);
      return names.includes("DB_PASSWORD") ? `has ${password}` : names;
    },
  }),
  Node: () => ({
    words: ["/usr/bin/node", "-e", nodeServer],
    ask: async () => {
      await get(`http://127.0.0.1:${NODE_PORT}/`);
      return get(`http://127.0.0.1:${NODE_PORT}/fork`);
    },
  }),
};

/** One of those that other tests start, too. */
function real(name: string): (folder: string) => AskedProgram {
  return (folder) => {
    const program = realPrograms[name] ?? missing(name);
    const { ask = () => missing(name) } = program;
    return {
      words: program.words(folder),
      environment: {
        PATH: `${postgresFolder()}:/usr/local/bin:/usr/bin:/bin:/usr/sbin`,
        ...program.environment?.(folder),
      },
      ask: async () => {
        const asked = Bun.spawn([...ask(folder, password)], { stdout: "pipe", stderr: "pipe" });
        const [answer, complaint] = await Promise.all([asked.stdout.text(), asked.stderr.text()]);
        return answer || complaint;
      },
    };
  };
}

async function get(address: string): Promise<string> {
  const response = await fetch(address);
  return response.text();
}

function missing(name: string): never {
  throw new TypeError(`there is no program "${name}"`);
}
