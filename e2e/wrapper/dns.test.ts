import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { needsRoot } from "@svc/testing";
import { type DnsManner, startDnsServer } from "../harness/faults/dns-server.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const { store, environment, password, at } = setStage();
const { port } = new URL(store.address);

// Only root may serve at port 53. The addresses are of the loopback interface.
const servers: Readonly<Record<string, DnsManner>> = {
  "127.53.0.1": "honest",
  "127.53.0.2": "drops AAAA",
  "127.53.0.3": "refuses",
  "127.53.0.4": "silent",
};
const running = process.getuid?.() === 0 ? Object.entries(servers).map(startDnsServer) : [];
afterAll(async () => {
  for (const server of await Promise.all(running)) server.close();
});

interface Row {
  readonly what: string;
  readonly servers: readonly string[];
  readonly options?: string;
}

const rows: readonly Row[] = [
  { what: "with an underscore", servers: ["127.53.0.1"] },
  { what: "without an answer for AAAA", servers: ["127.53.0.2"] },
  { what: "that the first server refuses", servers: ["127.53.0.3", "127.53.0.1"] },
  { what: "by the search list", servers: ["127.53.0.1"], options: "search test\n" },
];

needsRoot(describe)("a wrapper finds a vault by a name", () => {
  for (const { what, servers: asked, options = "" } of rows) {
    test.concurrent(what, async () => {
      const ended = await run(what, asked, `options timeout:30\n${options}`, {
        VAULT_ADDR: `http://my_vault${options === "" ? ".test" : ""}:${port}`,
      });
      expect(ended.stdout.toString()).toBe(`${password}\n`);
      expect(ended.exitCode).toBe(0);
    });
  }
});

const failing = [
  ["127.53.0.3", "DNS server 127.53.0.3 answered REFUSED for my_vault.test"],
  ["127.53.0.4", "DNS server 127.53.0.4 has not answered for my_vault.test"],
  ["127.53.0.5", "DNS server 127.53.0.5: connection refused"],
] as const;

needsRoot(describe)("an error names DNS and not the vault", () => {
  for (const [server, told] of failing) {
    test.concurrent(told, async () => {
      const ended = await run(server, [server], "", {
        VAULT_ADDR: `http://my_vault.test:${port}`,
        SVC_START_DEADLINE: "2s",
      });
      expect(ended.exitCode).toBe(125);
      expect(ended.stderr).toContain(told);
      expect(ended.stderr).toContain("the host name does not resolve");
      expect(ended.stderr).not.toContain("no complete answer");
    });
  }
});

test.concurrent("the health server listens at localhost, and at no name that the machine has not", async () => {
  const program = ["/bin/true"];
  const local = { ...environment, HEALTH_ADDR: "localhost:0" };
  expect((await runWrapper({ program, environment: local })).exitCode).toBe(0);
  const strange = { ...environment, HEALTH_ADDR: "host.invalid:0" };
  const refused = await runWrapper({ program, environment: strange });
  expect(refused.exitCode).toBe(125);
  expect(refused.stderr).toContain("host.invalid is neither an address nor a name in /etc/hosts");
});

/** Runs a wrapper for which a file of the servers stands for /etc/resolv.conf. */
function run(
  name: string,
  asked: readonly string[],
  rest: string,
  changed: Readonly<Record<string, string>>,
) {
  const path = at(`resolv.conf-${name}`);
  writeFileSync(path, asked.map((server) => `nameserver ${server}\n`).join("") + rest);
  const mounted = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  const shows = ["/bin/sh", "-c", 'echo "$DB_PASSWORD"'];
  const words = [wrapperPath, "--", ...shows];
  return runWrapper({
    instead: ["unshare", "--mount", "/bin/sh", "-c", mounted, "sh", path, ...words],
    environment: { ...environment, ...changed },
  });
}
