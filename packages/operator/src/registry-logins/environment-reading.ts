import { type Problem, problem, quoted } from "@svc/settings";
import { parseEndpoint } from "./parse-endpoint.ts";
import { isSendable } from "./read-answer.ts";

/** Reads variables of an identity and collects everything that is wrong with them. */
export class EnvironmentReading {
  readonly problems: Problem[] = [];
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** The text; undefined if the variable is not set or empty, as SDKs have it. */
  text(name: string): string | undefined {
    return this.#texts.get(name) || undefined;
  }

  /** A text that may be sent in a header and is never shown. */
  secret(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isSendable(text)) return text;
    this.refuse(name, "a text without spaces and control characters");
    return undefined;
  }

  /** The texts of variables of which either all are set or none is. */
  together(names: readonly string[]): readonly string[] | undefined {
    const missing = names.filter((name) => this.text(name) === undefined);
    if (missing.length === names.length) return undefined;
    for (const name of missing) {
      const others = names.filter((each) => !missing.includes(each)).join(", ");
      this.refuse(name, `set together with ${others}`, undefined, "it is not set");
    }
    const texts = names.map((name) => this.secret(name));
    return texts.flatMap((text) => text ?? []).length === names.length
      ? texts.map(String)
      : undefined;
  }

  /** The address of a server. */
  endpoint(name: string): URL | undefined {
    const text = this.text(name);
    const url = text === undefined ? undefined : parseEndpoint(text);
    if (text !== undefined && url === undefined) {
      this.refuse(name, "an https URL, or an http URL of the loopback or the link");
    }
    return url;
  }

  /** Adds a problem; `got` only if the variable holds no secret. */
  refuse(variable: string, wanted: string, got?: string, found = "it is not"): void {
    const shown = got === undefined ? found : `got ${quoted(got)}`;
    this.problems.push(problem({ variable, wanted, found: shown }));
  }
}
