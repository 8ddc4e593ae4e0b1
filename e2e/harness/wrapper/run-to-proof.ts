import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { type Ended, type Launch, runWrapper } from "./wrapper-process.ts";

/** How a run ended, and whether its program was started. */
export interface Proof extends Ended {
  /** The program has run: it left a file behind. */
  readonly ran: boolean;
  /** The content of the termination message file. */
  readonly message: string;
  /** The codes of the log's lines at level error. */
  readonly errorCodes: readonly string[];
}

/** Longer than any message: a part that is not cut off shows. */
const STALE = "~".repeat(5000);

/** Runs a wrapper whose program leaves a file behind, with a termination message file. */
export async function runToProof(launch: Launch): Promise<Proof> {
  using folder = temporaryFolder();
  const proof = join(folder.path, "proof");
  const message = join(folder.path, "message");
  writeFileSync(message, STALE);
  const ended = await runWrapper({
    program: ["/usr/bin/touch", proof],
    ...launch,
    environment: { ...launch.environment, SVC_TERMINATION_LOG: message },
  });
  return {
    ...ended,
    ran: existsSync(proof),
    message: readFileSync(message, "utf8"),
    errorCodes: errorCodesIn(ended.stderr),
  };
}

function errorCodesIn(stderr: string): readonly string[] {
  return stderr
    .split("\n")
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => /"code":"([A-Z_]+)"/.exec(line)?.[1] ?? line);
}
