import { describe, expect, test } from "bun:test";

// On the engine its own AbortSignal; on Bun the Web's, by which these tests are judged.

describe("AbortSignal.abort", () => {
  test("gives a signal that is aborted, with an AbortError", () => {
    const signal = AbortSignal.abort();
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
  });

  test("takes the reason", () => {
    const reason = new TypeError("enough");
    expect(AbortSignal.abort(reason).reason).toBe(reason);
    expect(() => AbortSignal.abort(reason).throwIfAborted()).toThrow(reason);
  });

  test("gives a signal that aborts those that follow it", () => {
    expect(AbortSignal.any([AbortSignal.abort("a"), AbortSignal.abort("b")]).reason).toBe("a");
  });
});
