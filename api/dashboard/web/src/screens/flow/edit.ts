// Functions that edit a flow, pure and without DOM. A flow is the list of its paths. Every change returns a new list.
import type { Condition, Destination, Path, RuleRef } from '../../api.gen.ts'
import { meaning, sent } from '../../core/condition.ts'
import { newID } from '../../core/id.ts'

export type Flow = Path[]
const ranks: Record<string, number> = { forced: 0, regular: 1, default: 2 }

export const newPath = (name: string): Path => ({
  id: newID(),
  name,
  stream_type: 'regular',
  action: 'offer',
  transition: '302',
  rule_group: 0,
  weight: 100,
  daily_cap: null,
  is_active: true,
  collect_clicks: true,
  logic: 'and',
  filters: [],
  rules: [],
  destinations: [],
})

// tried returns the paths in the order in which they are tried: forced paths, regular paths by group, then the default path.
export const tried = (flow: Flow): Flow => [...flow].sort((a, b) => rank(a) - rank(b))
const rank = (p: Path) => (ranks[p.stream_type] ?? 1) * 1000 + (p.stream_type === 'regular' ? p.rule_group : 0)

export const update = (flow: Flow, id: string, change: Partial<Path>): Flow => flow.map(p => (p.id === id ? { ...p, ...change } : p))
export const remove = (flow: Flow, id: string): Flow => flow.filter(p => p.id !== id)

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

// coverer returns a path that is tried earlier than the path `id` and takes all of its visitors. A path with a daily cap covers
// no other path, because it takes no more visitors after its cap. `rotation` is the campaign's flow_rotation.
export function coverer(flow: Flow, id: string, rotation: string): Path | undefined {
  const order = tried(flow),
    at = order.findIndex(p => p.id === id),
    p = order[at]
  return p?.is_active ? order.slice(0, at).find(o => o.is_active && covers(o, p) && !drawnTogether(o, p, rotation)) : undefined
}
const covers = (o: Path, p: Path) =>
  leadsOn(o) && !neverDrawn(o) && o.daily_cap == null && o.rules.length === 0 && includes(p, o.filters, o.logic)
// includes reports whether every visitor of a path meets the given conditions.
const includes = (p: Path, filters: Condition[], logic: string) =>
  filters.length === 0 || (logic === 'and' && p.logic === 'and' && filters.every(f => p.filters.some(g => same(sent(f), sent(g)))))
const leadsOn = (p: Path) => p.action === 'nothing' || (p.action === 'campaign' ? !!p.campaign_id : p.destinations.some(d => d.weight > 0))
// neverDrawn reports whether a path gets no visitor because its weight is 0. Only regular paths are chosen by weight.
const neverDrawn = (p: Path) => p.stream_type === 'regular' && p.weight === 0
// drawnTogether reports whether a visitor who meets the conditions of both paths gets one of them by chance.
const drawnTogether = (a: Path, b: Path, rotation: string) =>
  a.stream_type === 'regular' && (rotation === 'weight' ? b.stream_type === 'regular' : rank(a) === rank(b) && a.rule_group > 0)

// raise moves a path before the path that takes all of its visitors, if the two may change places.
export function raise(flow: Flow, id: string, rotation: string): Flow {
  const by = coverer(flow, id, rotation)
  return by ? moveTo(flow, id, by.id) : flow
}

// add adds a path behind the paths of its kind, but before a path that would take all of its visitors.
export function add(flow: Flow, path: Path, rotation: string): Flow {
  const after = flow.findIndex(p => rank(p) > rank(path)),
    at = after < 0 ? flow.length : after
  return raise([...flow.slice(0, at), path, ...flow.slice(at)], path.id, rotation)
}

// edit changes a path. If its conditions or rules change, the path is moved before the path that would take all of its visitors.
export function edit(flow: Flow, id: string, change: Partial<Path>, rotation: string): Flow {
  const next = update(flow, id, change)
  return 'filters' in change || 'rules' in change ? raise(next, id, rotation) : next
}

