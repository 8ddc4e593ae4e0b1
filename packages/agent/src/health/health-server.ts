import { AgentError } from "../agent-error.ts";
import type { AgentFacts } from "./agent-facts.ts";
import { renderMetrics } from "./metric-table.ts";
import { type AgentReadiness, statusPage } from "./status-page.ts";

/** The answers of a health server. */
export interface HealthServerOptions {
  /** Empty for every address of the machine. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly facts: () => AgentFacts;
  readonly readiness: () => AgentReadiness;
}

/** A server of health, status and metrics. */
export interface HealthServer {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/**
 * Serves GET /healthz, /readyz, /status and /metrics; everything else is 404 or 405.
 *
 * @throws AgentError `HEALTH_UNUSABLE`
 */
export function serveHealth({ host, port, facts, readiness }: HealthServerOptions): HealthServer {
  const answers: Readonly<Record<string, () => Response>> = {
    "/healthz": () => json(200, { status: "ok" }),
    "/readyz": () => json(readiness().status === "ready" ? 200 : 503, readiness()),
    "/status": () => text(statusPage(facts(), readiness()), "application/json"),
    "/metrics": () => text(renderMetrics(facts()), "text/plain; version=0.0.4; charset=utf-8"),
  };
  const server = listen(host, port, (request) => {
    const pathname = pathOf(request.url);
    const answer = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
    if (answer === undefined) return refusal(404, "NOT_FOUND", `there is no such path`);
    if (request.method === "GET" || request.method === "HEAD") return answer();
    return refusal(405, "METHOD_NOT_ALLOWED", "GET is all that can be done here");
  });
  return { port: server.port ?? port, stop: () => server.stop(true) };
}

/** Without a valid Host, as in HTTP/1.0, Bun's URL is not valid. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
}

function listen(host: string, port: number, fetch: (request: Request) => Response) {
  try {
    return Bun.serve({
      ...(host !== "" && { hostname: host }),
      port,
      development: false,
      // Else Bun lets another agent have the same one, and each is asked half of the time.
      reusePort: false,
      idleTimeout: 30,
      maxRequestBodySize: 1024,
      fetch,
      error: () => refusal(500, "INTERNAL", "something unexpected happened"),
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    throw new AgentError("HEALTH_UNUSABLE", `listen on HEALTH_LISTEN_ADDR: ${code}`);
  }
}

function json(status: number, body: object): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "content-type": "application/json" },
  });
}

function text(body: string, type: string): Response {
  return new Response(body, { headers: { "content-type": type } });
}

function refusal(status: number, code: string, message: string): Response {
  const hint = "/healthz, /readyz, /status and /metrics are here";
  return json(status, { error: { code, message, hint } });
}
