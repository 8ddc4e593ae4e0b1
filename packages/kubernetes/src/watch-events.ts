/** One line of a watch. */
export interface WatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  readonly type: string;
  /** The object; of an error its Status. */
  readonly object: unknown;
}

/** An object has at most 3 MiB (apiserver, MaxRequestBodyBytes), in JSON somewhat more. */
const LONGEST_LINE = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** The events of a watch's answer; throws if it breaks, is not a watch, or a line has no end. */
export async function* watchEvents(
  response: Response,
  longest = LONGEST_LINE,
): AsyncGenerator<WatchEvent> {
  let rest: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8");
      rest = [];
      size = 0;
      from = end + 1;
      if (line.trim() !== "") yield eventOf(line);
    }
    size += chunk.byteLength - from;
    if (size > longest) throw new RangeError(`an event has more than ${longest} bytes`);
    if (from < chunk.byteLength) rest.push(chunk.subarray(from));
  }
}

function eventOf(line: string): WatchEvent {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null || !("type" in value) || !("object" in value)) {
    throw new TypeError("its answer is not a watch");
  }
  return { type: String(value.type), object: value.object };
}
