import { openStream } from "@svc/agent/testdata";

/**
 * Registers a process for this one, as an ancestor of its wrapper may try to; the answer's code.
 */
export async function claimProgram(socketPath: string, pid: number): Promise<string | undefined> {
  await using stream = openStream(socketPath);
  stream.send({ case: "hello", value: {} });
  await stream.next();
  stream.send({ case: "register", value: { pid, request: 1n } });
  const answer = await stream.next();
  return answer?.case === "refused" ? answer.value.code : answer?.case;
}
