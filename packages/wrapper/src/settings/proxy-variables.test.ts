import { expect, test } from "bun:test";
import { unusedProxies } from "./proxy-variables.ts";

const https = "https://vault.example:8200";
const proxy = "http://user:hidden@proxy:3128";

const rows: readonly (readonly [
  what: string,
  address: string,
  environment: Readonly<Record<string, string>>,
  named: readonly string[],
])[] = [
  ["no proxy", https, { HTTPS_PROXY: "", NO_PROXY: "x" }, []],
  ["that of https", https, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }, ["HTTPS_PROXY"]],
  [
    "that of http",
    "http://vault.example",
    { https_proxy: proxy, http_proxy: proxy },
    ["http_proxy"],
  ],
  ["none for the loopback", "http://127.0.0.1:8200", { HTTP_PROXY: proxy }, []],
  ["none for localhost", "http://localhost:8200", { HTTP_PROXY: proxy }, []],
  ["none for a host of NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "a, vault.example" }, []],
  ["none for a domain of no_proxy", https, { HTTPS_PROXY: proxy, no_proxy: ".example" }, []],
  [
    "none for a host with a port",
    https,
    { HTTPS_PROXY: proxy, NO_PROXY: "Vault.example:8200" },
    [],
  ],
  ["none if NO_PROXY is *", https, { HTTPS_PROXY: proxy, NO_PROXY: "*" }, []],
  ["one for another domain", https, { HTTPS_PROXY: proxy, NO_PROXY: "ample,,x" }, ["HTTPS_PROXY"]],
  [
    "Vault's own for every address",
    "http://127.0.0.1:8200",
    { VAULT_PROXY_ADDR: proxy, VAULT_HTTP_PROXY: proxy, BAO_PROXY_ADDR: proxy, NO_PROXY: "*" },
    ["VAULT_PROXY_ADDR", "BAO_PROXY_ADDR", "VAULT_HTTP_PROXY"],
  ],
];
for (const [what, address, environment, named] of rows) {
  test(`a warning names ${what}`, () => {
    const warnings = unusedProxies(new Map(Object.entries(environment)), address);
    expect(warnings.map((text) => text.split(":")[0] ?? "")).toEqual([...named]);
    expect(warnings.join()).not.toContain("hidden");
  });
}
