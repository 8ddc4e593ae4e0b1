import {
  type HttpFault,
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from "../src/http/transport.ts";
import { closed } from "./closed.ts";

/** The behaviours of the table's servers. */
type ServerName =
  | "echo"
  | "gone"
  | "silent"
  | "closing"
  | "closingInTheBody"
  | "closingInAChunk"
  | "notHttp"
  | "endlessHeaders"
  | "endlessBody"
  | "longBody"
  | "verified"
  | "namedOtherwise"
  | "expired"
  | "selfSigned"
  | "demanding";

/** The addresses of the servers and their certificates; plain data. */
export interface TransportStage {
  readonly servers: Readonly<Record<ServerName, string>>;
  readonly ca: string;
  readonly client: { readonly cert: string; readonly key: string };
  /** A private key of another certificate than the client's. */
  readonly otherKey: string;
}

/** One promise of a transport, with plain data as the outcome. */
export interface TransportRow {
  readonly name: string;
  readonly actual: (transport: Transport, stage: TransportStage) => Promise<unknown>;
  readonly expected: unknown;
}

type AskedInjection = Partial<HttpRequest>;
type RequestOf = (stage: TransportStage) => AskedInjection;
type Look = (response: HttpResponse) => unknown;

const request: HttpRequest = {
  method: "GET",
  url: "",
  headers: [],
  tls: { skipVerify: false },
  maxBytes: 1 << 20,
  ownConnection: false,
  signal: new AbortController().signal,
};
const none: RequestOf = () => ({});
const anAnswer: Look = () => "an answer";

/**
 * The guarantees of each transport with real servers. It does not use Bun, so that it runs on every
 * runtime; the servers of transport-stage.ts may be those of another process.
 */
export const transportTable: readonly TransportRow[] = [
  ...answerRows(),
  ...faultRows(),
  ...tlsRows(),
];

function answerRows(): readonly TransportRow[] {
  const secret = 'x"\\';
  const sent: AskedInjection = {
    method: "POST",
    headers: [["X-Vault-Token", closed("hvs.test")]],
    body: ['{"jwt":"', closed(secret), '"}'],
  };
  const seen = { method: "POST", target: "/echo?a=b", token: "hvs.test" };
  const jwt = JSON.stringify({ jwt: secret });
  return [
    answered("sends a closed secret", "echo", "/echo?a=b", () => sent, textOf, {
      ...seen,
      body: jwt,
    }),
    answered("gives a status that means a failure", "echo", "/status/503", none, statusOf, 503),
    answered("looks a header up", "echo", "/", none, ({ header }) => header("retry-after"), "2"),
    answered(
      "has no header that is not there",
      "echo",
      "/",
      none,
      ({ header }) => header("x"),
      undefined,
    ),
    answered("gives no body if there is none", "echo", "/nothing", none, lengthOf, 0),
    answered("follows no redirect", "echo", "/redirect", none, statusOf, 307),
    answered("undoes no compression", "echo", "/compressed", none, lengthOf, 8),
    answered(
      "asks on a separate connection",
      "echo",
      "/",
      () => ({ ownConnection: true }),
      statusOf,
      200,
    ),
    answered(
      "takes a body of the longest length",
      "echo",
      "/compressed",
      () => ({ maxBytes: 8 }),
      lengthOf,
      8,
    ),
  ];
}

function faultRows(): readonly TransportRow[] {
  const soon = () => ({ signal: AbortSignal.timeout(50) });
  const small = () => ({ maxBytes: 4096 });
  const never = () => {
    const controller = new AbortController();
    controller.abort();
    return { signal: controller.signal };
  };
  return [
    failed("nobody listens", "gone", none, "refused", false),
    failed("the connection ends before the answer", "closing", none, "closed", false),
    failed("the connection ends in the body", "closingInTheBody", none, "closed", true),
    failed("the connection ends in a chunk", "closingInAChunk", none, "closed", true),
    failed("the answer is not HTTP", "notHttp", none, "not HTTP", false),
    failed("the headers do not end", "endlessHeaders", none, "headers too large", false),
    failed("the body does not end", "endlessBody", small, "body too large", true),
    failed("the body is longer than allowed", "longBody", small, "body too large", true),
    failed("the time is up", "silent", soon, "aborted", false),
    failed("no caller waits any more", "echo", never, "aborted", false),
    {
      name: "fails if the name does not resolve",
      actual: (transport) =>
        outcome(transport, { ...request, url: "http://name.invalid/" }, anAnswer),
      expected: { fault: "name not found", answered: false },
    },
  ];
}

function tlsRows(): readonly TransportRow[] {
  const verify: RequestOf = ({ ca }) => ({ tls: { skipVerify: false, ca: [ca] } });
  const lax: RequestOf = () => ({ tls: { skipVerify: true } });
  const named =
    (serverName: string): RequestOf =>
    ({ ca }) => ({ tls: { skipVerify: false, ca: [ca], serverName } });
  const paired: RequestOf = ({ ca, client }) => ({
    tls: { skipVerify: false, ca: [ca], cert: client.cert, key: closed(client.key) },
  });
  const unpaired: RequestOf = ({ ca, client, otherKey }) => ({
    tls: { skipVerify: false, ca: [ca], cert: client.cert, key: closed(otherKey) },
  });
  const notCa: RequestOf = () => ({ tls: { skipVerify: false, ca: ["hello"] } });
  return [
    answered("trusts the given authority", "verified", "/", verify, statusOf, 200),
    answered("trusts every certificate if it is told to", "selfSigned", "/", lax, statusOf, 200),
    answered(
      "asks for the given name",
      "namedOtherwise",
      "/",
      named("vault.internal"),
      statusOf,
      200,
    ),
    answered("shows a client certificate", "demanding", "/", paired, statusOf, 200),
    failed("only the public authorities are trusted", "verified", none, "unknown authority", false),
    failed("the certificate vouches for itself", "selfSigned", verify, "unknown authority", false),
    failed("the certificate has expired", "expired", verify, "expired", false),
    failed("the server wants a certificate", "demanding", verify, "handshake", false),
    failed("the key is of another certificate", "demanding", unpaired, "unusable material", false),
    failed("the authority is not a certificate", "verified", notCa, "unusable material", false),
    failed("the certificate has another name", "namedOtherwise", verify, "wrong name", false, [
      "vault.internal",
    ]),
    {
      name: "fails if the port speaks no TLS",
      actual: (transport, { servers }) =>
        outcome(transport, { ...request, url: servers.echo.replace("http:", "https:") }, anAnswer),
      expected: { fault: "handshake", answered: false },
    },
  ];
}

function answered(
  name: string,
  server: ServerName,
  target: string,
  wanted: RequestOf,
  look: Look,
  expected: unknown,
): TransportRow {
  return {
    name,
    actual: (transport, stage) => {
      const url = stage.servers[server] + target;
      return outcome(transport, { ...request, ...wanted(stage), url }, look);
    },
    expected,
  };
}

function failed(
  why: string,
  server: ServerName,
  wanted: RequestOf,
  fault: HttpFault,
  isAnswered: boolean,
  names?: readonly string[],
): TransportRow {
  const expected = { fault, answered: isAnswered, ...(names && { names }) };
  return { ...answered(`fails if ${why}`, server, "/", wanted, anAnswer, undefined), expected };
}

async function outcome(transport: Transport, sent: HttpRequest, look: Look): Promise<unknown> {
  try {
    return look(await transport(sent));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { fault, answered: isAnswered, names } = error;
    // OpenSSL prints the kind of a name.
    const plain = names?.map((name) => name.replace(/^DNS:/, ""));
    return { fault, answered: isAnswered, ...(plain && { names: plain }) };
  }
}

function statusOf({ status }: HttpResponse): number {
  return status;
}

function lengthOf({ body }: HttpResponse): number {
  return body.length;
}

function textOf({ body }: HttpResponse): unknown {
  return JSON.parse(body.open([]) ?? "");
}
