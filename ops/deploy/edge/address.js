// Builds the address that a visitor is sent to: fills tokens, and converts ids.

import { Origin, localTime } from "./visitor.js";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MAX_FILLED = 2048; // bytes of a value that are used, counted before they are percent-encoded; the rest is cut off
const VALUE = /[A-Za-z0-9\-._~]/;
const IN_URL = /[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/;

const utf8 = new TextEncoder();

/** shortID returns the 22 characters that stand for a UUID. */
export function shortID(uuid) {
  let n = BigInt("0x" + uuid.replaceAll("-", ""));
  let out = "";
  for (let i = 0; i < 22; i++) {
    out = BASE62[Number(n % 62n)] + out;
    n /= 62n;
  }
  return out;
}

/** longID returns the UUID for a text of shortID, and null for any other text. */
export function longID(text) {
  if (!/^[0-9A-Za-z]{22}$/.test(text)) return null;
  let n = 0n;
  for (const c of text) n = n * 62n + BigInt(BASE62.indexOf(c));
  return n >> 128n ? null : dashed(n.toString(16).padStart(32, "0"));
}

function dashed(hex) { return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"); }

/** timeID returns a UUIDv7 with the given time, and the random digits of a random UUID. */
export function timeID(ms, random) {
  return dashed(ms.toString(16).padStart(12, "0") + "7" + random.replaceAll("-", "").slice(13));
}

/** packIDs encodes UUIDs for a cookie. Null stands for a missing id. */
export function packIDs(ids) {
  const hex = ids.map((id) => (id || NO_ID).replaceAll("-", "")).join("");
  const bytes = hex.match(/../g).map((b) => String.fromCharCode(parseInt(b, 16))).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const NO_ID = "00000000-0000-0000-0000-000000000000";

/** unpackIDs decodes a text of packIDs. It returns null for a text that does not contain exactly the given number of ids. */
export function unpackIDs(text, count) {
  let bytes;
  try {
    bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
  if (bytes.length !== 16 * count || /[^A-Za-z0-9_-]/.test(text)) return null;
  const hex = [...bytes].map((c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return hex.match(/.{32}/g).map((h) => (dashed(h) === NO_ID ? null : dashed(h)));
}

function encode(text, allowed) {
  let out = "";
  for (const b of utf8.encode(text).subarray(0, MAX_FILLED)) {
    const c = String.fromCharCode(b);
    out += b < 0x80 && allowed.test(c) ? c : "%" + b.toString(16).toUpperCase().padStart(2, "0");
  }
  return out;
}

/** withParam adds a parameter to an address, before the fragment. */
export function withParam(url, name, value) {
  const at = url.indexOf("#");
  const [text, fragment] = at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
  const sep = /[?&]$/.test(text) ? "" : text.includes("?") ? "&" : "?";
  return text + sep + encode(name, VALUE) + "=" + encode(value, VALUE) + fragment;
}

/** fill returns an address with its tokens filled. It returns an empty text if the result is no http or https address. */
export function fill(parts, visit) {
  let out = "";
  for (const p of parts) out += p.token ? encode(value(p, visit), p.raw ? IN_URL : VALUE) : p.text;
  return /^https?:\/\//i.test(out) ? out : "";
}

const pad = (n, size = 2) => String(n).padStart(size, "0");
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const offset = (t, colon) => (t.offset < 0 ? "-" : "+") + pad(Math.floor(Math.abs(t.offset) / 60)) + colon + pad(Math.abs(t.offset) % 60);
const twelve = (t) => t.hour % 12 || 12;

// Short names of zones differ between systems, so the origin fills them.
const LETTERS = {
  Y: (t) => pad(t.year, 4), y: (t) => pad(t.year % 100), m: (t) => pad(t.month), n: (t) => t.month, M: (t) => MONTHS[t.month - 1].slice(0, 3),
  F: (t) => MONTHS[t.month - 1], d: (t) => pad(t.day), j: (t) => t.day, D: (t) => DAYS[t.weekday - 1].slice(0, 3), l: (t) => DAYS[t.weekday - 1],
  N: (t) => t.weekday, H: (t) => pad(t.hour), G: (t) => t.hour, h: (t) => pad(twelve(t)), g: twelve, A: (t) => (t.hour < 12 ? "AM" : "PM"),
  a: (t) => (t.hour < 12 ? "am" : "pm"), i: (t) => pad(t.minute), s: (t) => pad(t.second), P: (t) => offset(t, ":"), O: (t) => offset(t, ""),
  c: (t) => `${pad(t.year, 4)}-${pad(t.month)}-${pad(t.day)}T${pad(t.hour)}:${pad(t.minute)}:${pad(t.second)}` +
    (t.offset === 0 ? "Z" : offset(t, ":")),
  U: (t, ms) => Math.floor(ms / 1000),
  e: () => { throw new Origin("name of a zone"); },
};

function date(format, zone, ms) {
  const t = localTime(ms, zone);
  let out = "";
  for (let i = 0; i < format.length; i++) {
    const c = format[i];
    if (c === "\\" && i + 1 < format.length) out += format[++i];
    else out += Object.hasOwn(LETTERS, c) ? LETTERS[c](t, ms) : c;
  }
  return out;
}

// value returns the text that replaces a token.
function value(p, visit) {
  const { visitor: v, bundle: b, route, offer, lander } = visit;
  switch (p.token) {
    case "clickid": return shortID(visit.click);
    case "visitor_id": return visit.visitor.id;
    case "campaign_id": return visit.campaignID;
    case "campaign_name": return visit.campaign.name;
    case "campaign_alias": return visit.campaign.alias;
    case "path_id": return route ? route.id : "";
    case "path_name": return route ? route.name : "";
    case "lander_id": return lander ? lander.id : "";
    case "lander_name": return lander ? lander.name : "";
    case "lp_slot": case "lp_key": return "";
    case "offer_id": return offer ? offer.id : "";
    case "offer_name": return offer ? offer.name : "";
    case "network_id": return offer && offer.network ? offer.network.id : "";
    case "network_name": return offer && offer.network ? offer.network.name : "";
    case "source_id": return b.source ? b.source.id : "";
    case "source_name": return b.source ? b.source.name : "";
    case "external_id": return v.externalID;
    case "currency": return b.currency;
    case "domain": return b.domain;
    case "asn": return v.cf.asn ? String(v.cf.asn) : "";
    case "country": case "region": case "city": case "language": case "user_agent": case "referrer": case "referrer_domain": case "keyword":
      return v.text(p.token);
    case "sub": return v.subs[p.n - 1];
    case "param": return v.param(p.arg);
    case "timestamp": return String(Math.floor(v.ms / 1000));
    case "date": return date(p.arg, p.zone || b.timezone, v.ms);
    case "random": {
      const [lo, hi] = p.arg.split(",").map((n) => BigInt(n.trim()));
      return String(lo + visit.random() % (hi - lo + 1n));
    }
    case "sample": {
      const texts = p.arg.split("|");
      return texts[Number(visit.random() % BigInt(texts.length))];
    }
    case "cost": if (b.cost !== null) return b.cost;
  }
  throw new Origin("token " + p.token);
}
