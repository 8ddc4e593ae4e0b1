import { describe, expect, test } from "bun:test";
import { wrapperVariables } from "../settings.ts";
import {
  DEFAULT_ADDRESS,
  isQuestionVariable,
  type QuestionVariable,
  questionText,
  readyQuestion,
} from "./ready-question.ts";

type Texts = Readonly<Partial<Record<QuestionVariable, string>>>;

const pair = { SVC_BROKER_TLS_CERT: "/tls.crt", SVC_BROKER_TLS_KEY: "/tls.key" };
const texts = (given: Texts) =>
  new Map(
    Object.entries(given).filter((entry): entry is [QuestionVariable, string] => {
      return isQuestionVariable(entry[0]);
    }),
  );

describe("the wrapper is asked by", () => {
  const cases: Readonly<Record<string, readonly [given: Texts, question: string]>> = {
    "its default address if nothing is set": [{}, "http://127.0.0.1:8199"],
    "its default address if all is empty": [
      { HEALTH_ADDR: "", SVC_BROKER_TLS_CERT: "", SVC_BROKER_TLS_KEY: "" },
      "http://127.0.0.1:8199",
    ],
    "the loopback if it listens everywhere": [{ HEALTH_ADDR: ":80" }, "http://127.0.0.1:80"],
    "the loopback of IPv4 if it listens on all of it": [
      { HEALTH_ADDR: "0.0.0.0:80" },
      "http://127.0.0.1:80",
    ],
    "the loopback of IPv6 if it listens on all of it": [
      { HEALTH_ADDR: "[::]:80" },
      "http://[::1]:80",
    ],
    "the loopback that it names": [{ HEALTH_ADDR: "127.0.0.2:80" }, "http://127.0.0.2:80"],
    "the address of IPv6 that it names": [{ HEALTH_ADDR: "[FD00::1]:80" }, "http://[fd00::1]:80"],
    "the name that it is given": [{ HEALTH_ADDR: "localhost:80" }, "http://localhost:80"],
    "TLS if it has a certificate and its key": [pair, "https://127.0.0.1:8199"],
    "plain HTTP if the certificate has no key": [
      { ...pair, SVC_BROKER_TLS_KEY: "" },
      "http://127.0.0.1:8199",
    ],
  };
  for (const [name, [given, question]] of Object.entries(cases)) {
    test(name, () => {
      const read = readyQuestion(texts(given));
      expect(read.ok && questionText(read.value)).toBe(`GET ${question}/readyz`);
    });
  }

  test("the default of its table", () => {
    expect(wrapperVariables.healthAddress.default).toBe(DEFAULT_ADDRESS);
  });
});

describe("nothing is asked if HEALTH_ADDR is", () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    off: "it is off",
    ":0": "port 0, which only the log tells",
    "127.0.0.1:0": "port 0, which only the log tells",
    "8199": undefined,
    ":65536": undefined,
  };
  for (const [address, found] of Object.entries(cases)) {
    test(address, () => {
      const refusal = { ok: false, ...(found !== undefined && { found }) };
      expect(readyQuestion(texts({ HEALTH_ADDR: address }))).toMatchObject(refusal);
    });
  }
});
