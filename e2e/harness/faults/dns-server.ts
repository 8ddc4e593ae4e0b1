/** The way in which a name server answers. It gives every name the address 127.0.0.1. */
export type DnsManner = "honest" | "drops AAAA" | "refuses" | "silent";

/** A name server that runs. */
export interface DnsServer {
  readonly close: () => void;
}

const PORT = 53;
const A = 1;
const AAAA = 28;
// RFC 1035 section 4.1.1: an answer, with recursion.
const ANSWER = 0x8180;
const REFUSED = 5;
const HEADER_BYTES = 12;
const LOOPBACK = [127, 0, 0, 1];

/** Serves over UDP at port 53 of an address of the loopback interface, for which it needs root. */
export async function startDnsServer([address, manner]: readonly [
  address: string,
  manner: DnsManner,
]): Promise<DnsServer> {
  const socket = await Bun.udpSocket({
    hostname: address,
    port: PORT,
    socket: {
      data(server, question, port, client) {
        const answer = answerTo(question, manner);
        if (answer !== undefined) server.send(answer, port, client);
      },
      error() {
        // A client that has its answer, or waits no longer, has closed its socket; udp(7).
      },
    },
  });
  return { close: () => socket.close() };
}

function answerTo(asked: Buffer, manner: DnsManner): Buffer | undefined {
  // The name ends with an empty label; type and class follow. Go adds more.
  const end = asked.indexOf(0, HEADER_BYTES) + 1;
  const question = asked.subarray(0, end + 4);
  const kind = question.readUInt16BE(end);
  if (manner === "silent" || (manner === "drops AAAA" && kind === AAAA)) return undefined;
  if (manner === "refuses") return message(question, ANSWER | REFUSED, []);
  return message(question, ANSWER, kind === A ? [LOOPBACK] : []);
}

function message(question: Buffer, flags: number, addresses: readonly (readonly number[])[]) {
  const head = Buffer.alloc(HEADER_BYTES);
  question.copy(head, 0, 0, 2);
  [flags, 1, addresses.length].forEach((word, index) => {
    head.writeUInt16BE(word, 2 + 2 * index);
  });
  const records = addresses.map((bytes) => {
    // A pointer to the question's name, type A, class IN, a minute.
    return Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([head, question.subarray(HEADER_BYTES), ...records]);
}
