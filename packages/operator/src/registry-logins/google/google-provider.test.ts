import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GoogleStandIn, googleStandIn } from "../testdata/google-stand-in.ts";
import {
  failureOf,
  type LoginFiles,
  logIn,
  loginFiles,
  loginsOf,
  subject,
} from "../testdata/login-stage.ts";
import { type TokenClaims, type TokenIssuer, tokenIssuer } from "../testdata/token-issuer.ts";

const registry = "europe-docker.pkg.dev";
let issuer: TokenIssuer;
let google: GoogleStandIn;
let files: LoginFiles;

beforeAll(async () => {
  issuer = await tokenIssuer();
  google = googleStandIn({ issuer, subject });
  files = loginFiles();
});
afterAll(async () => {
  files[Symbol.dispose]();
  await google[Symbol.asyncDispose]();
});

const loginWith = (environment: Readonly<Record<string, string>>) =>
  logIn(loginsOf({ source: "google", registry, environment }), registry);

const loginBy = (file: object) =>
  loginWith({
    GOOGLE_APPLICATION_CREDENTIALS: files.write(crypto.randomUUID(), JSON.stringify(file)),
  });

async function tokenFile(claims: Partial<TokenClaims> = {}): Promise<string> {
  const audience = `https:${google.audience}`;
  return files.write(crypto.randomUUID(), await issuer.sign({ subject, audience, ...claims }));
}

function expectGood(found: Awaited<ReturnType<typeof logIn>>): void {
  expect(found.map(({ username }) => username)).toEqual(["oauth2accesstoken"]);
  expect(google.good.has(found[0]?.password ?? "")).toBe(true);
}

describe("a token of Google is had", () => {
  test("from the metadata server", async () => {
    expectGood(await loginWith({ GCE_METADATA_HOST: google.host }));
  });
  test("by Workload Identity Federation", async () => {
    expectGood(await loginBy(google.externalAccount(await tokenFile(), false)));
  });
  test("by Workload Identity Federation as a service account", async () => {
    const before = google.seen.length;
    expectGood(await loginBy(google.externalAccount(await tokenFile(), true)));
    expect(google.seen.slice(before)).toEqual([
      "POST /v1/token",
      `POST /v1/projects/-/serviceAccounts/${google.email}:generateAccessToken`,
    ]);
  });
  test("by a token in a JSON file", async () => {
    const token = await issuer.sign({ subject, audience: `https:${google.audience}` });
    const file = files.write("token.json", JSON.stringify({ id: { x: 1 }, jwt: token }));
    const account = {
      ...google.externalAccount(file, false),
      credential_source: { file, format: { type: "json", subject_token_field_name: "jwt" } },
    };
    expectGood(await loginBy(account));
  });
  test("by the key of a service account", async () => {
    expectGood(await loginBy(await google.accountKey()));
  });
});

describe("a login that fails says the step and what to change:", () => {
  const rows: Readonly<Record<string, readonly [Partial<TokenClaims>, string, string]>> = {
    "a token for another audience": [
      { audience: "vault" },
      "status 400 (invalid_grant)",
      "audience",
    ],
    "a token that has ended": [{ lifeS: -5 }, "status 400 (invalid_grant)", "audience"],
    "a service account that the pool does not trust": [
      { subject: "system:serviceaccount:other:other" },
      "status 400 (unauthorized_client)",
      "attribute condition",
    ],
  };
  for (const [name, [claims, message, hint]] of Object.entries(rows)) {
    test(name, async () => {
      const account = google.externalAccount(await tokenFile(claims), true);
      const error = await failureOf(loginBy(account));
      expect(error.message).toEndWith(message);
      expect(error.message).toStartWith(
        `log in with google: exchange the token of the service account at ${google.host}: `,
      );
      expect([error.code, error.hint]).toEqual(["LOGIN_REFUSED", expect.stringContaining(hint)]);
    });
  }

  test("a key that was deleted", async () => {
    const { client_email: _, ...key } = Object(await google.accountKey());
    const error = await failureOf(loginBy({ ...key, client_email: "gone@project.test" }));
    expect(error.message).toEndWith("status 400 (invalid_grant)");
    expect(error.hint).toContain("deleted");
  });

  test("another program at the address of the metadata server", async () => {
    google.fault = () => Response.json({ access_token: "x", expires_in: 300 });
    const error = await failureOf(loginWith({ GCE_METADATA_HOST: google.host }));
    google.fault = undefined;
    expect(error.message).toEndWith("the answer is not from a metadata server");
  });

  const files_: Readonly<Record<string, readonly [object, string]>> = {
    "another kind": [{ type: "authorized_user" }, "field type"],
    "a source of AWS": [
      { type: "external_account", credential_source: { environment_id: "aws1" } },
      "field credential_source.file",
    ],
    "a server without TLS": [
      {
        ...{ type: "external_account", audience: "a", subject_token_type: "t" },
        ...{ credential_source: { file: "/x" }, token_url: "http://sts.test/" },
      },
      "field token_url",
    ],
    "no key": [{ type: "service_account", client_email: "a" }, "field private_key"],
    "an invalid key": [
      { type: "service_account", client_email: "a", private_key: "canary-key" },
      "private_key is not an RSA key",
    ],
  };
  for (const [name, [file, message]] of Object.entries(files_)) {
    test(`a file with ${name}`, async () => {
      const error = await failureOf(loginBy(file));
      expect([error.code, error.message]).toEqual([
        "LOGIN_REFUSED",
        expect.stringContaining(message),
      ]);
      expect(Bun.inspect(error)).not.toContain("canary-key");
    });
  }
});
