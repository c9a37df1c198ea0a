// Reads the visitor's attributes for conditions and tokens from a request. Throws Origin for attributes that only the origin knows.

/** Origin is thrown if the origin, the service behind this edge, must route the visitor. Nothing has been recorded or answered by then. */
export class Origin extends Error {}

const MAX_PARAMS = 64;
const MAX_NAME = 100;
const MAX_RAW_VALUE = 500;
const MAX_QUERY = 2000;
const MAX_VALUE = 512;
const MAX_AGENT = 512;
const MAX_REFERRER = 2000;
const MAX_DOMAIN = 253;

// Languages whose code is already canonical. Visitors with any other language are left to the origin, which knows all languages.
const LANGUAGES = new Set(("af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu ha hi hr hu hy id is it ja ka kk km " +
  "kn ko ky lo lt lv mk ml mn mr ms mt my nb ne nl nn pa pl ps pt ro ru sk sl so sq sr sv sw ta te th tr uk ur uz vi zh zu").split(" "));

const utf8 = new TextEncoder();
const loose = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** fold returns a text in a form in which upper and lower case are the same. */
export function fold(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  let out = "";
  for (const c of text) out += c === "\u0130" ? "i" : one(one(c, "toUpperCase"), "toLowerCase");
  return out;
}

// one converts a character to upper or lower case, as method says. A character whose other case has several characters stays unchanged.
function one(c, method) {
  const mapped = c[method]();
  return [...mapped].length === 1 ? mapped : c;
}

const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const OUTER_SPACE = new RegExp("^" + SPACE + "|" + SPACE + "$", "g");

// clean makes a received text safe to use: it removes control characters, cuts the text to at most limit bytes, and trims it.
function clean(text, limit) {
  text = text.replace(OUTER_SPACE, "").replace(/[\x00-\x1f\x7f-\x9f\ufffd]/g, "");
  const bytes = utf8.encode(text);
  if (bytes.length > limit) {
    while (limit > 0 && (bytes[limit] & 0xc0) === 0x80) limit--;
    text = loose.decode(bytes.subarray(0, limit));
  }
  return text.replace(OUTER_SPACE, "");
}

const FRAMES = [["[[[", "]]]"], ["[[", "]]"], ["[", "]"], ["${", "}"], ["{{", "}}"], ["{", "}"], ["##", "##"], ["#", "#"],
  ["__", "__"], ["!!!", "!!!"], ["@@", "@@"], ["%%", "%%"], ["%", "%"]];

// looksLikeMacro reports whether a value is a macro that was not filled in. The macro may be escaped once more, as in %7Bcost%7D.
function looksLikeMacro(value) {
  if (value === "OPTIONAL" || value === "REPLACE") return true;
  if (value.startsWith("%")) {
    try {
      value = decodeURIComponent(value);
    } catch {
      // The value is not escaped.
    }
  }
  return FRAMES.some(([open, close]) => {
    if (value.length <= open.length + close.length || !value.startsWith(open) || !value.endsWith(close)) return false;
    const name = value.slice(open.length, value.length - close.length);
    return name.length <= 64 && /^[a-z0-9_\-.: ()|$]+$/i.test(name) && /[a-z]/i.test(name);
  });
}

function received(value) {
  value = clean(value, MAX_VALUE);
  return looksLikeMacro(value) ? "" : value;
}

// unescape decodes a part of a query. It throws Origin for a text that is not escaped correctly or is no UTF-8, because the origin
// knows how to read such texts.
function unescape(text) {
  if (!/[%+]/.test(text)) return text;
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new Origin("escape");
  const bytes = utf8.encode(text.replaceAll("+", " "));
  const out = new Uint8Array(bytes.length);
  let n = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0x25) {
      out[n++] = parseInt(String.fromCharCode(bytes[i + 1], bytes[i + 2]), 16);
      i += 2;
    } else out[n++] = bytes[i];
  }
  try {
    return strict.decode(out.subarray(0, n));
  } catch {
    throw new Origin("charset");
  }
}

// readQuery reads a query. It throws Origin for a query that is long, or that has many or long parameters, an unusual name or a wrong
// escape.
function readQuery(search) {
  const params = [];
  if (search.length > MAX_QUERY) throw new Origin("long query");
  for (const pair of search.replace(/^\?/, "").split("&")) {
    if (params.length === MAX_PARAMS) throw new Origin("parameters");
    const at = pair.indexOf("=");
    const rawName = at < 0 ? pair : pair.slice(0, at);
    const rawValue = at < 0 ? "" : pair.slice(at + 1);
    if (rawName === "") continue;
    if (rawName.length > MAX_NAME || rawValue.length > MAX_RAW_VALUE || UNUSUAL_NAME.test(rawName)) throw new Origin("parameter");
    params.push([fold(unescape(rawName)), unescape(rawValue)]);
  }
  return params;
}

// UNUSUAL_NAME matches a name that begins with what is left of &amp; or &#38; after the query was split at &. It also matches the
// names that state a charset.
const UNUSUAL_NAME = /^(?:amp;|#|charset$|_charset_$|ie$)/i;

const GENERIC_SUB = /^(?:sub|sub_id_|t|var|subid)([1-9]\d?)$/;
const SUBS = 30;

/** localTime returns the parts of the date and time in a zone. */
export function localTime(ms, zone) {
  let format = zones.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
        hour: "numeric", minute: "numeric", second: "numeric" });
    } catch {
      throw new Origin("zone");
    }
    zones.set(zone, format);
  }
  const t = {};
  for (const p of format.formatToParts(ms)) if (p.type !== "literal") t[p.type] = Number(p.value);
  const utc = Date.UTC(t.year, t.month - 1, t.day, t.hour, t.minute, t.second);
  t.weekday = (new Date(utc).getUTCDay() + 6) % 7 + 1; // 1 is Monday
  t.offset = Math.round((utc - Math.floor(ms / 1000) * 1000) / 60000); // minutes east of UTC
  return t;
}
const zones = new Map();

