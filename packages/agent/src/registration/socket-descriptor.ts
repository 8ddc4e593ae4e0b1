import { AgentError } from "../agent-error.ts";

/**
 * The descriptor of a connection. Node and Bun keep it in a field that no type has.
 *
 * @throws AgentError `REGISTRATION_FAILED` of one that has ended
 */
export function descriptorOf(socket: object): number {
  const handle: unknown = Reflect.get(socket, "_handle");
  const fd = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  if (typeof fd === "number" && fd >= 0) return fd;
  throw new AgentError("REGISTRATION_FAILED", "identify the caller: its connection has ended");
}
