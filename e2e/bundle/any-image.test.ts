import { afterAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { setStage } from "../harness/wrapper/stage.ts";
import { makeApplication } from "./application.ts";
import { makeRoots } from "./roots.ts";
import { inRoot, markEntry, runInRoot } from "./run-in-root.ts";
import { surroundings } from "./surroundings.ts";

const TIMEOUT_MS = 180_000;
const { environment: settings, password, at } = setStage();
afterAll(() => {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  expect(mounts.filter((line) => line.includes("/svc-"))).toEqual([]);
});

for (const [image, root] of Object.entries(makeRoots(at("roots")))) {
  const app = makeApplication(at(`app of ${image}`), root);
  const launch = { root: root.path, app };

  describe.each(["env", "inject"])(
    `in ${image} the program gets its values by %s, its status and its environment`,
    (delivery) => {
      for (const [where, { options, environment = {} }] of Object.entries(surroundings)) {
        inRoot.concurrent(
          where,
          async () => {
            // Variables for the loader also work for a dynamic program, as they should.
            const hostile = Object.keys(environment).length > 0;
            const { exitCode, stdout, stderr } = await runInRoot({
              ...launch,
              options,
              words: ["--", hostile ? "/opt/app/tells-static" : "/opt/app/tells"],
              environment: {
                PATH: "/usr/bin:/bin",
                ...environment,
                ...settings,
                SVC_DELIVERY: delivery,
                SVC_LOG_LEVEL: "error",
                // If no execve can be announced, descendants would share a descriptor by a
                // variable.
                SVC_FOLLOW: "notify",
              },
            });
            expect(stderr).toBe("");
            expect(exitCode).toBe(7);
            const own = Object.entries(environment).map((entry) => entry.join("="));
            const all = [markEntry, "PATH=/usr/bin:/bin", ...own, `DB_PASSWORD=${password}`];
            expect(stdout.split("\0").slice(0, -1)).toEqual(all);
          },
          TIMEOUT_MS,
        );
      }
    },
  );

  describe(`in ${image} a dynamically linked program gets its values by preload`, () => {
    // A static program has no loader that would load the interposer. Variables for the loader work
    // for the wrapper's loader, too.
    const dynamic = root.program.endsWith("tells-static") ? [] : Object.entries(surroundings);
    for (const [where, { options, environment }] of dynamic) {
      if (environment !== undefined) continue;
      inRoot.concurrent(
        where,
        async () => {
          const { exitCode, stdout, stderr } = await runInRoot({
            ...launch,
            options,
            words: ["--delivery=preload", "--log-level=error", "--", "/opt/app/tells"],
            environment: { PATH: "/usr/bin:/bin", ...settings },
          });
          expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: "" });
          expect(stdout.split("\0").slice(0, -1)).toEqual([
            markEntry,
            "PATH=/usr/bin:/bin",
            "LD_PRELOAD=/opt/svc/lib/libsvc-preload.so",
            `DB_PASSWORD=${password}`,
          ]);
        },
        TIMEOUT_MS,
      );
    }
  });

  describe(`in ${image}`, () => {
    inRoot.concurrent(
      "the program gets its values by auto's choice",
      async () => {
        const { exitCode, stdout } = await runInRoot({
          ...launch,
          words: ["--", "/opt/app/tells"],
          environment: settings,
        });
        expect(exitCode).toBe(7);
        expect(stdout.split("\0")).toContain(`DB_PASSWORD=${password}`);
      },
      TIMEOUT_MS,
    );

    inRoot.concurrent(
      "without /proc the program gets its values, and the log says why not by inject",
      async () => {
        const ended = await runInRoot({
          ...launch,
          options: ["-p", "none"],
          words: ["--log-format=text", "--", "/opt/app/tells"],
          environment: settings,
        });
        expect(ended.exitCode, ended.stderr).toBe(7);
        expect(ended.stdout.split("\0")).toContain(`DB_PASSWORD=${password}`);
        expect(ended.stderr).toContain("/proc is not mounted");
      },
      TIMEOUT_MS,
    );

    inRoot.concurrent(
      "without a page of lockable memory it warns, or ends if it must not",
      async () => {
        const options = ["-n", "-u", "65534", "-l", "0"];
        const words = ["--log-format=text", "--", "/opt/app/tells"];
        const degraded = await runInRoot({ ...launch, options, words, environment: settings });
        expect(degraded.exitCode).toBe(7);
        expect(degraded.stderr).toContain("RLIMIT_MEMLOCK is 0 bytes");
        const environment = { ...settings, SVC_REQUIRE_MEMFD_SECRET: "true" };
        const refused = await runInRoot({ ...launch, options, words, environment });
        expect(refused).toMatchObject({ exitCode: 125, stdout: "" });
        expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
        expect(refused.stderr).toContain("RLIMIT_MEMLOCK is 0 bytes");
      },
    );
  });
}
