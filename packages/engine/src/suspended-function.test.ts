import { expect, test } from "bun:test";

// The engine alone has a collector that can be called: on Bun the test is about Bun's own.
const { collectGarbage } = await import("svc:engine").catch(() => ({
  collectGarbage: () => Bun.gc(true),
}));

test("a suspended function lives as long as a closure of its variables", async () => {
  let wake: () => void = () => undefined;
  const woken = (async () => {
    const waiting = Promise.withResolvers<string>();
    // Nothing but this closure leads to the variable that the function waits for.
    wake = () => waiting.resolve("woken");
    return await waiting.promise;
  })();
  await Promise.resolve();
  collectGarbage();
  const rest = Array.from({ length: 1000 }, (_, index) => ({ index }));
  wake();
  expect(await woken).toBe("woken");
  expect(rest).toHaveLength(1000);
});
