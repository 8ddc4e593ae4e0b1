import { accepted, type Parsed, refused } from "@svc/settings";

/** Where an API server is. */
export interface ApiServerPlace {
  readonly host: string;
  readonly port: string;
}

/** Parses `https://HOST[:PORT]`; without a port it is 443. */
export function parseApiServer(text: string): Parsed<ApiServerPlace> {
  const wanted = "https://HOST or https://HOST:PORT";
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") {
    // It may have a password in it.
    return refused(wanted, { found: "it is not" });
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return refused(wanted);
  return accepted({ host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port || "443" });
}
