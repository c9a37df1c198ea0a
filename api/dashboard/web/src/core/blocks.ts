// Blocked values: which rows of a report can be blocked, and where.
import { blockable } from '../blockable.gen.ts'
import { call } from './call.ts'
import { touches } from './query.ts'
import { filterQuery, type Ask } from './report.ts'
import { failed } from './toast.ts'

export const mostAtOnce = 5000 // values in one call

export type Scope = 'account' | 'source' | 'campaign'
// Target holds values of a dimension, and the campaign and the source that their rows belong to, if the report shows them.
export type Target = { dimension: string; campaign?: string; source?: string; values: string[] }
// Place is where values are blocked: in the account, in sources or in campaigns. With an id, it is only this source or campaign.
export type Place = { scope: Scope; id?: string }

// dimensionAt returns the index of the dimension whose value a row blocks, or -1. A row of a tree blocks the value of its own dimension. A
// row of a flat table must have exactly one dimension that can be blocked.
export function dimensionAt(ask: Ask, path: string[]): number {
  const found = ask.group.flatMap((d, i) => (blockable.includes(d) && (ask.flat || i === path.length - 1) ? [i] : []))
  return found.length === 1 && path[found[0]!] ? found[0]! : -1
}

// blocksRows returns whether a report has a dimension whose values can be blocked.
export const blocksRows = (ask: Ask) => ask.group.some(d => blockable.includes(d))

export function targetsOf(ask: Ask, paths: string[][]): Target[] {
  const out = new Map<string, Target>()
  for (const path of paths) {
    const at = dimensionAt(ask, path)
    if (at < 0) continue
    const query = filterQuery(ask, path)
    const one = (name: string) => {
      const values = (query['f.' + name] ?? []) as string[]
      return values.length === 1 && values[0] ? values[0] : undefined
    }
    const head = { dimension: ask.group[at]!, campaign: one('campaign_id'), source: one('source_id') },
      key = JSON.stringify(head),
      found = out.get(key) ?? { ...head, values: [] }
    if (!found.values.includes(path[at]!)) found.values.push(path[at]!)
    out.set(key, found)
  }
  return [...out.values()]
}

// placeOf returns the narrowest place that is known for all targets: the campaign, the source or the account.
export const placeOf = (targets: Target[]): Place =>
  targets.every(o => o.campaign) ? { scope: 'campaign' } : targets.every(o => o.source) ? { scope: 'source' } : { scope: 'account' }

// bodiesOf returns the bodies of the calls that block targets in a place. Without an id each target is blocked in its own campaign
// or source.
export function bodiesOf(targets: Target[], { scope, id }: Place) {
  const out = new Map<string, { scope: Scope; dimension: string; values: string[]; campaign_id?: string; source_id?: string }>()
  for (const o of targets) {
    const where =
        scope === 'campaign'
          ? { campaign_id: id ?? o.campaign }
          : scope === 'source'
            ? { source_id: id ?? o.source }
            : ({} as { source_id?: string }),
      head = { scope, dimension: o.dimension, ...where },
      key = JSON.stringify(head),
      old = out.get(key)
    out.set(key, { ...head, values: [...new Set([...(old?.values ?? []), ...o.values])] })
  }
  return [...out.values()]
}

// undoing returns a function that undoes changes of blocked values.
export const undoing = (ids: string[]) => async () => {
  try {
    for (const id of ids) await call('POST /blocks/undo', { body: { id } })
  } catch (e) {
    failed(e)
  }
  touches('blocks')
}
