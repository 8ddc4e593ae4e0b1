import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { certificateAuthority, waitFor } from "@svc/testing";
import {
  doorTls,
  echoDoors,
  HEAD,
  nodeGroups,
  type Pem,
  post,
  request,
  secretText,
  talkingSocket,
} from "../testdata/echo-door.ts";
import { rawSocket, readAnswer, sendRaw } from "../testdata/raw-client.ts";
import { BunHttpDoor } from "./http-door.ts";

const doors = echoDoors();
const { open: openDoor } = doors;
afterAll(doors.close);

describe("a plain door", () => {
  const { port } = openDoor();

  const rows: readonly (readonly [
    name: string,
    pieces: string | readonly string[],
    status: number,
    body: string,
  ])[] = [
    ["answers from the head", HEAD, 200, '"GET /healthz"'],
    ["answers HTTP/1.0 without a Host", "GET /x HTTP/1.0\r\n\r\n", 200, '"GET /x"'],
    ["answers HEAD without a body", "HEAD / HTTP/1.1\r\nHost: p\r\n\r\n", 200, ""],
    ["answers once, and closes, where two requests come", HEAD + HEAD, 200, '"GET /healthz"'],
    ["takes a head byte by byte", [...HEAD], 200, '"GET /healthz"'],
    ["takes a body", post("hello"), 200, '"hello"'],
    ["takes a body byte by byte", [...post("hello")], 200, '"hello"'],
    ["takes no more of a body than was announced", `${post("hello")}, world`, 200, '"hello"'],
    ["takes an empty body", post(""), 200, '""'],
    ["takes the longest body", post("x".repeat(8192)), 200, `"${"x".repeat(8192)}"`],
    ["answers 500 when the head's answer throws", request("GET /throws"), 500, "INTERNAL"],
    ["answers 500 when the body's answer throws", post("throw"), 500, "INTERNAL"],
    ["refuses garbage", "\0\x01\x02garbage\r\n\r\n", 400, "MALFORMED_REQUEST"],
    ["refuses a TLS greeting", "\x16\x03\x01\x02\0\r\n\r\n", 400, "MALFORMED_REQUEST"],
    ["refuses a line without an end", `GET /${"x".repeat(9000)}`, 431, "HEADERS_TOO_LARGE"],
    [
      "refuses a header without an end",
      `${request("GET /").slice(0, -4)}\r\nX: ${"y".repeat(20000)}`,
      431,
      "HEADERS_TOO_LARGE",
    ],
    [
      "refuses a chunked body",
      "POST / HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      411,
      "LENGTH_REQUIRED",
    ],
    [
      "refuses a long body before it comes",
      `POST / HTTP/1.1\r\nHost: p\r\nContent-Length: 8193\r\n\r\n`,
      413,
      "BODY_TOO_LARGE",
    ],
  ];
  for (const [name, pieces, status, body] of rows) {
    test(name, async () => {
      const answer = await sendRaw(pieces, { port });
      expect([answer.status, answer.reset]).toEqual([status, false]);
      expect(answer.body).toContain(body);
      expect(answer.headers.get("connection")).toBe("close");
      expect(answer.headers.get("content-type")).toBe("application/json");
      if (!name.includes("HEAD")) {
        expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.body)));
      }
    });
  }

  test("answers a client that has closed its side", async () => {
    const answer = await sendRaw(post("slow"), { port, thenEnd: true });
    expect([answer.status, answer.body]).toEqual([200, '"slow"']);
  });

  test("the answer to a long body that still comes is not lost by a reset", async () => {
    const head = "POST / HTTP/1.1\r\nHost: p\r\nContent-Length: 2000000\r\n\r\n";
    const pieces = [head, ...Array.from({ length: 30 }, () => "x".repeat(65536))];
    const answer = await sendRaw(pieces, { port });
    expect([answer.status, answer.reset]).toEqual([413, false]);
  });

  test("says 100 Continue to a client that waits for it", async () => {
    const socket = await rawSocket({ port });
    const answer = readAnswer(socket);
    socket.write("POST / HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    const first = await new Promise<string>((resolve) => {
      socket.once("data", (bytes: Buffer) => resolve(bytes.toString()));
    });
    expect(first).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("hi");
    expect((await answer).text).toEndWith('"hi"');
  });

  const slow: readonly (readonly [name: string, first: string, more: string])[] = [
    ["says nothing", "", ""],
    ["stops in its head", "GET / HT", ""],
    ["never ends its head", "GET / HTTP/1.1\r\nHost: p\r\n", "X: y\r\n"],
    ["never ends its body", post("hello").slice(0, -4), "e"],
  ];
  for (const [name, first, more] of slow) {
    test.concurrent(`drops a client that ${name}, when its time is up`, async () => {
      const hasty = openDoor(undefined, 300);
      const socket = await rawSocket({ port: hasty.port });
      let dripped = 0;
      const drip = setInterval(() => {
        dripped += 1;
        if (more !== "" && dripped < 4) socket.write(more);
      }, 100);
      socket.write(first);
      const answer = await readAnswer(socket);
      clearInterval(drip);
      expect(answer.text).toBe("");
      // The kernel keeps a client that says nothing for some seconds.
    }, 30_000);
  }

  test.concurrent("a client that stays after its answer is left after two seconds, without a reset", async () => {
    const { port: own } = openDoor();
    const socket = await rawSocket({ port: own });
    let failed = false;
    socket.on("error", () => {
      failed = true;
    });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
    socket.write(HEAD);
    await waitFor(() => chunks.length > 0 && establishedAt(own) === 0, {
      deadlineMs: 5000,
      what: "the server to leave",
    });
    expect(Buffer.concat(chunks).toString()).toEndWith('"GET /healthz"');
    expect(failed).toBe(false);
    socket.destroy();
  });

  test("who closes the door lets nobody in and answers who is inside", async () => {
    const door = openDoor();
    const inside = await talkingSocket(door.port);
    const answer = readAnswer(inside);
    // The connection is known to the door once it has answered another one.
    await sendRaw(HEAD, { port: door.port });
    door.close();
    await expect(rawSocket({ port: door.port })).rejects.toThrow();
    inside.write(HEAD.slice(1));
    expect((await answer).status).toBe(200);
  });

  test("stands at every address, IPv4 and IPv6, where no host is named", async () => {
    const door = new BunHttpDoor({ host: "", port: 0, service: doors.service, nodeGroups });
    for (const host of ["127.0.0.1", "[::1]"]) {
      expect((await fetch(`http://${host}:${door.port}/x`)).status).toBe(200);
    }
    door.stop();
  });

  test("whatever bytes come, it answers or closes, and goes on", async () => {
    let seed = 11;
    const next = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % limit;
    };
    const words = [
      "POST / HTTP/1.1\r\n",
      "Host: p\r\n",
      "Content-Length: 3\r\n",
      "\r\n",
      "abc",
      "\0",
    ];
    for (let round = 0; round < 300; round += 1) {
      const pieces = Array.from({ length: 1 + next(5) }, () =>
        next(4) === 0 ? String.fromCharCode(next(256)) : (words[next(words.length)] ?? ""),
      );
      const { status, text } = await sendRaw(pieces, { port, thenEnd: true });
      expect(text === "" || status >= 200, pieces.join("")).toBe(true);
    }
    expect((await sendRaw(HEAD, { port })).status).toBe(200);
  });

  test("nobody else can listen at its port", () => {
    const taken = { hostname: "127.0.0.1", port, fetch: () => new Response() };
    expect(() => Bun.serve(taken)).toThrow();
    expect(() => Bun.serve({ ...taken, reusePort: true })).toThrow();
  });
});

