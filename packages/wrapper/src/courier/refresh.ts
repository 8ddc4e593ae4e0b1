import type { RefreshJob } from "../courier-job.ts";
import type { CourierContext } from "./courier-context.ts";
export async function refresh(_context: CourierContext, _job: RefreshJob): Promise<void> {}
