import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder, waitFor } from "@svc/testing";
import { openListener, type SocketListener } from "../registration/open-listener.ts";
import { SocketWatch } from "./socket-watch.ts";

const soon = { deadlineMs: 20_000, what: "the watch to tell of it" };

let folder: TemporaryFolder;
let socket: SocketListener;
let told: [kind: string, facts: unknown][];
let watch: SocketWatch;

beforeEach(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, "svc"));
  socket = await openListener(join(folder.path, "svc/agent.sock"));
  told = [];
  const reporter = {
    reportOwn: (kind: string, facts: unknown) => void told.push([kind, facts]),
  };
  watch = new SocketWatch({ sockets: [socket], reporter, log: () => undefined }, 1);
});

afterEach(() => {
  watch.stop();
  socket.close();
  folder[Symbol.dispose]();
});

const away = () => join(folder.path, "elsewhere");

describe("the agent reports its socket as lost, and as restored, if another process", () => {
  const rows: Readonly<Record<string, [lose: () => void, found: string, restore: () => void]>> = {
    "moves it": [
      () => renameSync(socket.path, away()),
      "nothing",
      () => renameSync(away(), socket.path),
    ],
    "moves its folder": [
      () => renameSync(join(folder.path, "svc"), away()),
      "nothing",
      () => renameSync(away(), join(folder.path, "svc")),
    ],
    "puts another file into its place": [
      () => {
        renameSync(socket.path, away());
        writeFileSync(socket.path, "");
      },
      "another file",
      () => renameSync(away(), socket.path),
    ],
    "puts a file into the place of its folder": [
      () => {
        renameSync(join(folder.path, "svc"), away());
        writeFileSync(join(folder.path, "svc"), "");
      },
      "unreadable",
      () => {
        unlinkSync(join(folder.path, "svc"));
        renameSync(away(), join(folder.path, "svc"));
      },
    ],
  };
  for (const [name, [lose, found, restore]] of Object.entries(rows)) {
    test(name, async () => {
      const { path } = socket;
      lose();
      await waitFor(() => told.length > 0, soon);
      expect([watch.lost(), told]).toEqual([[path], [["agent_socket_lost", { path, found }]]]);
      restore();
      await waitFor(() => told.length > 1, soon);
      expect([watch.lost(), told[1]]).toEqual([[], ["agent_socket_restored", { path }]]);
    });
  }

  test("a socket in its place is not reported", async () => {
    const other = await openListener(join(folder.path, "svc/other.sock"));
    other.close();
    await waitFor(() => other.place() === "nothing", soon);
    expect([watch.lost(), told]).toEqual([[], []]);
  });
});
