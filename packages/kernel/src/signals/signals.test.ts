import { describe, expect, test } from "bun:test";
import { runFixture } from "../../testdata/run-fixture.ts";
import { sendSignal, signalSet } from "./signals.ts";

describe("signalSet", () => {
  const rows: readonly (readonly [
    name: string,
    signals: readonly number[],
    bytes: readonly (readonly [index: number, value: number])[],
  ])[] = [
    ["is empty for no signals", [], []],
    ["has signal 1 in the first bit", [1], [[0, 1]]],
    ["has signal 8 in the last bit of the first byte", [8], [[0, 0x80]]],
    ["has signal 9 in the second byte", [9], [[1, 1]]],
    ["has signal 64 in the last bit of the kernel's set", [64], [[7, 0x80]]],
    [
      "joins signals, also repeated ones",
      [1, 2, 2, 15],
      [
        [0, 3],
        [1, 0x40],
      ],
    ],
  ];
  for (const [name, signals, bytes] of rows) {
    test(name, () => {
      const expected = new Uint8Array(128);
      for (const [index, value] of bytes) expected[index] = value;
      expect(signalSet(signals)).toEqual(expected);
    });
  }
});

describe("sendSignal", () => {
  test("reaches a process, and reports when none is left", async () => {
    const child = Bun.spawn(["sleep", "60"]);
    expect(sendSignal(child.pid, 0)).toBe(true);
    expect(sendSignal(child.pid, 15)).toBe(true);
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
    expect(sendSignal(child.pid, 15)).toBe(false);
  });

  test("brings a value, and the sender, as sigqueue(3) does", async () => {
    const waits = `import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [10])
print("ready", flush=True)
for _ in range(2):
    info = signal.sigwaitinfo([10])
    print(info.si_signo, info.si_code, info.si_pid, flush=True)`;
    await using child = Bun.spawn(["python3", "-c", waits], { stdout: "pipe" });
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const prints = async (wanted: string): Promise<void> => {
      while (!text.endsWith(wanted)) {
        const { value, done } = await lines.read();
        if (done) throw new Error(`it printed ${JSON.stringify(text)}`);
        text += value;
      }
    };
    await prints("ready\n");
    sendSignal(child.pid, 10, 7n);
    await prints(`10 -1 ${process.pid}\n`);
    sendSignal(child.pid, 10);
    await prints(`10 0 ${process.pid}\n`);
  });

  test("throws EINVAL for a signal that does not exist", () => {
    expect(() => sendSignal(process.pid, 65)).toThrow(
      expect.objectContaining({ syscall: "kill", code: "EINVAL" }),
    );
  });
});

test("masks and ignored signals match the kernel's", () => {
  expect(runFixture("changes-signals")).toEqual({
    blocked: [10, 12, 64],
    readBack: true,
    replaced: [15],
    emptied: [],
    ignored: { before: false, set: true, inKernel: true, taken: false },
    uncatchable: "sigaction: EINVAL",
  });
});
