import { expect } from "bun:test";
import { waitFor } from "@svc/testing";
import { as, get, post } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { clientToken } from "../make-token.ts";
import { empty, envelope, errors, NOT_KNOWN } from "../replies.ts";
import { send } from "../server.ts";
import {
  about,
  auth,
  CREATE,
  cappedInLife,
  lookup,
  RENEW,
  SELF,
  withToken,
} from "../token-replies.ts";

const lookups: readonly ContractCase[] = [
  withToken(
    "a token can look itself up",
    { policies: ["app"], ttl: "1h" },
    async (server, token) => {
      await expectReply(server, as(token, get(SELF)), lookup({ id: token }));
    },
  ),
  oneRequest("the root token can look itself up by POST too", post(SELF), {
    status: 200,
    body: expect.objectContaining({
      data: expect.objectContaining({
        creation_ttl: 0,
        expire_time: null,
        orphan: true,
        policies: ["root"],
        renewable: false,
        ttl: 0,
      }),
    }),
  }),
  oneRequest("a lookup without a token is 403", as(null, get(SELF)), NOT_KNOWN),
  oneRequest("a lookup with an unknown token is 403", as("nobody", get(SELF)), NOT_KNOWN),
  withToken(
    "a token with two uses ends with the second",
    { policies: ["app"], ttl: "1h", num_uses: 2 },
    async (server, token) => {
      await expectReply(server, as(token, get(SELF)), lookup({ num_uses: 1 }));
      await expectReply(server, as(token, get(SELF)), lookup({ num_uses: -1 }));
      await expectReply(server, as(token, get(SELF)), NOT_KNOWN);
    },
  ),
];

const ends: readonly ContractCase[] = [
  withToken(
    "a revoked token is unknown",
    { policies: ["app"], ttl: "1h" },
    async (server, token) => {
      await expectReply(server, as(token, post("auth/token/revoke-self")), empty(204));
      await expectReply(server, as(token, get(SELF)), NOT_KNOWN);
      await expectReply(server, as(token, post("auth/token/revoke-self")), NOT_KNOWN);
    },
  ),
  withToken(
    "children end with their parent",
    { policies: ["maker"], ttl: "1h" },
    async (server, token) => {
      const child = clientToken((await send(server, as(token, post(CREATE, { ttl: "1h" })))).body);
      await expectReply(server, as(token, post("auth/token/revoke-self")), empty(204));
      await waitFor(async () => (await send(server, as(child, get(SELF)))).status === 403, {
        deadlineMs: 5000,
        what: "the child to be revoked",
      });
    },
  ),
  withToken(
    "a token ends with its ttl",
    { policies: ["app"], ttl: "1s" },
    async (server, token) => {
      await expectReply(server, as(token, get(SELF)), lookup({ creation_ttl: 1, ttl: about(1) }));
      await waitFor(async () => (await send(server, as(token, get(SELF)))).status === 403, {
        deadlineMs: 5000,
        what: "the token to expire",
      });
      await expectReply(server, as(token, get("secret/data/app/a")), NOT_KNOWN);
      await expectReply(server, as(token, post(RENEW)), NOT_KNOWN);
    },
  ),
];

const renewals: readonly ContractCase[] = [
  withToken(
    "a renewal takes an increment, and keeps it",
    { policies: ["app"], ttl: "1h" },
    async (server, token) => {
      const renew = (body: object | undefined, seconds: number, warnings: unknown = null) => {
        const wanted = envelope({ auth: auth({ lease_duration: about(seconds) }), warnings });
        return expectReply(server, as(token, post(RENEW, body)), wanted);
      };
      await renew(undefined, 3600);
      await renew({}, 3600);
      await renew({ increment: "30m" }, 1800);
      await renew({ increment: 60 }, 60);
      await renew(undefined, 60);
      await renew({ increment: "3000h" }, 2_764_800, cappedInLife("3000h", 768));
    },
  ),
  withToken(
    "an explicit maximum caps a renewal",
    { policies: ["app"], ttl: "1m", explicit_max_ttl: "2m" },
    async (server, token) => {
      const wanted = envelope({
        auth: auth({ lease_duration: about(120) }),
        warnings: [expect.stringMatching(/^TTL of "1h" exceeded the effective max_ttl of "/)],
      });
      await expectReply(server, as(token, post(RENEW, { increment: "1h" })), wanted);
    },
  ),
  withToken("bad increments are 400", { policies: ["app"], ttl: "1h" }, async (server, token) => {
    const bad = (reason: string) =>
      errors(
        400,
        `Field validation failed: error converting input for field "increment": ${reason}`,
      );
    const ask = (increment: unknown) => as(token, post(RENEW, { increment }));
    await expectReply(server, ask("x"), bad('time: invalid duration "x"'));
    await expectReply(server, ask(-5), bad("cannot provide negative value '-5'"));
  }),
  withToken(
    "a token that is not renewable is 400",
    { policies: ["app"], ttl: "1h", renewable: false },
    async (server, token) => {
      await expectReply(server, as(token, post(RENEW, {})), errors(400, "lease is not renewable"));
    },
  ),
  oneRequest("the root token is not renewable", post(RENEW), errors(400, "lease is not renewable")),
];

/** Looking up, renewing and ending tokens. */
export const tokenLifeCases: readonly ContractCase[] = [...lookups, ...renewals, ...ends];
