/** The meanings of crane's complaints, and their hints. */
const causes: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /UNAUTHORIZED|DENIED|401|403/,
    "log in first: credentials are read as Docker reads them, from $DOCKER_CONFIG/config.json",
  ],
  [
    /HTTP response to HTTPS client/,
    "the registry has no TLS: PLAIN_HTTP=true, for a registry that only you can reach",
  ],
  [
    /x509|certificate/,
    "the registry's certificate is not trusted here: name its CA in SSL_CERT_FILE",
  ],
  [/no such host|connection refused|timeout|unreachable/i, "is REGISTRY right, and reachable?"],
  [/NAME_INVALID|could not parse reference/, "REGISTRY is HOST[:PORT][/PATH], in lower case"],
  [/NAME_UNKNOWN|404/, "some registries want each repository to be made first"],
  [/no space left|507|insufficient/i, "the registry has no room left"],
];

/** One line about a push that failed, from crane's output. */
export function pushFailure(reference: string, complaint: string): string {
  const line = complaint.split("\n").findLast((text) => text.startsWith("Error: "));
  const cause = (line ?? complaint.trim()).replace(/^Error: /, "").replace(/\s+/g, " ");
  const hint = causes.find(([pattern]) => pattern.test(cause))?.[1];
  return `push ${reference}: ${cause}${hint === undefined ? "" : `\nhint: ${hint}`}`;
}
