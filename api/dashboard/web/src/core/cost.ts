// Describes the clicks that a row of a list or a report counts, and sets the cost of these clicks.
import type { CostSet, SetCostBody } from '../api.gen.ts'
import { call } from './call.ts'
import { task } from './jobs.ts'
import { filterQuery, type Ask } from './report.ts'
import { zone } from './me.ts'
import { iso, span, spanOf, type Span } from './window.ts'

// Target is what a cost is set for. `from` and `to` are days of the account's time zone.
export type Target = { campaign: string; source: string; sub: number; value: string; from: string; to: string }

export const targetOf = (s: Span, more: Partial<Target> = {}): Target => ({
  campaign: '',
  source: '',
  sub: 0,
  value: '',
  from: iso(s.from),
  to: iso(s.to),
  ...more,
})
export const daysOf = (preset: string, tz: string) => {
  const s = spanOf(preset, tz)
  return { from: iso(s.from), to: iso(s.to) }
}

// targetOfRecord returns the target for a row of a list. If the window is a single day, the target has this day. Otherwise it has
// yesterday, which is the last day whose whole cost is known.
export function targetOfRecord(more: Partial<Target>, s = span.value.span, tz = zone.value): Target {
  const days = targetOf(s, more)
  return days.from === days.to ? days : { ...days, ...daysOf('yesterday', tz) }
}

// targetOfRow returns the target of a row of a report: a campaign, a traffic source, a sub-parameter, a day. It returns undefined if the
// row or a filter of the report selects clicks by anything else, because the service cannot set a cost for only these clicks.
export function targetOfRow(ask: Ask, path: string[], s: Span): Target | undefined {
  const out = targetOf(s)
  for (const [name, v] of Object.entries(filterQuery(ask, path))) {
    const values = [v].flat() as string[],
      dimension = name.slice(2),
      sub = /^sub(\d+)$/.exec(dimension)?.[1],
      value = values[0]!
    if (!name.startsWith('f.') || values.length !== 1) return undefined
    if (dimension === 'campaign_id' && value) out.campaign = value
    else if (dimension === 'source_id' && value) out.source = value
    else if (dimension === 'date' && value) out.from = out.to = value
    else if (sub && !out.sub) Object.assign(out, { sub: Number(sub), value })
    else return undefined
  }
  return out
}

// bodyOf returns the body of the call that sets a cost, or undefined while a value is missing or not valid.
export function bodyOf(of: Target, kind: 'amount' | 'cpc', amount: number | null, currency: string): SetCostBody | undefined {
  if ((!of.campaign && !of.source) || amount == null || amount < 0 || !of.from || !of.to || !/^[A-Z]{3}$/.test(currency)) return undefined
  return {
    campaign_id: of.campaign || undefined,
    source_id: of.source || undefined,
    sub: of.sub,
    sub_value: of.sub ? of.value : '',
    from: of.from,
    to: of.to,
    [kind]: amount,
    currency,
  } as SetCostBody
}

export const quoteOf = (body: SetCostBody, signal: AbortSignal): Promise<CostSet> =>
  call('POST /corrections/cost/set', { body: { ...body, apply: false }, signal })

export const setCost = (name: string, body: SetCostBody, describe: (a: CostSet) => string) =>
  task(name, 'POST /corrections/cost/set', { body: { ...body, apply: true } }, a => ({
    text: describe(a),
    path: '/app/corrections?kind=cost',
    told: true,
  }))

export const undoCost = (id: string) => call('POST /corrections/cost/changes/{id}/undo', { path: { id } })

// moved has the names of the calls whose cached answers are outdated after a change of cost (see touches in query.ts).
export const moved = ['reports', 'stats', 'campaigns', 'traffic-sources', 'corrections']
