// The edge of Switchyard: a Cloudflare Worker that routes tracking links by the bundles that the service publishes to
// Workers KV. If it cannot route a visitor, the origin does. README.md lists these cases and explains the setup.

import { Origin, Visitor } from "./visitor.js";
import { VIA, decide } from "./flow.js";
import { fill, longID, packIDs, shortID, timeID, unpackIDs, withParam } from "./address.js";
import { report, sign } from "./report.js";

const FORMAT = 2; // the latest format of bundles that this script understands
const CACHED = 60; // seconds that a Cloudflare location keeps a bundle, and so may miss a change
const EDGE = "Switchyard-Edge";
const HINTS = "Sec-CH-UA-Platform-Version, Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List";
const STATUS = { 301: 301, 302: 302, 303: 303, 307: 307 };

const system = {
  now: () => Date.now(),
  uuid: () => crypto.randomUUID(),
  random: () => crypto.getRandomValues(new BigUint64Array(1))[0],
};

export default {
  fetch(request, env, ctx) { return handle(request, env, ctx, system); },
};

/** handle answers a request. */
export async function handle(request, env, ctx, from) {
  const url = new URL(request.url);
  const alias = /^\/([^/]+)\/?$/.exec(url.pathname);
  if (!env.EDGE_SECRET || !env.ORIGIN || request.headers.has(EDGE) || request.method !== "GET" || !alias || isAhead(request.headers)) return passOn(request);
  const key = url.hostname.replace(/\.$/, "") + "/" + alias[1];
  let bundle = null;
  try {
    bundle = await env.BUNDLES.get(key, { type: "json", cacheTtl: CACHED });
  } catch (e) {
    console.error("bundle not read", e);
  }
  if (!bundle || !(bundle.format <= FORMAT) || bundle.https_only && url.protocol !== "https:") return passOn(request);
  const seed = from.random();
  try {
    const visit = route(request, bundle, seed, from);
    if (visit.collect) ctx.waitUntil(report(visit.report, env));
    return answer(request, visit);
  } catch (e) {
    if (!(e instanceof Origin)) console.error("not routed at the edge", e);
    return passOn(request, await sign(env, "route", seed.toString(16), key));
  }
}

// isAhead reports whether a browser loads the link ahead of a click that may never come.
function isAhead(headers) {
  return ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) => headers.has(name));
}

// passOn forwards the request to the origin. If random choices were already made for the visitor, proof is their signed seed, so
// that the origin makes the same choices. The header EDGE is also set without a proof, because it stops loops.
function passOn(request, proof) {
  const headers = new Headers(request.headers);
  headers.set(EDGE, proof || "-");
  return fetch(new Request(request, { headers, redirect: "manual" }));
}

function cookie(headers, name) {
  for (const part of (headers.get("cookie") || "").split(";")) {
    const text = part.trimStart();
    if (text.startsWith(name + "=")) return text.slice(name.length + 1);
  }
  return "";
}

class Cookies {
  constructor(request) {
    this.headers = request.headers;
    this.secure = new URL(request.url).protocol === "https:";
    this.set = [];
  }

  give(name, value, seconds) {
    this.set.push(`${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax` + (this.secure ? "; Secure" : ""));
  }
}

// Bindings remembers the path, lander and offer that the visitor keeps in each campaign. It also remembers them for a campaign that
// the visitor comes back to within the same request.
class Bindings {
  constructor(cookies) {
    this.cookies = cookies;
    this.made = new Map();
  }

  enter(id, campaign) {
    this.campaign = campaign;
    this.id = id;
    this.name = "sy_b" + shortID(id);
    const ids = campaign.plan.binds_path ? unpackIDs(cookie(this.cookies.headers, this.name), 3) : null;
    this.bound = ids ? { path: ids[0], lander: ids[1], offer: ids[2] } : this.made.get(id) || NOTHING;
    return this.bound;
  }

  handOver(route, bindable) { this.bind({ path: route.id, lander: null, offer: null }, bindable); }

