import { argumentVector } from "@svc/kernel";
import { courierName } from "./brief.ts";
import { runCourier } from "./courier/run-courier.ts";
import { runSupervisor } from "./supervisor/run-supervisor.ts";

const [self, ...words] = argumentVector();
if (new TextDecoder().decode(self) === courierName) void runCourier(words);
else runSupervisor(words);
