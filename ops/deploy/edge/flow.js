// Decides where a visitor goes, with the same order, draws and conditions as the origin. Throws Origin if the origin must decide.

import { Origin, fold, parseAddress } from "./visitor.js";

/** VIA lists the ways in which a decision can be reached. */
export const VIA = { none: 0, forced: 1, bound: 2, regular: 3, default: 4, fallback: 5, destination: 6 };

const MAX_HANDOVERS = 3;
const MASK = (1n << 64n) - 1n;

/** Draws is the sequence of random numbers for one decision. */
class Draws {
  constructor(seed) { this.seed = seed; }

  below(n) {
    this.seed = (this.seed + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.seed;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return Number(((z ^ (z >> 31n)) * BigInt(n)) >> 64n);
  }

  // pick draws an item by its weight. It returns null, and draws no number, if no item has a weight.
  pick(list) {
    const total = list.reduce((sum, item) => sum + item.weight, 0);
    if (total === 0) return null;
    let at = this.below(total);
    for (const item of list) {
      if (at < item.weight) return item;
      at -= item.weight;
    }
    return null;
  }
}

function parseNumber(text) {
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(text) || text.replace(/[-.]/g, "").length > 30) return null;
  return Number(text);
}

// A test returns null if the value cannot be compared, which counts as an unknown value.
const TESTS = {
  equals: (c, v) => c.texts.includes(folded(c, v)),
  contains: (c, v) => { const text = folded(c, v); return c.texts.some((t) => text.includes(t)); },
  starts_with: (c, v) => { const text = folded(c, v); return c.texts.some((t) => text.startsWith(t)); },
  ends_with: (c, v) => { const text = folded(c, v); return c.texts.some((t) => text.endsWith(t)); },
  number: (c, v) => {
    let n = c.a === "param" ? undefined : v.number(c.a);
    if (n === undefined) n = parseNumber(raw(c, v));
    if (n === null) return null;
    return c.ranges.some(({ lo, hi, open }) => open ? (lo === null || n > lo) && (hi === null || n < hi)
      : (lo === null || n >= lo) && (hi === null || n <= hi));
  },
  in_cidr: (c, v) => c.networks.some(([from, to]) => {
    const [low, high] = [parseAddress(from), parseAddress(to)];
    return low && high && low.v === v.address.v && low.n <= v.address.n && v.address.n <= high.n;
  }),
  schedule: (c, v) => {
    const minute = v.time.hour * 60 + v.time.minute;
    const today = v.time.weekday;
    const before = (today + 5) % 7 + 1;
    return c.slots.some(([days, from, to]) => from < to
      ? (days & 1 << today) !== 0 && from <= minute && minute < to
      : (days & 1 << today) !== 0 && minute >= from || (days & 1 << before) !== 0 && minute < to);
  },
};

function raw(c, v) { return c.a === "param" ? v.param(c.param) : v.text(c.a); }

function folded(c, v) {
  const n = c.a === "param" ? undefined : v.number(c.a);
  if (n !== undefined) {
    if (c.a === "date") throw new Origin("text of a date");
    return String(n);
  }
  return fold(raw(c, v));
}

function known(c, v) {
  if (c.a === "param") return v.param(c.param) !== "";
  if (c.a === "ip") return v.address !== null;
  if (c.a === "schedule") return true;
  const n = v.number(c.a);
  return n === undefined ? v.text(c.a) !== "" : n !== null;
}

function holds(c, v) {
  if (c.test === "is_set") return known(c, v) === Boolean(c.want);
  const test = TESTS[c.test];
  if (!test || c.a === "ip" && c.test !== "in_cidr") throw new Origin("condition on " + c.a);
  const answer = known(c, v) ? test(c, v) : null;
  return answer === null ? Boolean(c.not) : answer !== Boolean(c.not);
}

function matches(m, v) {
  if (m.never) return false;
  const or = Boolean(m.or);
  for (const c of m.all || []) if (holds(c, v) === or) return or;
  return !or || !(m.all && m.all.length);
}

/** Picker decides within one campaign. */
class Picker {
  constructor(bundle, plan, visitor, bound, seed) {
    Object.assign(this, { bundle, plan, visitor, bound, draws: new Draws(seed), passed: null });
  }

