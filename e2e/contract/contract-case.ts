import { expect } from "bun:test";
import { type Ask, type ContractServer, type Reply, send } from "./server.ts";

/** One sentence of the contract, and its proof. */
export interface ContractCase {
  readonly name: string;
  readonly run: (server: ContractServer) => Promise<void>;
}

/** A case of one request and its whole answer. */
export function oneRequest(name: string, ask: Ask, wanted: Reply): ContractCase {
  return { name, run: (server) => expectReply(server, ask, wanted) };
}

/** A request and the answer it must get; a scenario is a row of these. */
export type Exchange = readonly [Ask, Reply];

/** A case of several requests, each with its whole answer. */
export function inOrder(name: string, exchanges: readonly Exchange[]): ContractCase {
  return {
    name,
    run: async (server) => {
      for (const [ask, wanted] of exchanges) await expectReply(server, ask, wanted);
    },
  };
}

/** Sends the request and compares status and body with all their fields. */
export async function expectReply(server: ContractServer, ask: Ask, wanted: Reply): Promise<void> {
  const reply = await send(server, ask);
  // One comparison of both, so that a wrong status shows the body that came with it.
  expect({ asked: `${ask.method} ${ask.path}`, ...reply }).toEqual({
    asked: `${ask.method} ${ask.path}`,
    ...wanted,
  });
}
