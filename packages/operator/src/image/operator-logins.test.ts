import { describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import { ImageError } from "./image-error.ts";
import { ImageLookup } from "./image-lookup.ts";
import type { NamespaceLogins, OperatorLogin } from "./operator-login.ts";
import { RegistryCredential } from "./registry-credential.ts";
import {
  asking,
  basicOf,
  entryOf,
  failureOf,
  linux,
  lookUp,
  plain,
  settingsFor,
} from "./testdata/lookup-stage.ts";
import { serve } from "./testdata/serve-registry.ts";

const own = new RegistryCredential({ username: "operator", password: "p" });

function loginsOf(credentials: OperatorLogin["credentials"], key = "0"): NamespaceLogins {
  return { key, loginsFor: () => [{ source: "aws", hint: "grant the right", credentials }] };
}
const good = loginsOf(async () => [own]);
const failing = loginsOf(async () => {
  throw new ImageError("LOGIN_REFUSED", "log in with aws: no role", { hint: "make a role" });
});
const open = asking("Basic realm=x", basicOf("operator", "p"));

describe("the operator's own login", () => {
  test("opens a registry if the pod has no pull secret", async () => {
    await using server = serve(open, plain);
    expect((await lookUp(server, { logins: good })).command).toEqual(["serve"]);
  });

  test("comes after the pod's pull secrets", async () => {
    await using server = serve(open, plain);
    const credentials = [entryOf(server, { username: "pod", password: "p" })];
    await lookUp(server, { logins: good, credentials });
    const sent = [...new Set(server.seen.map(({ authorization }) => authorization))];
    expect(sent).toEqual([null, basicOf("pod", "p"), basicOf("operator", "p")]);
  });

  test("is not made if a pull secret does", async () => {
    await using server = serve(asking("Basic realm=x", basicOf("pod", "p")), plain);
    const credentials = [entryOf(server, { username: "pod", password: "p" })];
    let logins = 0;
    const counted = loginsOf(async () => {
      logins += 1;
      return [own];
    });
    await lookUp(server, { logins: counted, credentials });
    expect(logins).toBe(0);
  });

  test("that fails does not keep a public image from being read", async () => {
    await using server = serve(plain);
    expect((await lookUp(server, { logins: failing })).command).toEqual(["serve"]);
  });

  test("that fails is in the message for a private image", async () => {
    await using server = serve(open, plain);
    const error = await failureOf(lookUp(server, { logins: failing }));
    expect([error.code, error.hint]).toEqual(["LOGIN_REFUSED", "make a role"]);
    expect(error.message).toBe(
      `read image ${server.host}/app:latest at ${server.host}: log in with aws: no role`,
    );
  });

  test("that the registry refuses is reported, with the right that is missing", async () => {
    await using server = serve(asking("Basic realm=x", "another's"), plain);
    const error = await failureOf(lookUp(server, { logins: good }));
    expect([error.code, error.hint]).toEqual(["DENIED", "grant the right"]);
    expect(error.message).toEndWith("the operator's own login (aws) was refused");
    const credentials = [entryOf(server, { username: "pod", password: "p" })];
    const both = await failureOf(lookUp(server, { logins: good, credentials }));
    expect(both.message).toEndWith(
      "the credential that matches was refused, and the operator's own login (aws) was refused",
    );
  });

  test("of which there is none for the registry leaves it to be asked without", async () => {
    await using server = serve(plain);
    const logins = loginsOf(async () => []);
    expect((await lookUp(server, { logins })).command).toEqual(["serve"]);
  });

  test("that is unforeseen in its failure is thrown", async () => {
    await using server = serve(open, plain);
    const logins = loginsOf(() => Promise.reject(new TypeError("x")));
    const failed = await lookUp(server, { logins }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TypeError);
  });
});

describe("an image that was found with the operator's login", () => {
  test("is not told to a namespace that may not have it", async () => {
    await using server = serve(open, plain);
    const lookup = new ImageLookup({ settings: settingsFor([server]) });
    const ask = (logins?: NamespaceLogins) =>
      lookup.lookUp(`${server.host}/app`, { platform: linux, logins });
    expect((await ask(good)).command).toEqual(["serve"]);
    expect((await failureOf(ask())).code).toBe("DENIED");
    // Other rules, of which none is for this registry.
    const others: NamespaceLogins = { key: "1", loginsFor: () => [] };
    expect((await failureOf(ask(others))).code).toBe("DENIED");
    expect((await ask(good)).command).toEqual(["serve"]);
  });

  test("is not had by a pull secret that looks like the key of the logins", async () => {
    await using server = serve(open, plain);
    const lookup = new ImageLookup({ settings: settingsFor([server]) });
    await lookup.lookUp(`${server.host}/app`, { platform: linux, logins: good });
    const credentials = [{ ...entryOf(server, { username: canary() }), pattern: "operator:0" }];
    const error = await failureOf(
      lookup.lookUp(`${server.host}/app`, { platform: linux, credentials }),
    );
    expect(error.code).toBe("DENIED");
  });
});
