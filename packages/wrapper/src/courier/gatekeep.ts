import type { CourierContext } from "./courier-context.ts";
export async function gatekeep(_context: CourierContext): Promise<void> {}