describe("a door with TLS", async () => {
  const [authority, stranger] = await Promise.all([certificateAuthority(), certificateAuthority()]);
  const [own, next, client, foreign, expired] = await Promise.all([
    authority.issue(),
    stranger.issue(),
    authority.issue({ names: ["deployer"] }),
    stranger.issue({ names: ["intruder"] }),
    authority.issue({ names: ["late"], expiresMs: Date.now() - 1000 }),
  ]);
  const tls = doorTls(own, authority);
  const door = openDoor(tls);
  const ca = authority.certificatePem;

  const clients = [
    { name: "one without a certificate", tls: { ca }, certificateName: undefined },
    { name: "one of the client CA's", tls: { ca, ...pair(client) }, certificateName: "deployer" },
    { name: "one of another CA's", tls: { ca, ...pair(foreign) }, certificateName: undefined },
    { name: "one that has expired", tls: { ca, ...pair(expired) }, certificateName: undefined },
  ];
  for (const { name, tls, certificateName } of clients) {
    test(`lets in ${name} and says whose certificate was verified`, async () => {
      const answer = await sendRaw(request("GET /who"), { port: door.port, tls });
      expect(JSON.parse(answer.body)).toEqual({ address: "127.0.0.1", certificateName });
    });
  }

  test("without a client CA no certificate counts", async () => {
    const { clientCa, ...plain } = tls;
    const { port } = openDoor(plain);
    const answer = await sendRaw(request("GET /who"), { port, tls: { ca, ...pair(client) } });
    expect(JSON.parse(answer.body)).toEqual({ address: "127.0.0.1" });
  });

  test("takes a body byte by byte, and answers a client that has closed its side", async () => {
    const answer = await sendRaw([...post("slow")], {
      port: door.port,
      tls: { ca },
      thenEnd: true,
    });
    expect([answer.status, answer.body]).toEqual([200, '"slow"']);
  });

  test("drops who speaks HTTP to it", async () => {
    const answer = await sendRaw(HEAD, { port: door.port });
    expect(answer.status).toBe(0);
    expect((await sendRaw(HEAD, { port: door.port, tls: { ca } })).status).toBe(200);
  });

  test("takes another certificate on the same port; open connections keep theirs", async () => {
    const changing = openDoor(tls);
    const { port } = changing;
    const before = await rawSocket({ port, tls: { ca } });
    const answer = readAnswer(before);
    const nextTls = doorTls(next, stranger);
    changing.changeTls(nextTls, tls);
    expect(changing.port).toBe(port);
    expect((await sendRaw(HEAD, { port, tls: { ca: stranger.certificatePem } })).status).toBe(200);
    await expect(sendRaw(HEAD, { port, tls: { ca } })).rejects.toThrow();
    before.write(HEAD);
    expect((await answer).status).toBe(200);
    const who = { ca: stranger.certificatePem, ...pair(foreign) };
    expect((await sendRaw(request("GET /who"), { port, tls: who })).body).toContain("intruder");
  });

  const bad = [
    {
      name: "of a key that is another's",
      tls: { certificate: own.certificatePem, key: secretText(next.keyPem) },
    },
    {
      name: "half written",
      tls: { certificate: own.certificatePem.slice(0, 300), key: secretText(own.keyPem) },
    },
    { name: "that is none", tls: { certificate: "", key: secretText("") } },
  ];
  for (const { name, tls: broken } of bad) {
    test(`keeps the former certificate in place of one ${name}`, async () => {
      const changing = openDoor(tls);
      const { port } = changing;
      expect(() => changing.changeTls(broken, tls)).toThrow();
      expect((await sendRaw(HEAD, { port, tls: { ca } })).status).toBe(200);
    });
  }
});

/** Sockets of this process that serve connections at a port. */
function establishedAt(port: number): number {
  const inodes = new Set(
    readdirSync("/proc/self/fd").map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1];
      } catch {
        return undefined;
      }
    }),
  );
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/self/net/tcp", "utf8").split("\n").slice(1);
  return rows.filter((row) => {
    const [, from, to, , , , , , , inode] = row.trim().split(/\s+/);
    return from === local && to !== "00000000:0000" && inodes.has(inode);
  }).length;
}

function pair({ certificatePem, keyPem }: Pem) {
  return { cert: certificatePem, key: keyPem };
}
