import { describe, expect, test } from "bun:test";
import { ImageError } from "../../image/image-error.ts";
import { RegistryCredential } from "../../image/registry-credential.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginProvider } from "../login-provider.ts";
import { failureOf } from "../testdata/login-stage.ts";
import { parseLoginPattern } from "./login-rules.ts";
import { RegistryLogins } from "./registry-logins.ts";

function stage(logIn: LoginProvider["logIn"], ...patterns: readonly string[]) {
  const source = "docker-config";
  const provider: LoginProvider = { source, hint: "h", keyOf: ({ registry }) => registry, logIn };
  const rules = patterns.flatMap((text) => {
    const pattern = parseLoginPattern(text);
    return pattern === undefined ? [] : [{ pattern, source, namespaces: ["shop"] } as const];
  });
  const limits = { totalMs: 200, requestMs: 100 };
  return new RegistryLogins({
    ...{ rules, authorities: {}, limits },
    providers: new Map([[source, provider]]),
  });
}
const good: LoginProvider["logIn"] = async () => ({
  credentials: [new RegistryCredential({ username: "u" })],
  lifeMs: 1000,
});
const hanging: LoginProvider["logIn"] = (_, { signal }) =>
  new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const place = { registry: "a.test", repository: "app" };

test("a namespace that no rule names has no logins, and others have keys of their rules", () => {
  const logins = stage(good, "a.test");
  expect(logins.forNamespace("bank")).toBeUndefined();
  const found = logins.forNamespace("shop");
  expect([found?.key, found?.loginsFor(place).length]).toEqual(["0", 1]);
  expect(found?.loginsFor({ ...place, registry: "b.test" })).toEqual([]);
});

describe("a login that hangs", () => {
  test("ends in its time", async () => {
    const [login] = stage(hanging, "a.test").forNamespace("shop")?.loginsFor(place) ?? [];
    const error = await failureOf(
      Promise.resolve(login?.credentials(new AbortController().signal)),
    );
    expect([error.code, error.message]).toEqual([
      "LOGIN_UNAVAILABLE",
      "log in with docker-config: not within 200 ms",
    ]);
  });

  test("is given up by one look-up without the others", async () => {
    const gate = Promise.withResolvers<void>();
    const slow: LoginProvider["logIn"] = async (...wanted) => {
      await gate.promise;
      return good(...wanted);
    };
    const [login] = stage(slow, "a.test").forNamespace("shop")?.loginsFor(place) ?? [];
    const gone = new AbortController();
    const given = login?.credentials(gone.signal).catch((error: unknown) => error);
    const other = login?.credentials(new AbortController().signal);
    gone.abort(new ImageError("CANCELLED", "gone"));
    expect(await given).toMatchObject({ code: "CANCELLED" });
    gate.resolve();
    expect(await other).toHaveLength(1);
  });
});

test("logins are rehearsed if a rule names one registry", async () => {
  const failing: LoginProvider["logIn"] = async (asked, ...rest) => {
    if (asked.registry === "b.test:5000") throw loginRefused("no", { hint: "do" });
    return good(asked, ...rest);
  };
  const found = await stage(failing, "a.test", "b.test:5000/team", "*.c.test").rehearse();
  expect(found.map(({ registry, error }) => [registry, error?.message])).toEqual([
    ["a.test", undefined],
    ["b.test:5000/team", "no"],
  ]);
});
