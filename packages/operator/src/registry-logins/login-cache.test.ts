import { describe, expect, test } from "bun:test";
import { ImageError } from "../image/image-error.ts";
import { RegistryCredential } from "../image/registry-credential.ts";
import { LoginCache } from "./login-cache.ts";
import { loginUnavailable } from "./login-failure.ts";

/** A cache with a clock, and a login that counts. */
function stage(lifeMs: number) {
  const state = { nowMs: 0, logins: 0, fails: false };
  const cache = new LoginCache(() => state.nowMs);
  const logIn = async () => {
    state.logins += 1;
    if (state.fails) throw loginUnavailable("it fails", { hint: "wait" });
    const credential = new RegistryCredential({ username: String(state.logins) });
    return { credentials: [credential], lifeMs };
  };
  const get = (key = "a") => cache.get(key, logIn);
  return { state, get };
}

test("pods that come together share one login, and those of another key have their own", async () => {
  const { state, get } = stage(1000);
  await Promise.all([...Array.from({ length: 50 }, () => get()), get("b")]);
  expect(state.logins).toBe(2);
});

describe("a credential is kept", () => {
  test("until shortly before it ends, then replaced", async () => {
    const { state, get } = stage(1000);
    const first = await get();
    state.nowMs = 790;
    expect(await get()).toBe(first);
    state.nowMs = 810;
    expect(await get()).not.toBe(first);
    expect(state.logins).toBe(2);
  });

  test("an hour at most, however long it lives", async () => {
    const { state, get } = stage(43_200_000);
    await get();
    state.nowMs = 3_600_001;
    await get();
    expect(state.logins).toBe(2);
  });

  test("while a new login fails and it still lives", async () => {
    const { state, get } = stage(1000);
    const first = await get();
    state.fails = true;
    state.nowMs = 900;
    expect([await get(), await get()]).toEqual([first, first]);
    expect(state.logins).toBe(2);
    state.nowMs = 960;
    expect(await get().catch((error: unknown) => error)).toBeInstanceOf(ImageError);
  });

  test("not at all if it has ended before it came", async () => {
    const { state, get } = stage(-5);
    await get();
    await get();
    expect(state.logins).toBe(2);
  });
});

test("a failure is kept for five seconds", async () => {
  const { state, get } = stage(1000);
  state.fails = true;
  const failures = [await failed(get()), await failed(get())];
  expect([state.logins, failures[0] === failures[1]]).toEqual([1, true]);
  state.nowMs = 5001;
  state.fails = false;
  expect(await get()).toHaveLength(1);
});

test("an unforeseen error is thrown and not kept", async () => {
  const cache = new LoginCache();
  const broken = async () => {
    throw new TypeError("x");
  };
  expect(await failed(cache.get("a", broken))).toBeInstanceOf(TypeError);
  expect(await cache.get("a", async () => ({ credentials: [], lifeMs: 1 }))).toEqual([]);
});

function failed(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "it did not fail",
    (error: unknown) => error,
  );
}
