import { Secret, VaultError } from "@svc/vault";
import { CliError } from "../errors.ts";

/** More than a token or a share has, with its newline. */
const MOST_BYTES = 16 * 1024;
const NEWLINE = 0x0a;
/** Tab, carriage return, space. */
const blanks: readonly number[] = [0x09, 0x0d, 0x20];

/**
 * Reads secrets from a stream, one a line; the bytes that went through its hands are overwritten.
 */
export class InputLines {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * The next line that is not empty; undefined at the end.
   * @param wanted names the input in messages, for example `key share`
   * @throws CliError `INPUT_UNUSABLE`
   */
  async next(wanted: string): Promise<Secret | undefined> {
    for (;;) {
      const line = await this.#nextLine(wanted);
      if (line === undefined) return undefined;
      const isEmpty = line.every((byte) => blanks.includes(byte));
      if (isEmpty) continue;
      try {
        return new Secret(line);
      } catch (error) {
        if (!(error instanceof VaultError)) throw error;
        throw unusable(wanted, "it has characters that no token and no share has");
      } finally {
        line.fill(0);
      }
    }
  }

  async #nextLine(wanted: string): Promise<Uint8Array | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE);
      if ((end === -1 ? this.#rest.length : end) > MOST_BYTES) {
        throw unusable(wanted, `a line has more than ${MOST_BYTES} bytes`);
      }
      if (end !== -1 || this.#ended) return this.#take(end);
      const { value, done } = await this.#chunks.next();
      if (done === true) this.#ended = true;
      else this.#append(value);
    }
  }

  #take(end: number): Uint8Array | undefined {
    if (end === -1 && this.#rest.length === 0) return undefined;
    const length = end === -1 ? this.#rest.length : end;
    const line = this.#rest.slice(0, length);
    const rest = this.#rest.slice(length + 1);
    this.#rest.fill(0);
    this.#rest = rest;
    return line;
  }

  #append(chunk: Uint8Array): void {
    const joined = new Uint8Array(this.#rest.length + chunk.length);
    joined.set(this.#rest);
    joined.set(chunk, this.#rest.length);
    this.#rest.fill(0);
    chunk.fill(0);
    this.#rest = joined;
  }
}

function unusable(wanted: string, found: string): CliError {
  return new CliError("INPUT_UNUSABLE", [`read ${wanted} from standard input: ${found}`]);
}
