import { describe, expect, test } from "bun:test";
import { planFiles } from "./file-plan.ts";

const planOf = (...paths: readonly string[]) =>
  planFiles(paths.map((path) => ({ field: "f", path, mode: 0o400, base64: false })));

describe("planFiles", () => {
  test("plans nothing for no files", () => {
    expect(planOf()).toBeUndefined();
  });

  const rows: readonly (readonly [
    name: string,
    paths: readonly string[],
    folders: readonly (readonly [path: string, from: string])[],
    links: readonly (readonly [link: string, leadsTo: string])[],
  ])[] = [
    [
      "one folder, as a kubelet does",
      ["/etc/tls/key", "/etc/tls/crt"],
      [["/etc/tls", "/etc/tls"]],
      [
        ["/etc/tls/key", "..data/0-key"],
        ["/etc/tls/crt", "..data/1-crt"],
      ],
    ],
    [
      "folders below the one that is mounted, also if that is named last",
      ["/etc/tls/a/b/key", "/etc/tls/crt"],
      [["/etc/tls", "/etc/tls"]],
      [
        ["/etc/tls/a/b/key", "../../..data/0-key"],
        ["/etc/tls/crt", "..data/1-crt"],
      ],
    ],
    [
      "several folders, which all lead to the first one",
      ["/etc/tls/key", "/run/db/x/password", "/run/db/user"],
      [
        ["/etc/tls", "/etc/tls"],
        ["/run/db", "/etc/tls/..more/1"],
      ],
      [
        ["/etc/tls/key", "..data/0-key"],
        ["/etc/tls/..more/1/x/password", "/etc/tls/..data/1-password"],
        ["/etc/tls/..more/1/user", "/etc/tls/..data/2-user"],
      ],
    ],
    [
      "a folder whose name begins like another one's",
      ["/etc/tls/key", "/etc/tls2/key"],
      [
        ["/etc/tls", "/etc/tls"],
        ["/etc/tls2", "/etc/tls/..more/1"],
      ],
      [
        ["/etc/tls/key", "..data/0-key"],
        ["/etc/tls/..more/1/key", "/etc/tls/..data/1-key"],
      ],
    ],
  ];
  for (const [name, paths, folders, links] of rows) {
    test(name, () => {
      const plan = planOf(...paths);
      expect<unknown>(plan?.folders.map(({ path, from }) => [path, from])).toEqual(folders);
      expect<unknown>(plan?.files.map(({ link, leadsTo }) => [link, leadsTo])).toEqual(links);
      expect(plan?.home).toBe(folders[0]?.[0]);
    });
  }
});
