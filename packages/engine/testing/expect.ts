import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from "@vitest/expect";
import * as chai from "chai";
import { bunMatchers } from "./bun-matchers.ts";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

const asymmetric: object = Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT);

/** The assertions of `bun:test`, by a library that has the same ones. */
export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  asymmetric,
);

// The library's own way: the matchers are added to the first word.
Reflect.apply(Reflect.get(chai.expect, "extend"), chai.expect, [expect, bunMatchers]);
