import { expect, test } from "bun:test";
import { connect } from "node:net";
import { waitFor } from "@svc/testing";
import { deferAccept, setListenBacklog } from "./listening-socket.ts";
import { SyscallError } from "./syscall-error.ts";

test("a listening socket takes another backlog, as ss(8) shows", () => {
  const { listener, fd } = listening(() => undefined);
  setListenBacklog(fd, 77);
  const shown = Bun.spawnSync(["ss", "-ltnH", `sport = :${listener.port}`]).stdout.toString();
  expect(shown.split(/\s+/)[2]).toBe("77");
  listener.stop(true);
});

test("a client is let in once it has said something", async () => {
  let count = 0;
  const { listener, fd } = listening(() => {
    count += 1;
  });
  deferAccept(fd, 60);
  const clients = [1, 2].map(() => connect({ host: "127.0.0.1", port: listener.port }));
  for (const client of clients) client.on("error", () => undefined);
  await Promise.all(clients.map((client) => new Promise((done) => client.once("connect", done))));
  clients[1]?.write("x");
  await waitFor(() => count > 0, { deadlineMs: 10_000, what: "the client that speaks" });
  expect(count).toBe(1);
  for (const client of clients) client.destroy();
  listener.stop(true);
});

test("a descriptor that is no socket is refused", () => {
  expect(() => setListenBacklog(0, 1)).toThrow(SyscallError);
  expect(() => deferAccept(0, 1)).toThrow(SyscallError);
});

function listening(open: () => void) {
  const socket = { data: () => undefined, open };
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  // Bun's types do not know it yet.
  return { listener, fd: "fd" in listener ? Number(listener.fd) : -1 };
}
