// Sub-parameters: their names in reports, filters and conditions, and the form of a traffic source that assigns them.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ClickRow, SubSlot } from '../api.gen.ts'
import { earlySubs, mostSubs } from '../subs.gen.ts'
import { useCampaigns, useSources } from './choices.ts'
import { t } from './text.ts'

export const subKeys = Array.from({ length: mostSubs }, (_, i) => `sub${i + 1}`),
  lateSubs = new Set(subKeys.slice(earlySubs))

// SubNames holds the names of sub-parameters by their keys (sub1, sub2, ...).
export type SubNames = Record<string, string>

// Named has the names of the sub-parameters on a part of a screen. If sources name a sub-parameter differently, its text has several
// names (see joined).
export const Named = createContext<SubNames>({})

// dimensionName returns the name of a dimension, as in zone (Sub 1).
export const dimensionName = (dimension: string, names: SubNames = {}) => {
  const usual = t.dimensions[dimension] ?? dimension
  return names[dimension] ? `${names[dimension]} (${usual})` : usual
}

// useDimensionName returns dimensionName with the names of this part of the screen.
export function useDimensionName() {
  const names = useContext(Named)
  return (dimension: string) => dimensionName(dimension, names)
}

export const subsOf = (c: ClickRow): [string, string][] =>
  subKeys.map((k): [string, string] => [k, c[k as 'sub1']]).filter(([, value]) => value)

// usualIn returns a function that reports whether a menu shows a dimension before a person searches. A late sub-parameter (after
// the first earlySubs) is shown only if a source uses it.
export function usualIn(sources: { subs: SubSlot[] }[]) {
  const used = new Set(sources.flatMap(s => s.subs.map(o => `sub${o.sub}`)))
  return (dimension: string) => !lateSubs.has(dimension) || used.has(dimension)
}
export const useUsual = (on = true) => usualIn(useSources(on) ?? [])

const mostNames = 3 // names of one sub-parameter that are shown

// joined returns the names of each sub-parameter in all lists, as in ad / network.
export function joined(lists: SubNames[]): SubNames {
  const found: Record<string, string[]> = {}
  for (const [sub, name] of lists.flatMap(l => Object.entries(l))) {
    const names = (found[sub] ??= [])
    if (!names.some(n => n.toLowerCase() === name.toLowerCase())) names.push(name)
  }
  return Object.fromEntries(
    Object.entries(found).map(([sub, names]) => [sub, names.slice(0, mostNames).join(' / ') + (names.length > mostNames ? ' …' : '')]),
  )
}

// useScopeNames returns the names of sub-parameters in the given campaigns or, without campaigns, in the given sources. Without both
// it returns the names in all sources.
export function useScopeNames(campaigns: string[], sources: string[]): SubNames {
  const allCampaigns = useCampaigns(campaigns.length > 0),
    allSources = useSources()
  if (campaigns.length) return joined((allCampaigns ?? []).filter(c => campaigns.includes(c.id)).map(c => c.sub_names))
  return joined((allSources ?? []).filter(s => !sources.length || sources.includes(s.id)).map(s => s.sub_names))
}

// SubRow is a parameter in the form of a source. `sub` is 0 if the parameter fills no sub-parameter. If a row is not in the link,
// its sub-parameter is only reserved.
export type SubRow = { sub: number; param: string; macro: string; name: string; inLink: boolean }
type Stored = { token_macros: Record<string, string>; subs: SubSlot[] }

// rowsOf returns the rows of a source. Rows with a sub-parameter come first, sorted by its number.
export function rowsOf({ token_macros, subs }: Stored): SubRow[] {
  const reserved = subs.map(s => ({ ...s, macro: token_macros[s.param] ?? '', inLink: s.param in token_macros }))
  const other = Object.entries(token_macros)
    .filter(([param]) => !subs.some(s => s.param === param))
    .map(([param, macro]) => ({ sub: 0, param, macro, name: '', inLink: true }))
  return [...reserved.sort((a, b) => a.sub - b.sub), ...other]
}

export function storedOf(rows: SubRow[]): Stored {
  const whole = rows.filter(r => r.param.trim())
  return {
    token_macros: Object.fromEntries(whole.filter(r => r.inLink).map(r => [r.param.trim(), r.macro])),
    subs: whole.filter(r => r.sub > 0).map(r => ({ sub: r.sub, param: r.param.trim(), name: r.name.trim() })),
  }
}

// freeSub returns the first sub-parameter that no row has, or 0.
export function freeSub(rows: SubRow[]): number {
  for (let n = 1; n <= mostSubs; n++) if (!rows.some(r => r.sub === n)) return n
  return 0
}

// meantSub returns the sub-parameter that a name such as sub3 or t3 fills at every source, or 0.
export function meantSub(param: string): number {
  const n = Number(/^(?:sub_id_|subid|sub|var|t)([1-9]\d?)$/i.exec(param.trim())?.[1] ?? 0)
  return n <= mostSubs ? n : 0
}

// moved gives row `i` another sub-parameter. The row that had this sub-parameter gets the old one of row `i`.
export const moved = (rows: SubRow[], i: number, sub: number): SubRow[] =>
  rows.map((r, j) => (j === i ? { ...r, sub } : r.sub === sub ? { ...r, sub: rows[i]!.sub } : r))

// renamed gives the parameter of a row another name. A name such as sub3 fills the third sub-parameter at every source. The row gets
// this sub-parameter if no other row has it.
export function renamed(rows: SubRow[], i: number, param: string): SubRow[] {
  const sub = meantSub(param),
    free = sub > 0 && !rows.some((r, j) => j !== i && r.sub === sub)
  return rows.map((r, j) => (j === i ? { ...r, param, sub: free ? sub : r.sub } : r))
}
