import { canary } from "@svc/testing";
import { plain } from "../../image/testdata/lookup-stage.ts";
import type { CloudRequest, CloudRoute } from "./stand-in.ts";

/** Whether a registry takes a user and a password. */
export type IsGood = (user: string, password: string) => boolean;

/**
 * A registry that takes passwords, as ECR does. It has `app:latest`, which runs `/bin/app serve`.
 */
export function basicRegistry(isGood: IsGood): readonly CloudRoute[] {
  const guard: CloudRoute = (request) => {
    if (!request.url.pathname.startsWith("/v2/") || isLetIn(request, isGood)) return undefined;
    const realm = `Basic realm="https://${request.url.host}/",service="ecr.amazonaws.com"`;
    return new Response("Not Authorized", { status: 401, headers: { "WWW-Authenticate": realm } });
  };
  return [guard, imageRoute];
}

/**
 * A registry that takes tokens of a separate token server, as Artifact Registry and those of Azure
 * do.
 */
export function bearerRegistry({
  realm,
  isGood,
}: {
  readonly realm: string;
  readonly isGood: IsGood;
}): readonly CloudRoute[] {
  const tokens = new Set<string>();
  const give: CloudRoute = (request) => {
    const { pathname, searchParams, host } = request.url;
    if (pathname !== realm || request.method !== "GET") return undefined;
    const isWhole = searchParams.get("service") === host;
    if (!isWhole || searchParams.get("scope") !== "repository:app:pull")
      return new Response(null, { status: 400 });
    if (!isLetIn(request, isGood)) return new Response(null, { status: 401 });
    const token = canary();
    tokens.add(token);
    return Response.json({ access_token: token, expires_in: 300 });
  };
  const guard: CloudRoute = ({ url, headers }) => {
    if (!url.pathname.startsWith("/v2/")) return undefined;
    const token = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    if (tokens.has(token)) return undefined;
    const challenge = `Bearer realm="${url.origin}${realm}",service="${url.host}",scope="repository:app:pull"`;
    return new Response(null, { status: 401, headers: { "WWW-Authenticate": challenge } });
  };
  return [give, guard, imageRoute];
}

function isLetIn({ headers }: CloudRequest, isGood: IsGood): boolean {
  const given = /^Basic (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  const text = Buffer.from(given, "base64").toString();
  const colon = text.indexOf(":");
  return colon > 0 && isGood(text.slice(0, colon), text.slice(colon + 1));
}

const imageRoute: CloudRoute = ({ method, url, body }) =>
  plain({ method, path: `${url.pathname}${url.search}`, authorization: null, body });
