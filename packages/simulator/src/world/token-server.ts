import { release, type Socket } from "../machine/descriptions.ts";
import type { Machine } from "../machine/machine.ts";
import { JWT } from "./secrets.ts";

/** The answer to a request for the account's token; `nothing` closes the connection. */
export type TokenAnswer = "token" | "nothing";

const LOOK_EVERY_US = 200;
const encoder = new TextEncoder();

/** The agent's socket for logins: it gives the account's token for one byte, and closes. */
export function serveToken(machine: Machine, answer: TokenAnswer): (socket: Socket) => void {
  return (socket) => {
    socket.references++;
    const look = () => {
      const request = socket.read(1);
      if (request === undefined) {
        machine.after(LOOK_EVERY_US, look);
        return;
      }
      // A courier that has gone asks for nothing.
      if (request !== "end" && answer === "token") socket.send(encoder.encode(JWT), undefined);
      release(socket);
    };
    machine.after(LOOK_EVERY_US, look);
  };
}
