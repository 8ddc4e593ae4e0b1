import { describe, expect, test } from "bun:test";
import type { Parsed, Parser } from "../parsed.ts";

/** The texts that a parser has to read, and those that it has to refuse, with the hints. */
export interface ParserTable {
  readonly parse: Parser<unknown>;
  readonly reads: readonly (readonly [text: string, value: unknown])[];
  readonly refuses: readonly (readonly [text: string, hint?: string | undefined])[];
}

/** The tables by the names of their parsers. */
export type ParserTables = Readonly<Record<string, ParserTable>>;

/** Tests each row of each table. A row that names a hint, even undefined, has it checked. */
export function testParsers(tables: ParserTables): void {
  for (const [name, { parse, reads, refuses }] of Object.entries(tables)) {
    describe(name, () => {
      for (const [text, value] of reads) {
        test(`reads ${JSON.stringify(text)}`, () => {
          expect(parse(text)).toEqual({ ok: true, value });
        });
      }
      for (const row of refuses) {
        const [text, hint] = row;
        test(`refuses ${JSON.stringify(text)}`, () => {
          expect(parse(text)).toMatchObject({ ok: false });
          if (row.length === 2) expect(hintOf(parse(text))).toBe(hint);
        });
      }
    });
  }
}

function hintOf(parsed: Parsed<unknown>): string | undefined {
  return parsed.ok ? "it was accepted" : parsed.hint;
}
