import { accepted, type Parsed, parseServerUrl, refused } from "@svc/settings";

/** The server of events, and the way to it. */
export interface PlatformEndpoint {
  readonly protocol: "grpc" | "http";
  /** Whether TLS is spoken. */
  readonly secure: boolean;
  /** Scheme http or https, host, port, and for HTTP the path that is posted to. */
  readonly url: string;
}

const wanted =
  "a URL with a port: grpcs:// or grpc:// for OTLP over gRPC, https:// or http:// for OTLP over HTTP";
const protocols = { grpc: "http", grpcs: "https", http: "http", https: "https" } as const;

/** The path of OTLP over HTTP if the URL has none (OTLP specification, "OTLP/HTTP Request"). */
const LOGS_PATH = "/v1/logs";

/** Parses PLATFORM_ENDPOINT. */
export function parsePlatformEndpoint(text: string): Parsed<PlatformEndpoint> {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/i.exec(text) ?? [];
  const name = scheme.toLowerCase();
  if (!isProtocol(name)) return refused(wanted, hintFor(text));
  const isGrpc = name.startsWith("grpc");
  const parsed = parseServerUrl(`${protocols[name]}://${rest}`);
  if (!parsed.ok) return refused(wanted, { got: parsed.got ?? text });
  const hasPath = new URL(parsed.value).pathname !== "/";
  if (isGrpc && hasPath) return refused("a URL without a path for OTLP over gRPC");
  return accepted({
    protocol: isGrpc ? "grpc" : "http",
    secure: name.endsWith("s"),
    url: isGrpc || hasPath ? parsed.value : parsed.value + LOGS_PATH,
  });
}

function isProtocol(name: string): name is keyof typeof protocols {
  return Object.hasOwn(protocols, name);
}

function hintFor(text: string): { readonly hint?: string } {
  const isHostPort = /^[A-Za-z0-9._-]+:\d+$/.test(text);
  return isHostPort ? { hint: `write grpcs://${text} or https://${text}` } : {};
}