// copyOf returns a copy of a path with a new id and an unused name. The copy of the default path is a regular path.
export function copyOf(flow: Flow, path: Path, name: (n: number) => string): Path {
  let n = 2
  while (flow.some(p => p.name === name(n))) n++
  const rules = path.rules.map(r => (r.rule_id ? r : { ...r, name: `${r.name} ${n}` }))
  return {
    ...path,
    id: newID(),
    name: name(n),
    rules,
    stream_type: path.stream_type === 'default' ? 'regular' : path.stream_type,
  }
}

// neighbour returns the path that is tried before or after a path, if the two may change places.
export function neighbour(flow: Flow, id: string, by: 1 | -1): Path | undefined {
  const order = tried(flow),
    index = order.findIndex(p => p.id === id),
    other = order[index + by]
  return other && index >= 0 && rank(other) === rank(order[index]!) ? other : undefined
}

// moveTo moves a path to the place of another path. It returns the flow unchanged if the two are of different kinds or groups.
export function moveTo(flow: Flow, id: string, place: string): Flow {
  const from = flow.findIndex(p => p.id === id),
    to = flow.findIndex(p => p.id === place)
  if (from < 0 || to < 0 || from === to || rank(flow[from]!) !== rank(flow[to]!)) return flow
  const out = [...flow],
    [moved] = out.splice(from, 1)
  out.splice(to, 0, moved!)
  return out
}

// Unit is a set of conditions. It belongs to a rule, or to the path itself and then has no name.
export type Unit = { name: string; logic: string; conditions: Condition[]; saved: boolean }

// unitsOf returns the sets of conditions of a path. `saved` holds the account's saved rules by id.
export function unitsOf(p: Path, saved: Map<string, { name: string; logic: string; conditions: Condition[] }>): Unit[] {
  const own = p.filters.length ? [{ name: '', logic: p.logic, conditions: p.filters, saved: false }] : []
  return [
    ...own,
    ...p.rules.map((r: RuleRef) => {
      const s = r.rule_id ? saved.get(r.rule_id) : undefined
      return {
        name: s?.name ?? r.name,
        logic: s?.logic ?? r.logic ?? 'and',
        conditions: s?.conditions ?? r.conditions ?? [],
        saved: !!r.rule_id,
      }
    }),
  ]
}

// Known has the ids of the account's landing pages, and the names of its records by id. `loaded` is true after all offers and
// landing pages have been loaded. Only then does a destination without a name mean that its record was removed.
export type Known = { landers: Set<string>; names: Record<string, string>; loaded: boolean }
export const isLander = (d: Destination, known: Known) => !!d.id && known.landers.has(d.id)
export const nameOf = (d: Destination, known: Known) => (d.id ? (known.names[d.id] ?? '') : (d.url ?? ''))
// displayName returns the name of a destination, `gone` if its record was removed, or dots until the lists are loaded.
export const displayName = (d: Destination, known: Known, gone: string) => nameOf(d, known) || (known.loaded ? gone : '…')
// split separates the landing pages of a path from its other destinations, to which visitors go on.
export const split = (p: Path, known: Known) => ({
  landers: p.destinations.filter(d => isLander(d, known)),
  onward: p.destinations.filter(d => !isLander(d, known)),
})
// shareOf returns the share of a destination, 0 to 1, among the destinations of the same slot.
export const shareOf = (d: Destination, among: Destination[]) => {
  const sum = among.filter(o => (o.slot ?? 0) === (d.slot ?? 0)).reduce((n, o) => n + o.weight, 0)
  return sum ? d.weight / sum : 0
}

// toSend returns a flow in the form that the service accepts.
export const toSend = (flow: Flow): Flow =>
  flow.map(p => ({
    ...p,
    filters: p.filters.map(sent),
    rules: p.rules.map(r => (r.rule_id ? r : { ...r, conditions: (r.conditions ?? []).map(sent) })),
  }))

// Change is an edit of a flow. `path` is the name of the path, and is empty if the order of the paths changed. For a changed weight,
// `of` is the name of the destination. It is empty if the weight is the path's own.
export type Change =
  | ({ kind: 'added' | 'removed' | 'order' } & { path: string })
  | { kind: 'weight'; path: string; of: string; from: number; to: number }
  | { kind: 'field'; path: string; field: string }

