import { readWholeFile } from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";

const MAX_PEM_BYTES = 1 << 20;

/** What readiness says. */
export type Readiness =
  | { readonly status: "ready" }
  | { readonly status: "starting" | "stopped"; readonly reason: string };

/** A running health server. */
export interface HealthServer {
  stop(): void;
}

/**
 * Answers GET /healthz and GET /readyz. A server that cannot listen is an error in the log, not the
 * end of the program: probes will tell.
 */
export function startHealthServer(
  settings: HealthSettings,
  readiness: () => Readiness,
  log: Logger,
): HealthServer {
  try {
    const server = listen(settings, (request) => answer(request, readiness()));
    log.info("health server listens", { address: `${server.hostname}`, port: Number(server.port) });
    return { stop: () => void server.stop(true) };
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    log.error("health server cannot listen", {
      address: `${settings.host}:${settings.port}`,
      reason,
    });
    return { stop: () => undefined };
  }
}

function listen(settings: HealthSettings, fetch: (request: Request) => Response) {
  const { port, tls } = settings;
  const files =
    tls === undefined
      ? {}
      : {
          tls: { cert: readPem(tls.certPath), key: readPem(tls.keyPath) },
        };
  const serve = (hostname: string) => Bun.serve({ hostname, port, fetch, error: failed, ...files });
  if (settings.host !== "") return serve(settings.host);
  try {
    return serve("::");
  } catch (error) {
    // A kernel without IPv6; a port in use fails again with the right error.
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") throw error;
    return serve("0.0.0.0");
  }
}

/** Without it Bun prints a stack and the program text, and answers with an HTML page. */
function failed(): Response {
  return refusal(500, "INTERNAL", "the request could not be answered");
}

function readPem(path: string): string {
  return new TextDecoder().decode(readWholeFile(path, MAX_PEM_BYTES));
}

/** Pure: the answer to a request. */
export function answer(request: Request, readiness: Readiness): Response {
  const pathname = pathOf(request.url);
  if (pathname !== "/healthz" && pathname !== "/readyz") {
    return refusal(404, "NOT_FOUND", `no such path: ${pathname.slice(0, 80)}`);
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refusal(405, "METHOD_NOT_ALLOWED", "only GET and HEAD are answered", {
      allow: "GET, HEAD",
    });
  }
  if (pathname === "/healthz") return Response.json({ status: "ok" });
  return Response.json(readiness, { status: readiness.status === "ready" ? 200 : 503 });
}

/** Without a usable Host header (HTTP/1.0, a hostile client) the URL is none, or only its path. */
function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? URL.parse(url, "http://localhost")?.pathname ?? "";
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const hint = "the server answers GET /healthz and GET /readyz";
  return Response.json({ error: { code, message, hint } }, { status, headers });
}
