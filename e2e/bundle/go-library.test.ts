import { describe, expect } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { libraryVariant } from "../harness/programs/program-variants.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { emptyRoot } from "./roots.ts";
import { inRoot, runInRoot } from "./run-in-root.ts";
import { surroundings } from "./surroundings.ts";

const TIMEOUT_MS = 180_000;
const { environment: settings, password, at } = setStage();
const { path: root } = emptyRoot(at("scratch"));
mkdirSync(at("app"));
copyFileSync(libraryVariant(), at("app/program"));

describe("FROM scratch a static Go program reads its secrets from protected memory:", () => {
  for (const [where, { options, environment = {} }] of Object.entries(surroundings)) {
    inRoot.concurrent(
      where,
      async () => {
        const { exitCode, stdout, stderr } = await runInRoot({
          root,
          app: at("app"),
          options,
          words: ["--log-level=error", "--", "/opt/app/program"],
          environment: { ...environment, ...settings },
        });
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        expect(stdout).toBe(`DB_PASSWORD=${password}\n"" false\n`);
      },
      TIMEOUT_MS,
    );
  }
});
