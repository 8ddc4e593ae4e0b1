import { afterAll, expect } from "bun:test";
import { waitFor } from "@svc/testing";
import { describeProcess, ownListeners, processesWith } from "./process-facts.ts";

/** A variable in the environment of everything that this run starts; programs inherit it. */
export const markName = "E2E_MARK";
export const mark = crypto.randomUUID();

/** Taken before a test file has started a server. */
const listenersBefore = ownListeners();

/**
 * Fails a file after which a process that it started, or its own listener, is still there.
 * To be called after the file's own `afterAll`: they run in their order.
 */
export function expectNothingLeft(): void {
  afterAll(async () => {
    expect(await leftProcesses()).toEqual([]);
    expect(ownListeners().filter((address) => !listenersBefore.includes(address))).toEqual([]);
  });
}

/**
 * The kernel takes a moment to end a PID namespace. Processes that remain after that are left over.
 */
async function leftProcesses(): Promise<readonly string[]> {
  const wanted = `${markName}=${mark}`;
  try {
    await waitFor(() => processesWith(wanted).length === 0, {
      deadlineMs: 1000,
      what: "every process to be gone",
    });
    return [];
  } catch {
    return processesWith(wanted).map(describeProcess);
  }
}
