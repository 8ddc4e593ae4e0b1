import { describe, expect, test } from "bun:test";
import { decideSmall, injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

function fromImage(stopSignal: string, more: SmallPod = {}): SmallPod {
  return { image: { entrypoint: ["/app"], command: [], stopSignal }, ...more };
}

const rows: Readonly<Record<string, readonly [small: SmallPod, value: string | undefined]>> = {
  "is that of the image": [fromImage("SIGQUIT"), "SIGQUIT"],
  "is written with its name": [fromImage("2"), "SIGINT"],
  "may be a real-time signal": [fromImage("SIGRTMIN+3"), "SIGRTMIN+3"],
  "is not written if it is SIGTERM": [fromImage("TERM"), undefined],
  "is not known of an image that was not asked": [{}, undefined],
  "is that of the container before that of its image": [
    fromImage("SIGQUIT", { container: { command: [], lifecycle: { stopSignal: "SIGUSR1" } } }),
    "SIGUSR1",
  ],
  "is that of the container if it has a command": [
    { container: { command: ["/app"], lifecycle: { stopSignal: "SIGUSR1" } } },
    "SIGUSR1",
  ],
  "may be SIGTERM in the container although the image has another": [
    fromImage("SIGQUIT", { container: { command: [], lifecycle: { stopSignal: "SIGTERM" } } }),
    undefined,
  ],
  "is that of the annotation before all others": [
    fromImage("SIGQUIT", { annotations: { "stop-signal": "INT" } }),
    "INT",
  ],
  "is the container's own variable before all others": [
    {
      annotations: { "stop-signal": "INT" },
      container: { command: ["/app"], env: [{ name: "SVC_STOP_SIGNAL", value: "SIGUSR2" }] },
    },
    "SIGUSR2",
  ],
  "is left out if it does not end a program": [fromImage("SIGSTOP"), undefined],
  "is left out if new values are announced by it": [
    fromImage("SIGHUP", { annotations: { rotation: "sighup" } }),
    undefined,
  ],
};

describe("the stop signal of the wrapper", () => {
  for (const [name, [small, value]] of Object.entries(rows)) {
    test(name, () => {
      const { env } = injectedContainer(small);
      const found = env?.filter((entry) => entry.name === "SVC_STOP_SIGNAL");
      expect(found?.map((entry) => entry.value)).toEqual(value === undefined ? [] : [value]);
    });
  }

  for (const [text, annotations, warning] of [
    ["SIGSTOP", {}, "it does not ask a program to end"],
    ["SIGHUP", { rotation: "sighup" }, "SIGHUP announces new values there"],
  ] as const) {
    test(`warns of ${text} if it is left out`, () => {
      const decided = decideSmall(fromImage(text, { annotations }));
      const warnings = decided.kind === "patch" ? decided.warnings : [];
      const before = "container app: its stop signal is not taken for SVC_STOP_SIGNAL";
      expect(warnings).toContain(`${before}: ${warning}`);
    });
  }

  test("is refused if an annotation wants SIGHUP for it and for new values", () => {
    const decided = decideSmall({ annotations: { "stop-signal": "SIGHUP", rotation: "sighup" } });
    expect(decided).toMatchObject({ kind: "deny" });
    expect(decided.kind === "deny" && decided.message).toContain(
      "svc.internal/stop-signal: must be another signal than SIGHUP if the rotation is sighup",
    );
  });
});
