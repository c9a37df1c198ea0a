import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Condition, CopilotBody, CopilotPreview, Evidence, Part } from '../../api.gen.ts'
import { count, percent } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { Sentence } from '../../parts/condition.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Loading } from '../../parts/state.tsx'
import { w } from '../../text/copilot.ts'
import { errorText, figureName, figureText } from './text.ts'

type Line = { what: string; before: ComponentChildren; after: ComponentChildren }

// linesOf lists what an action changes, with the values before and after it.
function linesOf({ before, after, names, action }: CopilotPreview): Line[] {
  const out: Line[] = [],
    nameOf = (id: string) => names[id] || id
  const status = (s?: string) => w.states[s ?? ''] ?? s ?? '—',
    cap = (p: Part) => (p.cap == null ? w.noCap : count(p.cap))
  if (before.status !== after.status) out.push({ what: t.conversions.status, before: status(before.status), after: status(after.status) })
  if ((before.cap ?? null) !== (after.cap ?? null)) out.push({ what: flowWords.fields.daily_cap, before: cap(before), after: cap(after) })
  for (const old of before.paths ?? []) {
    const now = after.paths?.find(o => o.id === old.id),
      weight = (path: typeof old) => (path.is_active ? flowWords.weight(path.weight) : w.states.paused!)
    if (!now || old.weight !== now.weight || old.is_active !== now.is_active)
      out.push({ what: nameOf(old.id), before: weight(old), after: now ? weight(now) : t.gone })
  }
  for (const [i, old] of (before.destinations ?? []).entries()) {
    const now = after.destinations?.[i],
      label = (d: typeof old) => nameOf(d.id || d.url || '')
    if (now && (old.id !== now.id || old.url !== now.url))
      out.push({ what: t.link.steps.destination!, before: label(old), after: label(now) })
    else if (old.weight !== now?.weight)
      out.push({ what: label(old), before: flowWords.weight(old.weight), after: now ? flowWords.weight(now.weight) : t.gone })
  }
  for (const old of before.filters ?? []) {
    const now = after.filters?.find(f => f.id === old.id)
    if (now && JSON.stringify(old.filters) !== JSON.stringify(now.filters))
      out.push({ what: nameOf(old.id) || w.default, before: conditionsOf(old.filters), after: conditionsOf(now.filters) })
  }
  for (const key of new Set([...Object.keys(before.params ?? {}), ...Object.keys(after.params ?? {})]))
    if (before.params?.[key] !== after.params?.[key])
      out.push({ what: w.param(key), before: before.params?.[key] ?? w.unset, after: after.params?.[key] ?? w.unset })
  if (action.op === 'deny')
    for (const v of action.values ?? [])
      out.push({ what: `${t.dimensions[action.attribute!] ?? action.attribute} ${v}`, before: w.notBlocked, after: w.blocked })
  return out
}

const conditionsOf = (list: Condition[]) =>
  list.length
    ? list.map((c, i) => (
        <div key={i}>
          <Sentence of={c} />
        </div>
      ))
    : w.noFilters

// Change shows what an action changes, with the values before and after it.
export function Change({ id, variant }: { id: string; variant?: CopilotBody['variant'] }) {
  const { data, error, again } = use('GET /copilot/preview', { id, ...(variant ? { variant } : {}) })
  if (!data)
    return error && (error.code === 'not_found' || error.code === 'advice_only') ? (
      <p class="dim">{errorText(error)}</p>
    ) : (
      <Loading of={{ error, again }} height={70} style="" />
    )
  const lines = linesOf(data)
  return (
    <div class="exact">
      {data.stale && (
        <p class="warn" role="status">
          {w.stale} {data.stale}
        </p>
      )}
      {lines.length === 0 ? (
        !data.stale && <p class="dim">{w.same}</p>
      ) : (
        <PlainTable label={w.change} heads={[{ left: w.what }, { left: w.before }, { left: w.after }]}>
          {lines.map((l, i) => (
            <tr key={i}>
              <td class="left wrap strong">{l.what}</td>
              <td class="left wrap dim">{l.before}</td>
              <td class="left wrap">
                <b>{l.after}</b>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
      {(data.action.campaigns?.length ?? 0) > 0 && <p class="dim fine">{w.otherCampaigns(data.action.campaigns!.length)}</p>}
    </div>
  )
}

// `Why` shows the figures behind a suggestion, for each of the compared records.
export function Why({ of: e }: { of: Evidence }) {
  const records = [...new Set(e.figures.map(f => f.of))],
    names = [...new Set(e.figures.map(f => f.name))]
  return (
    <div class="evidence">
      {records.length > 0 && (
        <PlainTable label={w.evidence} heads={[{ left: w.what }, ...names.map(figureName)]}>
          {records.map(o => (
            <tr key={o}>
              <td class="left wrap strong">{o || '—'}</td>
              {names.map(n => {
                const f = e.figures.find(f => f.of === o && f.name === n)
                return (
                  <td key={n} class="num">
                    {f ? figureText(n, f.value) : '—'}
                  </td>
                )
              })}
            </tr>
          ))}
        </PlainTable>
      )}
      <p class="dim fine wrap">
        {[
          w.window(e.from, e.to),
          w.sample(count(e.sample)),
          w.confidence(percent(e.confidence * 100, e.confidence > 0.99 && e.confidence < 1 ? 1 : 0)),
          e.method,
          `${w.minimum}: ${e.minimum}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  )
}

// Details is a line that a person opens. Its content is loaded only when the line is open.
export function Details({ label, children }: { label: string; children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="opens" onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>{label}</summary>
      {open && children()}
    </details>
  )
}
