import { describe, expect, test } from "bun:test";
import { registryProblems } from "./registry-problems.ts";
import { registryDefaults } from "./registry-settings.ts";

describe("settings of registries", () => {
  test("that are well have no problem", () => {
    const settings = {
      defaultRegistry: { name: "hub.test", aliases: ["index.hub.test"], server: "hub.test:443" },
      mirrors: { "hub.test": ["mirror.test", "mirror.test:5000/proxy/hub", "[::1]:5000/"] },
      insecureRegistries: { "mirror.test:5000": "http" as const },
      authorities: { "*": ["PEM"], "hub.test": ["PEM"] },
      trustedHosts: ["10.0.0.1:5001"],
    };
    expect(registryProblems(settings)).toBeEmpty();
  });
  test("are all named that are not", () => {
    const settings = {
      ...registryDefaults,
      mirrors: { "https://hub.test": ["https://mirror.test", "mirror.test/Upper", ""] },
      trustedHosts: ["10.0.0.1:99999"],
    };
    expect(registryProblems(settings)).toEqual([
      'mirrors: must be HOST or HOST:PORT: got "https://hub.test"',
      'trusted hosts: must be HOST or HOST:PORT: got "10.0.0.1:99999"',
      'mirrors: must be HOST[:PORT][/PREFIX]: got "https://mirror.test"',
      'mirrors: must be HOST[:PORT][/PREFIX]: got "mirror.test/Upper"',
      'mirrors: must be HOST[:PORT][/PREFIX]: got ""',
    ]);
  });
});
