import { existsSync, readFileSync } from "node:fs";

/** A line that testdata/appends-values.c has written. */
export interface RecordedLine {
  /** CLOCK_MONOTONIC. */
  readonly atMs: number;
  readonly word: string;
  readonly user: string;
  readonly password: string;
}

/** Reads a program's record; empty if it was never started. */
export function readRecord(path: string): readonly RecordedLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [ns = "", , word = "", user = "", password = ""] = line.split(" ");
    return { atMs: Number(ns) / 1e6, word, user, password };
  });
}
