/** Variables by which Vault's client sends its requests elsewhere, for every address. */
const always = ["PROXY_ADDR", "HTTP_PROXY", "AGENT_ADDR", "SRV_LOOKUP"].flatMap((name) => [
  `VAULT_${name}`,
  `BAO_${name}`,
]);
const byScheme: Readonly<Record<string, readonly string[]>> = {
  "https:": ["HTTPS_PROXY", "https_proxy"],
  "http:": ["HTTP_PROXY", "http_proxy"],
};
const exceptions = ["NO_PROXY", "no_proxy"];
const generalProxies = Object.values(byScheme).flat();
const all = new Set([...always, ...generalProxies, ...exceptions]);

/** True for a variable that `unusedProxies` looks at. */
export function isProxyVariable(name: string): boolean {
  return all.has(name);
}

/**
 * Warnings about variables by which Vault's own client would take another way to the vault. They
 * repeat no value: the address of a proxy may hold a password.
 */
export function unusedProxies(
  environment: ReadonlyMap<string, string>,
  address: string,
): readonly string[] {
  const textOf = (name: string) => environment.get(name) ?? "";
  const isSet = (name: string) => textOf(name) !== "";
  const general = generalProxies.some(isSet) ? proxiesFor(address, textOf) : [];
  return [...always, ...general].filter(isSet).map((name) => {
    return `${name}: has no effect: the wrapper connects to VAULT_ADDR itself, without a proxy`;
  });
}

/** The variables that name the proxy of an address. */
function proxiesFor(address: string, textOf: (name: string) => string): readonly string[] {
  const { hostname, protocol } = new URL(address);
  const except = exceptions.map(textOf).find((text) => text !== "") ?? "";
  return isExcepted(hostname, except) ? [] : (byScheme[protocol] ?? []);
}

/** As Go's clients decide, except for networks: the loopback, `*`, a host, or a domain of it. */
function isExcepted(host: string, patterns: string): boolean {
  if (host === "localhost" || host === "[::1]" || host.startsWith("127.")) return true;
  return patterns.split(",").some((text) => {
    const pattern = text
      .trim()
      .toLowerCase()
      .replace(/:\d+$/, "")
      .replace(/^\*?\./, "");
    return text.trim() === "*" || (pattern !== "" && isWithin(host, pattern));
  });
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