  bind(got, bindable) {
    const had = this.bound;
    if (!bindable || !this.campaign.plan.binds_path) return had;
    if (!got.offer && got.path === had.path) got.offer = had.offer;
    if (got.path !== had.path || got.lander !== had.lander || got.offer !== had.offer) {
      this.cookies.give(this.name, packIDs([got.path, got.lander, got.offer]), this.campaign.bind_hours * 3600);
    }
    this.made.set(this.id, got);
    return got;
  }
}

const NOTHING = { path: null, lander: null, offer: null };

const YEAR = 365 * 86400;
const CLICK_SECONDS = 60 * 86400;

function route(request, bundle, seed, from) {
  const ms = from.now();
  const visitor = new Visitor(request, bundle, ms);
  if (!visitor.address) throw new Origin("address");
  const cookies = new Cookies(request);
  const bindings = new Bindings(cookies);
  const d = decide(bundle, visitor, seed, bindings);
  const known = longID(cookie(request.headers, "sy_v"));
  const isNew = !known || /^[0-]*$/.test(known);
  visitor.id = isNew ? from.uuid() : known;
  const visit = {
    visitor, bundle, route: d.route, campaign: d.campaign, campaignID: d.id, click: timeID(ms, from.uuid()),
    random: from.random, offer: null, lander: null, status: 302, collect: d.collect, cookies,
  };
  const destination = lead(visit, d);
  if (isNew) cookies.give("sy_v", shortID(visitor.id), YEAR);
  const offer = visit.offer ? visit.offer.id : null;
  const lander = visit.lander ? visit.lander.id : null;
  const atAddress = d.campaign.plan.binds_offer && d.choice && d.choice.url ? d.choice.id : null;
  const path = d.route ? d.route.id : null;
  const bound = bindings.bind({ path, lander, offer: offer || atAddress }, d.bindable);
  cookies.give("sy_c", packIDs([visit.click, d.id, path, lander, bound.offer]), CLICK_SECONDS);
  visit.destination = destination;
  visit.report = {
    id: shortID(visit.click), host: bundle.domain, target: visitor.url.pathname + visitor.url.search, https: cookies.secure,
    ip: request.headers.get("cf-connecting-ip"), headers: reported(request.headers), visitor: shortID(visitor.id), new: isNew,
    seed: seed.toString(16), via: d.via, hops: d.hops, lander: lander || undefined, offer: offer || undefined,
    bound: bound.offer || undefined, destination, passed: d.passed ? d.passed.path : undefined, passed_why: d.passed ? d.passed.why : undefined,
  };
  return visit;
}

function lead(visit, d) {
  const { bundle } = visit;
  if (d.via === VIA.none || d.route && !d.route.leads) throw new Origin("no destination");
  let parts = d.url;
  if (d.choice) {
    parts = d.choice.url;
    if (d.route.action === "lander") {
      visit.lander = { id: d.choice.id, ...bundle.landers[d.choice.id] };
      if (visit.lander.guarded) throw new Origin("protection");
      parts = visit.lander.url;
    } else if (!parts) {
      visit.offer = { id: d.choice.id, ...bundle.offers[d.choice.id] };
      parts = visit.offer.url;
    }
  }
  visit.status = d.route ? STATUS[d.route.transition] : 302;
  if (!visit.status) throw new Origin("transition");
  let url = fill(parts || [], visit);
  if (url === "") throw new Origin("no address");
  if (visit.offer && visit.offer.append) url = withParam(url, visit.offer.append, shortID(visit.click));
  return url;
}

const UNREPORTED = /^(cookie|authorization|proxy-authorization|x-forwarded-.*|forwarded|cf-.*|x-real-ip|true-client-ip|cdn-loop)$/;

function reported(headers) {
  const out = {};
  let left = 48;
  for (const [name, value] of headers) if (!UNREPORTED.test(name) && left-- > 0) out[name] = value.slice(0, 2048);
  return out;
}

function answer(request, visit) {
  const headers = new Headers({ Location: visit.destination, "Cache-Control": "no-store", "Content-Length": "0" });
  if (request.headers.has("sec-ch-ua")) headers.set("Accept-CH", HINTS);
  for (const c of visit.cookies.set) headers.append("Set-Cookie", c);
  return new Response(null, { status: visit.status, headers });
}
