// Sends clicks to the origin in signed batches, and retries them. The origin counts each click once, by its id.

const BATCH = 100; // largest number of clicks in one message; the origin accepts no more
const LARGEST = 1000000; // largest number of characters of a message with several clicks
const COLLECT = 250; // milliseconds for which the clicks of one process are collected
const STALE = 2000; // milliseconds for which later calls leave their clicks to the first call
const WAITS = [500, 2000, 6000]; // milliseconds between attempts
const TIMEOUT = 5000; // milliseconds that one attempt may take

const utf8 = new TextEncoder();
const hex = (buffer) => [...new Uint8Array(buffer)].map((b) => b.toString(16).padStart(2, "0")).join("");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let signingKey;

/**
 * sign returns the value of a header that proves that the edge sent the request. The value contains the time and `text`. The
 * signature covers these, `purpose` and `about`. The value of `about` is in another part of the request, such as the body, or is
 * empty.
 */
export async function sign(env, purpose, text, about) {
  signingKey ||= crypto.subtle.importKey("raw", new Uint8Array(env.EDGE_SECRET.match(/../g).map((b) => parseInt(b, 16))),
    { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const at = Math.floor(Date.now() / 1000);
  const mac = await crypto.subtle.sign("HMAC", await signingKey, utf8.encode([purpose, at, text, about, ""].join("\n")));
  return `${at}.${text}.${hex(mac)}`;
}

const waiting = [];
let since = 0;

/**
 * report sends a click to the origin, together with other clicks of the same moment. The first call sends the clicks of all calls. It
 * returns when the origin has the clicks or has refused them, or after the last attempt. The other calls return immediately.
 */
export async function report(click, env) {
  const now = Date.now();
  waiting.push(click);
  if (waiting.length > 1 && now - since < STALE) return; // the first click's call sends this click too
  since = now;
  await sleep(COLLECT);
  while (waiting.length > 0) await send(waiting.splice(0, BATCH), env);
}

async function send(clicks, env) {
  const body = JSON.stringify({ clicks });
  if (body.length > LARGEST && clicks.length > 1) {
    const half = clicks.length >> 1;
    await send(clicks.slice(0, half), env);
    return send(clicks.slice(half), env);
  }
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(env.ORIGIN + "/edge/clicks", {
        method: "POST", body, signal: AbortSignal.timeout(TIMEOUT),
        headers: {
          "Content-Type": "application/json",
          "Switchyard-Edge-Batch": await sign(env, "batch", "", ""), // the origin checks this header before it reads the body
          "Switchyard-Edge": await sign(env, "clicks", "", body),
        },
      });
      await response.arrayBuffer();
      if (response.ok) return;
      if (response.status < 500 && response.status !== 429) return lost(clicks, response.status);
    } catch (e) {
      console.error("clicks not sent yet", e);
    }
    if (attempt === WAITS.length) return lost(clicks, "no answer");
    await sleep(WAITS[attempt]);
  }
}

function lost(clicks, why) { console.error("clicks are lost", clicks.length, why); }
