import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { BootstrapError, initialiseStore } from "@svc/bootstrap";
import { type OpenBao, startOpenBao } from "@svc/testing";
import { VaultError } from "@svc/vault";
import { administer } from "../harness/stores/opened-store.ts";

let bao: OpenBao;
beforeEach(async () => {
  bao = await startOpenBao({ storage: "inmem", initialise: false });
});
afterEach(() => bao.stop());

const wanted = { shares: 3, threshold: 2 };

/** A gateway that treats the initialisation as told, and hands everything else on. */
function gateway(onInit: (pass: () => Promise<Response>) => Promise<Response>) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = request.method === "GET" ? {} : { body: await request.text() };
      const init = { method: request.method, ...body };
      const pass = () => fetch(`${bao.address}${pathname}`, init).catch(gaveUp);
      return pathname === "/v1/sys/init" ? onInit(pass) : pass();
    },
  });
}

async function codeOf(address: string): Promise<string> {
  const error = await initialiseStore(administer(address), wanted).catch((it: unknown) => it);
  if (error instanceof BootstrapError || error instanceof VaultError) return error.code;
  return "an initialisation";
}

const gaveUp = () => new Response("gateway timeout", { status: 504 });

describe("an initialisation whose answer is lost", () => {
  const rows = [
    {
      name: "behind the store is reported as such, with no second try",
      onInit: async (pass: () => Promise<Response>) => {
        await pass();
        return gaveUp();
      },
      code: "INIT_ANSWER_LOST",
      initialized: true,
    },
    {
      name: "cut short is reported as such",
      onInit: async (pass: () => Promise<Response>) => {
        const text = await (await pass()).text();
        return new Response(text.slice(0, text.length / 2));
      },
      code: "INIT_ANSWER_LOST",
      initialized: true,
    },
    {
      name: "before the store is an error that changed nothing",
      onInit: async () => gaveUp(),
      code: "SERVER_ERROR",
      initialized: false,
    },
  ];
  for (const { name, onInit, code, initialized } of rows) {
    test(name, async () => {
      await using server = gateway(onInit);
      expect(await codeOf(server.url.origin)).toBe(code);
      expect((await administer(bao.address).nodeState()).initialized).toBe(initialized);
    });
  }

  test("with the store itself leaves the outcome open", async () => {
    await using server = gateway(async (pass) => {
      await pass();
      await bao.stop();
      return gaveUp();
    });
    expect(await codeOf(server.url.origin)).toBe("INIT_OUTCOME_UNKNOWN");
  });
});
