import { afterAll, expect, test } from "bun:test";
import { certificateAuthority, waitFor } from "@svc/testing";
import { doorTls, echoDoors, HEAD, post, talkingSocket } from "../testdata/echo-door.ts";
import { readAnswer, sendRaw } from "../testdata/raw-client.ts";
import { MAX_CONNECTIONS } from "../visitors.ts";

const doors = echoDoors();
const { open: openDoor, held } = doors;
afterAll(doors.close);

test("of too many connections the oldest goes, and the newest is answered", async () => {
  const { port: own } = openDoor();
  const idle = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => talkingSocket(own)));
  let closed = 0;
  for (const socket of idle) {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      closed += 1;
    });
  }
  expect((await sendRaw(HEAD, { port: own })).status).toBe(200);
  await waitFor(() => closed === 1, { deadlineMs: 2000, what: "one connection to go" });
  for (const socket of idle) socket.destroy();
});

test("a flood from one address sends no other client away", async () => {
  const { port: own } = openDoor();
  const other = await talkingSocket(own);
  const answer = readAnswer(other);
  const flood = await Promise.all(
    Array.from({ length: 2 * MAX_CONNECTIONS }, () => talkingSocket(own, "127.0.0.2")),
  );
  other.write(HEAD.slice(1));
  expect((await answer).status).toBe(200);
  for (const socket of flood) socket.destroy();
});

test("a request that is being answered is not the one that goes", async () => {
  const { port: own } = openDoor();
  const slow = sendRaw(post("hold"), { port: own });
  await waitFor(() => held.length > 0, { deadlineMs: 2000, what: "the request" });
  const idle = await Promise.all(
    Array.from({ length: MAX_CONNECTIONS + 5 }, () => talkingSocket(own)),
  );
  for (const socket of idle) socket.on("error", () => undefined);
  held.pop()?.();
  expect((await slow).body).toBe('"hold"');
  for (const socket of idle) socket.destroy();
});

test("a door with TLS counts connections that never shake hands", async () => {
  const authority = await certificateAuthority();
  const ca = authority.certificatePem;
  const { port } = openDoor(doorTls(await authority.issue(), authority));
  const idle = await Promise.all(
    Array.from({ length: MAX_CONNECTIONS + 10 }, () => talkingSocket(port)),
  );
  let closed = 0;
  for (const socket of idle) {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      closed += 1;
    });
  }
  expect((await sendRaw(HEAD, { port, tls: { ca } })).status).toBe(200);
  await waitFor(() => closed >= 10, { deadlineMs: 2000, what: "the oldest to go" });
  for (const socket of idle) socket.destroy();
});
