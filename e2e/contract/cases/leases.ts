import { expect } from "bun:test";
import { as, get, post } from "../asks.ts";
import { type ContractCase, expectReply, oneRequest } from "../contract-case.ts";
import { field, makeToken } from "../make-token.ts";
import { empty, envelope, errors, NOT_KNOWN, TIME, UNSUPPORTED } from "../replies.ts";
import { type ContractServer, send } from "../server.ts";

const LOOKUP = "sys/leases/lookup";
const RENEW = "sys/leases/renew";
const REVOKE = "sys/leases/revoke";
const NO_ID = errors(400, "lease_id must be specified");
const NOT_FOUND = errors(400, "lease not found");
const INVALID = errors(400, "invalid lease");

/** Leases of values, and the requests about them that every token may make. */
export const leaseCases: readonly ContractCase[] = [
  withLease("a lease can be looked up", async (server, id) => {
    const data = {
      expire_time: TIME,
      id,
      issue_time: TIME,
      last_renewal: null,
      path: server.leased.path,
      renewable: false,
      ttl: expect.closeTo(600, -1),
    };
    await expectReply(server, post(LOOKUP, { lease_id: id }), envelope({ data }));
  }),
  withLease("a lease that is not renewable is 400", async (server, id) => {
    const wanted = errors(400, "lease is not renewable");
    await expectReply(server, post(RENEW, { lease_id: id }), wanted);
    await expectReply(server, { method: "PUT", path: RENEW, body: { lease_id: id } }, wanted);
    await expectReply(server, post(RENEW, { lease_id: id, increment: 60 }), wanted);
  }),
  withLease("a revoked lease is gone", async (server, id) => {
    await expectReply(server, post(REVOKE, { lease_id: id }), empty(204));
    await expectReply(server, post(LOOKUP, { lease_id: id }), INVALID);
    await expectReply(server, post(RENEW, { lease_id: id }), NOT_FOUND);
  }),
  oneRequest("the lookup of an unknown lease is 400", post(LOOKUP, { lease_id: "x" }), INVALID),
  oneRequest("the renewal of an unknown lease is 400", post(RENEW, { lease_id: "x" }), NOT_FOUND),
  oneRequest("the end of an unknown lease is 204", post(REVOKE, { lease_id: "x" }), empty(204)),
  oneRequest("a lookup without a lease is 400", post(LOOKUP, {}), NO_ID),
  oneRequest("a renewal without a lease is 400", post(RENEW, {}), NO_ID),
  oneRequest("an end without a lease is 400", post(REVOKE, {}), NO_ID),
  oneRequest("a renewal cannot be read", get(RENEW), UNSUPPORTED),
  oneRequest(
    "a renewal without a token is 403",
    as(null, post(RENEW, { lease_id: "x" })),
    NOT_KNOWN,
  ),
  {
    name: "every token may renew and look up leases",
    run: async (server) => {
      const token = await makeToken(server, { policies: ["default"], ttl: "1h" });
      await expectReply(server, as(token, post(RENEW, { lease_id: "x" })), NOT_FOUND);
      await expectReply(server, as(token, post(LOOKUP, { lease_id: "x" })), INVALID);
    },
  },
];

function withLease(
  name: string,
  run: (server: ContractServer, leaseId: string) => Promise<void>,
): ContractCase {
  return {
    name,
    run: async (server) => {
      const { status, body } = await send(server, server.leased);
      const id = field(body, "lease_id");
      expect({
        status,
        renewable: field(body, "renewable"),
        seconds: field(body, "lease_duration"),
      }).toEqual({
        status: 200,
        renewable: false,
        // PKI counts to the end of the certificate, which is a whole second.
        seconds: expect.closeTo(600, -1),
      });
      if (typeof id !== "string") throw new TypeError("the answer has no lease_id");
      expect(id).toStartWith(`${server.leased.path}/`);
      await run(server, id);
    },
  };
}
