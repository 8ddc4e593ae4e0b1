import { waitFor } from "@svc/testing";
import { childrenOf } from "../processes/process-facts.ts";
import { exampleServer } from "../programs/example-server.ts";
import { type Launch, type RunningWrapper, startWrapper } from "./wrapper-process.ts";

const DEADLINE_MS = 10_000;

/** An example server that listens, under a wrapper. */
export interface RunningServer extends AsyncDisposable {
  readonly wrapper: RunningWrapper;
  /** The server's own pid. */
  readonly pid: number;
  readonly port: number;
  /** The body of an answer of any status. */
  readonly get: (path: string, method?: string) => Promise<string>;
}

/** Starts it on a free port; `program` has no `-listen`. */
export async function startExampleServer(launch: Launch): Promise<RunningServer> {
  const [program = exampleServer(), ...flags] = launch.program ?? [];
  const words = [program, "-listen", "127.0.0.1:0", ...flags];
  const wrapper = await startWrapper({ ...launch, program: words });
  try {
    let hasEnded = false;
    void wrapper.ended.then(() => {
      hasEnded = true;
    });
    const answer = await waitFor(() => listeningPort(wrapper.stderr()) ?? hasEnded, {
      deadlineMs: DEADLINE_MS,
      what: "the server to listen",
    });
    if (answer === true) throw new TypeError("it has ended");
    const port = answer;
    const [pid = 0] = childrenOf(wrapper.pid);
    const get = async (path: string, method = "GET") =>
      await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text();
    return { wrapper, pid, port, get, [Symbol.asyncDispose]: wrapper[Symbol.asyncDispose] };
  } catch (error) {
    await using _ = wrapper;
    throw new TypeError(`start the example server: ${wrapper.stderr()}`, { cause: error });
  }
}

function listeningPort(log: string): number | undefined {
  const port = /server listens" address=127\.0\.0\.1:(\d+)/.exec(log)?.[1];
  return port === undefined ? undefined : Number(port);
}
