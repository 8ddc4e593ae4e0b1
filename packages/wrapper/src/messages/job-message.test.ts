import { describe, expect, test } from "bun:test";
import { descriptorWordCount, descriptorWords, readDescriptorWords } from "./job-message.ts";

const descriptors = {
  job: 3,
  go: 4,
  report: 5,
  session: 6,
  newSession: 7,
  region: 8,
  plan: 9,
  listener: 10,
} as const;

describe("descriptor words", () => {
  test("are as many as said, and read back", () => {
    const words = descriptorWords(descriptors);
    expect(words).toHaveLength(descriptorWordCount);
    expect(readDescriptorWords(words)).toEqual(descriptors);
  });

  test("are read from the front: the program's words follow them", () => {
    expect(readDescriptorWords([...descriptorWords(descriptors), "/bin/app", "8"])).toEqual(
      descriptors,
    );
  });

  const rows: readonly (readonly [name: string, words: readonly string[]])[] = [
    ["none", []],
    ["too few", ["3", "4", "5", "6", "7", "8"]],
    ["a word", ["3", "4", "five", "6", "7", "8", "9"]],
    ["a negative number", ["3", "4", "-5", "6", "7", "8", "9"]],
    ["a fraction", ["3", "4", "5.5", "6", "7", "8", "9"]],
  ];
  for (const [name, words] of rows) {
    test(`are refused: ${name}`, () => {
      expect(readDescriptorWords(words)).toBeUndefined();
    });
  }
});
