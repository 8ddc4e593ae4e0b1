import { describe, expect, test } from "bun:test";
import { type Environment, least, settingsOf } from "./testdata/least-environment.ts";

describe("what is fetched", () => {
  const { SVC_SECRET_PATHS: _paths, SVC_ENV_MAP: _map, ...bare } = least;
  const paths = { SVC_SECRET_PATHS: "secret/data/a,kv/data/b#3" };
  const rows: readonly (readonly [
    name: string,
    environment: Environment,
    secrets: object,
    flag?: string,
  ])[] = [
    [
      "pairs the groups with the paths in order",
      { ...paths, SVC_ENV_MAP: "x=X,y=Y;*=B_*" },
      {
        sources: [
          {
            path: "secret/data/a",
            mappings: [
              { kind: "field", field: "x", variable: "X" },
              { kind: "field", field: "y", variable: "Y" },
            ],
          },
          { path: "kv/data/b", version: 3, mappings: [{ kind: "every", prefix: "B_" }] },
        ],
        searchedKeys: [],
      },
    ],
    [
      "reads the paths from SECRET_PATHS, the old name",
      { SECRET_PATHS: "secret/data/a", SVC_ENV_MAP: "*=*" },
      {
        sources: [{ path: "secret/data/a", mappings: [{ kind: "every", prefix: "" }] }],
        searchedKeys: [],
      },
    ],
    [
      "takes a bare key of --secrets as a separate secret if there are no paths",
      {},
      {
        sources: [
          { path: "secret/data/A", mappings: [{ kind: "sole", variable: "A" }] },
          { path: "secret/data/B", mappings: [{ kind: "sole", variable: "B" }] },
        ],
        searchedKeys: [],
      },
      "A,B",
    ],
    [
      "looks a bare key of --secrets up in all paths if there are some",
      paths,
      {
        sources: [
          { path: "secret/data/a", mappings: [] },
          { path: "kv/data/b", version: 3, mappings: [] },
        ],
        searchedKeys: ["A", "B"],
      },
      "A,B",
    ],
    [
      "fetches a path once that several items of --secrets name",
      {},
      {
        sources: [
          {
            path: "kv/data/db",
            mappings: [
              { kind: "field", field: "user", variable: "U" },
              { kind: "field", field: "password", variable: "P" },
            ],
          },
          {
            path: "kv/data/db",
            version: 3,
            mappings: [{ kind: "field", field: "user", variable: "U3" }],
          },
          { path: "kv/data/key", mappings: [{ kind: "sole", variable: "K" }] },
        ],
        searchedKeys: [],
      },
      "U=kv/data/db#user,P=kv/data/db#password,U3=kv/data/db#user#3,K=kv/data/key",
    ],
    [
      "leaves paths out in which nothing is looked for",
      paths,
      {
        sources: [{ path: "kv/data/key", mappings: [{ kind: "sole", variable: "K" }] }],
        searchedKeys: [],
      },
      "K=kv/data/key",
    ],
  ];
  for (const [name, environment, secrets, flag] of rows) {
    test(name, () => {
      const flags = flag === undefined ? [] : [`--secrets=${flag}`];
      const settings = settingsOf({ ...bare, ...environment }, { flags });
      expect<unknown>(settings.secrets).toEqual({ ...secrets, allowReferences: false });
    });
  }
});
