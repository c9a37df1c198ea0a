// The edge's script with the time and the draws of a test in the place of its own.
import { handle } from "./worker.js";

export default {
  fetch(request, env, ctx) {
    const headers = new Headers(request.headers);
    const draws = headers.get("x-test-draws").split(",").map((d) => BigInt("0x" + d));
    const now = Number(headers.get("x-test-now"));
    for (const name of ["x-test-draws", "x-test-now"]) headers.delete(name);
    const from = { now: () => now, uuid: () => crypto.randomUUID(), random: () => draws.shift() };
    return handle(new Request(request, { headers }), env, ctx, from);
  },
};
