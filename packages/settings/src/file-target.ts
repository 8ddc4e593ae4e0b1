import { accepted, type Parsed, type Refused, refused } from "./parsed.ts";
import { isPlain } from "./plain-text.ts";

/** PATH_MAX and NAME_MAX of limits.h, the first with its NUL; a name gets up to four letters more. */
const MOST_PATH_BYTES = 4095;
const MOST_NAME_BYTES = 250;

/** Folders of the kernel and of the wrapper itself. `/dev/shm` is ordinary memory. */
const systemPlaces = ["/proc", "/sys", "/dev", "/opt/svc"] as const;
const ordinaryPlaces = ["/dev/shm"] as const;

const encoder = new TextEncoder();

/**
 * Parses the path at which a program finds a secret. It means the same to every reader: no part is
 * empty, is a dot, or begins with two dots. The file lies in a folder, and that in none of the kernel's.
 */
export function parseFileTarget(path: string): Parsed<string> {
  const wanted = "an absolute path of a file in a folder, such as /etc/tls/tls.key";
  if (!path.startsWith("/") || !isPlain(path)) return refused(wanted);
  const [, ...parts] = path.split("/");
  // Names with two dots are those of the wrapper's own versions, as in a volume of a kubelet.
  if (parts.some((part) => part === "" || part === "." || part.startsWith(".."))) {
    return refused(wanted, { hint: "no part of it may be empty, be a dot, or begin with two" });
  }
  if (parts.length < 2) return refused(wanted, { hint: "no file may be in / itself" });
  return tooLong(path, parts) ?? inSystemPlace(path) ?? accepted(path);
}

function tooLong(path: string, parts: readonly string[]): Refused | undefined {
  const longest = Math.max(...parts.map((part) => encoder.encode(part).length));
  if (encoder.encode(path).length <= MOST_PATH_BYTES && longest <= MOST_NAME_BYTES)
    return undefined;
  return refused(`a path of ${MOST_PATH_BYTES} bytes at most, each name with ${MOST_NAME_BYTES}`);
}

function inSystemPlace(path: string): Refused | undefined {
  const isOrdinary = ordinaryPlaces.some((place) => path.startsWith(`${place}/`));
  const place = systemPlaces.find((one) => path.startsWith(`${one}/`));
  if (place === undefined) return undefined;
  // Programs make their own files in /dev/shm itself.
  if (isOrdinary && path.split("/").length > 4) return undefined;
  return refused(`a path outside of ${systemPlaces.join(", ")}`, {
    hint: "/dev/shm/FOLDER/FILE, /run/FOLDER/FILE and /etc/FOLDER/FILE are such paths",
  });
}
