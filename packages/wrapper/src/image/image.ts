// The modules that the wrapper's executable holds evaluated
// (docs/decisions/0080-image-of-a-start.md): those that every start needs, in the supervisor or in
// a courier. Their evaluation asks nothing of the system, since it happens when the wrapper is
// built. scripts/engine/put-image.ts refuses a wrapper if it does.

import "../supervisor/begin.ts";
import "../supervisor/run-supervisor.ts";
import "../supervisor/start-lifecycle.ts";
import "../courier/run-courier.ts";
import "../courier/check.ts";