  decide() {
    const p = this.plan;
    for (const i of p.forced) {
      const d = this.try(p.routes[i], VIA.forced);
      if (d) return d;
    }
    if (p.binds_path && this.bound.path) {
      const r = p.routes.find((route) => route.id === this.bound.path);
      const d = r && !r.forced && this.try(r, VIA.bound);
      if (d) return d;
    }
    for (const group of p.groups) {
      const d = this.rotate(group.map((i) => p.routes[i]));
      if (d) return d;
    }
    if (p.default !== null) {
      const d = this.try(p.routes[p.default], VIA.default);
      if (d) return d;
    }
    return lastResort(p);
  }

  // rotate draws a path of a group. While the drawn path refuses the visitor, it draws again among the other paths.
  rotate(group) {
    if (group.length === 1) return this.try(group[0], VIA.regular);
    for (let left = group; ;) {
      const drawn = this.draws.pick(left);
      if (!drawn) return null;
      const d = this.try(drawn, VIA.regular);
      if (d) return d;
      left = left.filter((r) => r !== drawn);
    }
  }

  try(r, via) {
    if (via === VIA.regular && r.weight === 0 || !r.active) return null;
    if (via !== VIA.bound && !this.fits(r)) return null;
    let choice = null;
    if (r.leads) {
      choice = this.draw(r);
      if (!choice) {
        this.passed ||= { path: r.id, why: "no_usable_destination" };
        return null;
      }
    }
    if (r.capped) throw new Origin("daily_cap");
    return { via, route: r, choice, collect: r.collect, bindable: !r.forced };
  }

  fits(r) {
    const or = Boolean(r.or);
    const units = r.units || [];
    for (const u of units) if (matches(u, this.visitor) === or) return or;
    return !or || units.length === 0;
  }

  usable(c) {
    if (c.url) return true;
    const offer = this.bundle.offers[c.id];
    if (offer) {
      if (offer.open && offer.capped) throw new Origin("offer_daily_cap");
      return offer.open;
    }
    const lander = this.bundle.landers[c.id];
    return Boolean(lander && lander.open);
  }

  draw(r) {
    const p = this.plan;
    let bound = null;
    if (this.bound.path === r.id) {
      if (r.action === "lander") bound = p.binds_lander ? this.bound.lander : null;
      else bound = p.binds_offer ? this.bound.offer : null;
    }
    const usable = (r.choices || []).filter((c) => this.usable(c));
    const kept = bound && usable.find((c) => c.id === bound);
    if (kept) return kept;
    return this.draws.pick(usable);
  }
}

function lastResort(p) {
  if (p.fallback) return { via: VIA.fallback, route: null, url: p.fallback, collect: true, bindable: false };
  if (p.destination) return { via: VIA.destination, route: null, url: p.destination, collect: true, bindable: false };
  return { via: VIA.none, route: null, collect: true, bindable: false };
}

/**
 * decide routes a visitor through the campaign of the bundle, and through the campaigns to which the visitor is handed over.
 * visit.enter(id, campaign) returns the visitor's bindings in a campaign. decide calls visit.handOver(route, bindable) at each
 * hand-over.
 */
export function decide(bundle, visitor, seed, visit) {
  const hops = [];
  let id = bundle.campaign;
  let collect = true;
  let passed = null;
  for (let hop = 0; ; hop++) {
    const campaign = bundle.campaigns[id];
    visitor.campaign = id;
    const bound = visit.enter(id, campaign);
    const picker = new Picker(bundle, campaign.plan, visitor, bound, (seed + BigInt(hop)) & MASK);
    let d = picker.decide();
    collect &&= d.collect;
    passed ||= picker.passed;
    const next = d.route && d.route.action === "campaign" ? d.route.campaign : null;
    const leads = next && bundle.campaigns[next] && hop < MAX_HANDOVERS;
    if (next && !leads) d = lastResort(campaign.plan);
    hops.push({ campaign: id, flow: campaign.flow, path: d.route ? d.route.id : undefined, bindable: d.bindable });
    if (!leads) return { ...d, collect, passed, hops, id, campaign };
    visit.handOver(d.route, d.bindable);
    id = next;
  }
}
