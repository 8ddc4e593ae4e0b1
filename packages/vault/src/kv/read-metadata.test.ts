import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const token = new Secret("hvs.test");

describe("readMetadata", () => {
  test("asks the metadata path and gives the state of each version", async () => {
    using server = startServer(() =>
      json({
        data: {
          current_version: 2,
          versions: {
            1: { created_time: "t1", deletion_time: "t2", destroyed: true },
            2: { created_time: "t3", deletion_time: "", destroyed: false },
          },
        },
      }),
    );
    expect(await clientOf(server).readMetadata(token, "secret/data/app")).toEqual({
      currentVersion: 2,
      versions: new Map([
        [1, { createdTime: "t1", deletionTime: "t2", destroyed: true }],
        [2, { createdTime: "t3", deletionTime: "", destroyed: false }],
      ]),
    });
    expect(server.seen[0]?.target).toBe("/v1/secret/metadata/app");
  });

  test("names the path that the policy must grant", async () => {
    using server = startServer(() => json({ errors: ["permission denied"] }, 403));
    const error = await failure(clientOf(server).readMetadata(token, "secret/data/app"));
    expect(error.code).toBe("DENIED");
    expect(error.hint).toContain('"secret/metadata/app"');
  });

  test("refuses a path that has none", async () => {
    using server = startServer(() => json({}));
    const error = await failure(clientOf(server).readMetadata(token, "database/creds/app"));
    expect(error.code).toBe("INVALID_INPUT");
  });

  test.each([{}, { data: {} }, { data: { current_version: 1, versions: { 1: {} } } }])(
    "refuses the answer %j",
    async (body) => {
      using server = startServer(() => json(body));
      const error = await failure(clientOf(server).readMetadata(token, "secret/data/app"));
      expect(error.code).toBe("BAD_RESPONSE");
    },
  );
});
