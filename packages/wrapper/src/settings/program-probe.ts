import { accepted, type Parsed, refused } from "@svc/settings";

/** How the program is asked whether it is ready: the httpGet of a probe. */
export interface ProgramProbe {
  readonly port: number;
  readonly isTls: boolean;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly timeoutMs: number;
}

const wanted = 'an httpGet of a probe as JSON, such as {"port":8080,"path":"/ready"}';
const [MOST_HEADERS, LONGEST_SECONDS] = [32, 600];

/**
 * Parses the httpGet of a probe, with its timeoutSeconds, and with the number of its port;
 * Kubernetes' HTTPGetAction and Probe.
 */
export function parseProgramProbe(text: string): Parsed<ProgramProbe> {
  const { port, path = "/", scheme = "HTTP", httpHeaders = [], ...more } = parsed(text);
  const { timeoutSeconds = 1, ...others } = more;
  const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
  if (!isPort) return refused(wanted, { found: "its port is not a number from 1 to 65535" });
  if (typeof path !== "string" || !/^[\x21-\x7e]{0,1024}$/.test(path)) {
    return refused(wanted, { found: "its path is not one of a URL" });
  }
  if (scheme !== "HTTP" && scheme !== "HTTPS") {
    return refused(wanted, { found: "its scheme is neither HTTP nor HTTPS" });
  }
  const isTime = typeof timeoutSeconds === "number" && timeoutSeconds > 0;
  if (!isTime || timeoutSeconds > LONGEST_SECONDS) {
    return refused(wanted, { found: `its timeoutSeconds are not from 1 to ${LONGEST_SECONDS}` });
  }
  if (Object.keys(others).length > 0) return refused(wanted, { found: "it has other members" });
  const headers = headersIn(httpHeaders);
  if (headers === undefined) return refused(wanted, { found: "its httpHeaders are malformed" });
  const timeoutMs = timeoutSeconds * 1000;
  return accepted({
    timeoutMs,
    port,
    isTls: scheme === "HTTPS",
    path: path.replace(/^(?!\/)/, "/"),
    headers,
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function headersIn(value: unknown): ProgramProbe["headers"] | undefined {
  if (!Array.isArray(value) || value.length > MOST_HEADERS) return undefined;
  const headers = value.map((header: unknown) => Object(header));
  const areValid = headers.every(
    ({ name, value: text }) =>
      /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(String(name)) &&
      /^[\x20-\x7e\t]{0,4096}$/.test(String(text)),
  );
  return areValid
    ? headers.map((header) => [String(header.name), String(header.value)])
    : undefined;
}
