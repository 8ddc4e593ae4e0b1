import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freePort, type OpenBao, startOpenBao } from "@svc/testing";
import { createVaultAdministration } from "@svc/vault";
import { recorded } from "../testdata/run-stage.ts";
import { checkService } from "./check-service.ts";

let store: OpenBao;
let fresh: OpenBao;
beforeAll(async () => {
  store = await startOpenBao();
  fresh = await startOpenBao({ storage: "inmem", initialise: false });
}, 60_000);
afterAll(async () => {
  await store.stop();
  await fresh.stop();
});

const soon = { deadlineMs: 0, intervalMs: 1 };
const check = (address: string, patience = soon) =>
  recorded((progress) => {
    const retry = { deadlineMs: 0 };
    const tls = { skipVerify: false };
    return checkService(createVaultAdministration({ address, tls, retry }), progress, patience);
  });

describe("the service of a store", () => {
  test("that serves is not mentioned", async () => {
    expect(await check(store.address)).toMatchObject({ error: undefined, steps: [] });
  });

  test("that leads to another store is a warning", async () => {
    expect((await check(fresh.address)).steps).toEqual([
      "warning: STORE_ADDR: the store does not serve there: it is not-initialized",
    ]);
  });

  test("that does not answer is a warning with the address", async () => {
    const address = `http://127.0.0.1:${freePort()}`;
    const { steps, error } = await check(address);
    expect(error).toBeUndefined();
    expect(steps).toEqual([
      expect.stringMatching(/^warning: STORE_ADDR: the store does not serve there: .*127\.0\.0\.1/),
    ]);
  });

  test("that needs a moment is waited for", async () => {
    let asked = 0;
    await using server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      fetch: () => {
        asked += 1;
        const isSealed = asked <= 2;
        const body = { initialized: true, sealed: isSealed, standby: false };
        return Response.json(body, { status: isSealed ? 503 : 200 });
      },
    });
    const { steps } = await check(server.url.origin, { deadlineMs: 60_000, intervalMs: 1 });
    expect(steps).toEqual([`waiting: the service at ${server.url.origin}: it is sealed`]);
    expect(asked).toBe(3);
  });
});