/** parseAddress returns {v: 4|6, n} for an IP address, and null for any other text. An IPv4-mapped IPv6 address counts as IPv4. */
export function parseAddress(text) {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (four) {
    const parts = four.slice(1).map(Number);
    return parts.every((p) => p < 256) ? { v: 4, n: BigInt(parts.reduce((n, p) => n * 256 + p, 0)) } : null;
  }
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(":")) return null;
  let full;
  try {
    full = new URL("http://[" + text + "]/").hostname.slice(1, -1);
  } catch {
    return null;
  }
  const [head, tail] = full.split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const words = full.includes("::") ? [...left, ...Array(8 - left.length - right.length).fill("0"), ...right] : left;
  const n = words.reduce((sum, w) => (sum << 16n) | BigInt(parseInt(w, 16)), 0n);
  return n >> 32n === 0xffffn ? { v: 4, n: n & 0xffffffffn } : { v: 6, n };
}

function domainOf(referrer) {
  const at = referrer.indexOf("://");
  if (at < 0 || at > 16) return "";
  let rest = referrer.slice(at + 3).split(/[/?#\\]/, 1)[0];
  rest = rest.slice(rest.lastIndexOf("@") + 1);
  rest = rest.startsWith("[") ? rest.slice(1).split("]", 1)[0] : rest.split(":", 1)[0];
  rest = rest.toLowerCase().replace(/\.$/, "").replace(/^www\./, "");
  return rest.length > MAX_DOMAIN || rest.includes(" ") ? "" : rest;
}

/** Visitor returns the attributes of one request's visitor. An unknown text is empty, an unknown number is null. */
export class Visitor {
  constructor(request, bundle, ms) {
    this.request = request;
    this.bundle = bundle;
    this.ms = ms;
    this.url = new URL(request.url);
    this.cf = request.cf || {};
    this.params = readQuery(this.url.search);
    this.address = parseAddress(request.headers.get("cf-connecting-ip") || "");
    this.campaign = "";
  }

  param(name) {
    const wanted = fold(name);
    for (const [n, value] of this.params) {
      const v = n === wanted ? received(value) : "";
      if (v) return v;
    }
    return "";
  }

  get subs() {
    if (this.allSubs) return this.allSubs;
    const subs = Array(SUBS).fill("");
    for (const s of this.bundle.subs || []) subs[s.sub - 1] = this.param(s.param);
    for (const [name, value] of this.params) {
      const n = GENERIC_SUB.exec(name);
      if (n && subs[n[1] - 1] === "" && !(this.bundle.taken || []).includes(name)) subs[n[1] - 1] = received(value);
    }
    return (this.allSubs = subs);
  }

  get externalID() {
    for (const name of this.bundle.external || []) {
      const v = this.param(name);
      if (v) return v;
    }
    return "";
  }

  // header returns a header of printable ASCII. It throws Origin for any other header, because the origin can read it.
  header(name, limit) {
    const v = (this.request.headers.get(name) || "").trim();
    if (/[^\x20-\x7e]/.test(v)) throw new Origin("header " + name);
    return v.slice(0, limit).trim();
  }

  get referrer() { return this.header("referer", MAX_REFERRER); }

  get language() {
    const v = this.header("accept-language", 1000).split(/[-,; ]/, 1)[0];
    if (v.length < 2 || v.length > 3) return "";
    if (!LANGUAGES.has(v.toLowerCase())) throw new Origin("language");
    return v.toLowerCase();
  }

  get keyword() {
    const v = this.param("keyword");
    if (v === "" && this.referrer !== "") throw new Origin("keyword"); // the referrer may be a search engine
    return v;
  }

  get country() {
    const c = this.cf.country || "";
    return /^[A-Z]{2}$/.test(c) && c !== "XX" ? c : "";
  }

  get time() { return (this.local ||= localTime(this.ms, this.bundle.timezone)); }

  /** text returns an attribute that is a text. */
  text(name) {
    const sub = /^sub(\d+)$/.exec(name);
    if (sub) return this.subs[sub[1] - 1];
    switch (name) {
      case "country": return this.country;
      case "region": return this.cf.region || "";
      case "city": return this.cf.city || "";
      case "continent": return this.cf.continent || "";
      case "timezone": return this.cf.timezone || "";
      case "language": return this.language;
      case "user_agent": return this.header("user-agent", MAX_AGENT);
      case "referrer": return this.referrer;
      case "referrer_domain": return domainOf(this.referrer);
      case "keyword": return this.keyword;
      case "url": return this.url.protocol + "//" + this.bundle.domain + this.url.pathname + this.url.search;
      case "source_id": return this.bundle.source ? this.bundle.source.id : "";
      case "campaign_id": return this.campaign;
    }
    throw new Origin("attribute " + name);
  }

  /** number returns an attribute that is a number. It returns undefined for an attribute that is a text. */
  number(name) {
    switch (name) {
      case "asn": return this.cf.asn || null;
      case "ip_version": return this.address ? this.address.v : null;
      case "day_of_week": return this.time.weekday;
      case "hour_of_day": return this.time.hour;
      case "date": return this.time.year * 10000 + this.time.month * 100 + this.time.day;
    }
    return undefined;
  }
}