// fields are the fields of a path that `changes` compares as a whole.
const fields = [
  'name',
  'stream_type',
  'action',
  'transition',
  'rule_group',
  'daily_cap',
  'is_active',
  'collect_clicks',
  'logic',
  'filters',
  'rules',
  'response',
  'campaign_id',
] as const
const idsOf = (flow: Flow) => flow.map(p => p.id)

// meaningOf returns the conditions of a path, in a form in which two spellings of one condition are equal.
const meaningOf = (p: Path) => ({
  filters: p.filters.map(meaning),
  rules: p.rules.map(r => (r.rule_id ? r.rule_id : [r.name, r.logic ?? 'and', (r.conditions ?? []).map(meaning)])),
})

// changes returns the differences between two flows as a list of edits. Conditions with the same meaning count as equal, because the
// service may store a condition in another spelling than the page has sent.
export function changes(was: Flow, now: Flow, known: Known): Change[] {
  const out: Change[] = [],
    oldPaths = new Map(was.map(p => [p.id, p])),
    common = now.filter(p => oldPaths.has(p.id))
  for (const p of was) if (!now.some(o => o.id === p.id)) out.push({ kind: 'removed', path: p.name })
  for (const p of now) {
    const old = oldPaths.get(p.id)
    if (!old) {
      out.push({ kind: 'added', path: p.name })
      continue
    }
    const then = { ...old, ...meaningOf(old) },
      after = { ...p, ...meaningOf(p) }
    for (const f of fields) if (!same(then[f], after[f])) out.push({ kind: 'field', path: p.name, field: f })
    if (old.weight !== p.weight) out.push({ kind: 'weight', path: p.name, of: '', from: old.weight, to: p.weight })
    const key = (d: Destination) => [d.id, d.url, d.slot ?? 0].join(),
      oldWeights = new Map(old.destinations.map(d => [key(d), d.weight]))
    if (!same(old.destinations.map(key), p.destinations.map(key))) out.push({ kind: 'field', path: p.name, field: 'destinations' })
    for (const d of p.destinations) {
      const from = oldWeights.get(key(d))
      if (from !== undefined && from !== d.weight) out.push({ kind: 'weight', path: p.name, of: nameOf(d, known), from, to: d.weight })
    }
  }
  const oldOrder = was.filter(p => common.some(o => o.id === p.id))
  if (!same(idsOf(oldOrder), idsOf(common))) out.push({ kind: 'order', path: '' })
  return out
}

// fieldByCode has the field of a path that each error code is about.
const fieldByCode: Record<string, string> = {
  duplicate_path_name: 'name',
  invalid_action: 'action',
  invalid_stream_type: 'stream_type',
  invalid_transition: 'transition',
  invalid_rule_group: 'rule_group',
  invalid_cap: 'daily_cap',
  destination_required: 'destinations',
  lander_required: 'destinations',
  invalid_destination: 'destinations',
  invalid_destination_url: 'destinations',
  zero_weights: 'destinations',
  invalid_filter: 'filters',
  duplicate_rule_name: 'rules',
  multiple_defaults: 'stream_type',
  zero_path_weights: 'weight',
}
// placeOf returns the id of the path that an error of the service is about, and the field. Most messages have the name or the
// number of the path.
export function placeOf(code: string, message: string, flow: Flow): { path?: string; field?: string } {
  const quoted = /^(?:path |two paths are named )("(?:[^"\\]|\\.)*")/.exec(message)?.[1],
    number = /^path (\d+):/.exec(message)?.[1]
  let name: string | undefined
  try {
    name = quoted && (JSON.parse(quoted) as string)
  } catch {
    name = quoted?.slice(1, -1)
  }
  const found =
    name !== undefined
      ? flow.filter(p => p.name.trim() === name).at(-1)
      : number
        ? flow[Number(number) - 1]
        : code === 'multiple_defaults'
          ? flow.filter(p => p.stream_type === 'default').at(-1)
          : undefined
  return { path: found?.id, field: fieldByCode[code] }
}
