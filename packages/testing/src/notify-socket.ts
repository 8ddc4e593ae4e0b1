import { waitFor } from "./wait-for.ts";

/** A unix datagram socket that keeps its messages. */
export interface NotifySocket extends AsyncDisposable {
  /** The datagrams so far, as text. */
  readonly messages: () => readonly string[];
  /** Waits for a datagram that holds the text. */
  readonly gets: (text: string) => Promise<string>;
}

// perl-base is essential in Debian; neither Bun nor node:dgram has unix datagrams.
const receiver = `
use Socket; $| = 1; my $name = shift; $name =~ s/^\\@/\\0/;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($s, pack_sockaddr_un($name)) or die "bind: $!";
print "ready\\n";
while (defined recv($s, my $bytes, 65536, 0)) { print unpack("H*", $bytes), "\\n" }
`;

/**
 * Listens as systemd does at NOTIFY_SOCKET: at a path, or with a leading \`@\` at an abstract
 * address.
 */
export async function notifySocket(address: string): Promise<NotifySocket> {
  const child = Bun.spawn(["perl", "-e", receiver, address], { stdout: "pipe", stderr: "inherit" });
  let text = "";
  const reading = (async () => {
    for await (const chunk of child.stdout) text += new TextDecoder().decode(chunk);
  })();
  const lines = () => text.split("\n").slice(0, -1);
  const messages = () => lines().slice(1).map(fromHex);
  await waitFor(() => lines().length > 0, { deadlineMs: 5000, what: `a socket at ${address}` });
  return {
    messages,
    gets: (part) =>
      waitFor(() => messages().find((message) => message.includes(part)), {
        deadlineMs: 5000,
        what: `a datagram with ${part}`,
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill(9);
      await Promise.all([child.exited, reading]);
    },
  };
}

function fromHex(line: string): string {
  return Buffer.from(line, "hex").toString();
}
