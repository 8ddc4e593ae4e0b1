import { describe, expect, test } from "bun:test";
import { decideSmall, injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

const never = { supervise: "never" };
const rotationOf = (small: SmallPod) =>
  injectedContainer(small).env?.find(({ name }) => name === "SVC_ROTATION")?.value;

describe("a container whose wrapper becomes the program", () => {
  test("has no rotation, and a startup probe", () => {
    const { env, startupProbe } = injectedContainer({ annotations: never });
    expect(env).toContainEqual({ name: "SVC_SUPERVISE", value: "never" });
    expect(env).toContainEqual({ name: "SVC_ROTATION", value: "none" });
    expect(startupProbe?.exec?.command).toEqual(["/opt/svc/bin/svc-wrapper", "--once-ready"]);
  });

  test("has no rotation either if its own variable says so", () => {
    const env = [{ name: "SVC_SUPERVISE", value: "never" }];
    expect(rotationOf({ container: { command: ["/app"], env } })).toBe("none");
    const always = [{ name: "SVC_SUPERVISE", value: "always" }];
    const container = { command: ["/app"], env: always };
    expect(rotationOf({ annotations: never, container })).toBe("restart");
  });

  test("is refused with each annotation that needs a wrapper beside the program", () => {
    const annotations = {
      ...{ ...never, rotation: "sighup", restart: "always", delivery: "inject" },
      ...{ follow: "trace", ebpf: "true", "require-agent": "true" },
    };
    const decided = decideSmall({ annotations, spec: { shareProcessNamespace: true } });
    const message = decided.kind === "deny" ? decided.message : "";
    const needy = ["rotation", "restart", "delivery", "follow", "ebpf", "require-agent"];
    for (const name of needy) {
      expect(message).toContain(
        `svc.internal/${name}: must be left out if svc.internal/supervise is never`,
      );
    }
    expect(message).toContain("svc.internal/supervise: must be left out if the pod's containers");
  });

  test("is accepted with values that need none", () => {
    const annotations = { ...never, rotation: "none", delivery: "env", ebpf: "false" };
    expect(decideSmall({ annotations })).toMatchObject({ kind: "patch" });
  });
});

describe("an init that must be process 1", () => {
  const rows: Readonly<Record<string, readonly [small: SmallPod, warns: boolean]>> = {
    "as the image's entrypoint": [{ image: { entrypoint: ["/init"], command: [] } }, true],
    "as the image's command": [{ image: { entrypoint: [], command: ["/sbin/init"] } }, true],
    "as the pod's command": [{ container: { command: ["/sbin/runit"] } }, true],
    "that the wrapper becomes": [
      { annotations: never, container: { command: ["/sbin/runit"] } },
      false,
    ],
    "behind another program": [{ container: { command: ["/app", "/init"] } }, false],
  };
  for (const [name, [small, warns]] of Object.entries(rows)) {
    test(`${name} ${warns ? "brings" : "brings no"} warning`, () => {
      const decided = decideSmall(small);
      const warnings = decided.kind === "patch" ? decided.warnings.join("\n") : "";
      expect(warnings.includes("annotate svc.internal/supervise: never")).toBe(warns);
    });
  }
});
