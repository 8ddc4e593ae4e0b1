import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AzureStandIn, azureStandIn } from "../testdata/azure-stand-in.ts";
import {
  failureOf,
  type LoginFiles,
  logIn,
  loginFiles,
  loginsOf,
  subject,
} from "../testdata/login-stage.ts";
import { type TokenClaims, type TokenIssuer, tokenIssuer } from "../testdata/token-issuer.ts";

let issuer: TokenIssuer;
let azure: AzureStandIn;
let files: LoginFiles;

beforeAll(async () => {
  issuer = await tokenIssuer();
  azure = azureStandIn({ issuer, subject });
  files = loginFiles();
});
afterAll(async () => {
  files[Symbol.dispose]();
  await azure[Symbol.asyncDispose]();
});

async function workload(claims: Partial<TokenClaims> = {}) {
  const token = await issuer.sign({ subject, audience: azure.audience, ...claims });
  return {
    AZURE_AUTHORITY_HOST: `${azure.origin}/`,
    AZURE_CLIENT_ID: azure.clientId,
    AZURE_TENANT_ID: azure.tenantId,
    AZURE_FEDERATED_TOKEN_FILE: files.write(crypto.randomUUID(), token),
  };
}

const loginWith = (environment: Readonly<Record<string, string>>) =>
  logIn(loginsOf({ source: "azure", registry: azure.host, environment }), azure.host);

describe("a token of a registry is had", () => {
  const ways: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
    "by Entra workload identity": () => workload(),
    "by the managed identity of the node": async () => ({
      AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.origin,
    }),
    "by one of several managed identities": async () => ({
      AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.origin,
      AZURE_CLIENT_ID: azure.clientId,
      AZURE_TENANT_ID: azure.tenantId,
    }),
  };
  for (const [name, environment] of Object.entries(ways)) {
    test(name, async () => {
      const [found] = await loginWith(await environment());
      expect(found?.username).toBe("00000000-0000-0000-0000-000000000000");
      expect(azure.good.has(found?.password ?? "")).toBe(true);
      expect(azure.seen.at(-1)).toBe("POST /oauth2/exchange");
    });
  }
});

describe("a login that fails says the step and what to change:", () => {
  const rows: Readonly<Record<string, readonly [Partial<TokenClaims>, string, string]>> = {
    "another audience": [{ audience: "vault" }, "AADSTS700212", "api://AzureADTokenExchange"],
    "another service account": [{ subject: "other" }, "AADSTS700213", "subject"],
    "a token that has ended": [{ lifeS: -5 }, "AADSTS700024", "the kubelet replaces it"],
  };
  for (const [name, [claims, word, hint]] of Object.entries(rows)) {
    test(name, async () => {
      const error = await failureOf(loginWith(await workload(claims)));
      expect(error.message).toBe(
        `log in with azure: get a token for the service account's at ${azure.host}: status 401 (${word})`,
      );
      expect([error.code, error.hint]).toEqual(["LOGIN_REFUSED", expect.stringContaining(hint)]);
    });
  }

  test("an application that the tenant does not have", async () => {
    const environment = { ...(await workload()), AZURE_CLIENT_ID: crypto.randomUUID() };
    expect((await failureOf(loginWith(environment))).hint).toContain("AZURE_CLIENT_ID");
  });

  test("an identity that the node does not have", async () => {
    const environment = {
      AZURE_POD_IDENTITY_AUTHORITY_HOST: azure.origin,
      AZURE_CLIENT_ID: crypto.randomUUID(),
    };
    const error = await failureOf(loginWith(environment));
    expect(error.message).toEndWith("status 400 (invalid_request)");
    expect(error.hint).toContain("set AZURE_CLIENT_ID");
  });

  test("a registry that refuses the exchange", async () => {
    azure.fault = ({ url }) =>
      url.pathname === "/oauth2/exchange" ? new Response("canary", { status: 401 }) : undefined;
    const error = await failureOf(loginWith(await workload()));
    azure.fault = undefined;
    expect(error.message).toBe(
      `log in with azure: exchange the token of Entra at ${azure.host}: status 401`,
    );
    expect(error.hint).toContain("AcrPull");
  });
});
