import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Condition, CopilotBody, CopilotPreview, Evidence, Part } from '../../api.gen.ts'
import { count, percent } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { Sentence } from '../../parts/condition.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Loading } from '../../parts/state.tsx'
import { w } from '../../text/copilot.ts'
import { errorText, figureName, figureText } from './text.ts'

type Line = { what: string; before: ComponentChildren; after: ComponentChildren }

// linesOf lists the differences between the parts before and after an action.
function linesOf({ before: b, after: a, names, action }: CopilotPreview): Line[] {
  const out: Line[] = [],
    name = (id: string) => names[id] || id
  const state = (s?: string) => w.states[s ?? ''] ?? s ?? '—',
    cap = (p: Part) => (p.cap == null ? w.noCap : count(p.cap))
  if (b.status !== a.status) out.push({ what: t.conversions.status, before: state(b.status), after: state(a.status) })
  if ((b.cap ?? null) !== (a.cap ?? null)) out.push({ what: t.flow.fields.daily_cap, before: cap(b), after: cap(a) })
  for (const p of b.paths ?? []) {
    const q = a.paths?.find(o => o.id === p.id),
      drawn = (o: typeof p) => (o.is_active ? t.flow.weight(o.weight) : w.states.paused)
    if (!q || p.weight !== q.weight || p.is_active !== q.is_active)
      out.push({ what: name(p.id), before: drawn(p), after: q ? drawn(q) : t.gone })
  }
  for (const [i, d] of (b.destinations ?? []).entries()) {
    const e = a.destinations?.[i],
      label = (o: typeof d) => name(o.id || o.url || '')
    if (e && (d.id !== e.id || d.url !== e.url)) out.push({ what: t.link.steps.destination, before: label(d), after: label(e) })
    else if (!e || d.weight !== e.weight)
      out.push({ what: label(d), before: t.flow.weight(d.weight), after: e ? t.flow.weight(e.weight) : t.gone })
  }
  for (const f of b.filters ?? []) {
    const g = a.filters?.find(o => o.id === f.id),
      list = (c: Condition[]) =>
        c.length
          ? c.map((o, i) => (
              <div key={i}>
                <Sentence of={o} />
              </div>
            ))
          : w.noFilters
    if (g && JSON.stringify(f.filters) !== JSON.stringify(g.filters))
      out.push({ what: name(f.id) || w.default, before: list(f.filters), after: list(g.filters) })
  }
  for (const key of new Set([...Object.keys(b.params ?? {}), ...Object.keys(a.params ?? {})]))
    if (b.params?.[key] !== a.params?.[key])
      out.push({ what: w.param(key), before: b.params?.[key] ?? w.unset, after: a.params?.[key] ?? w.unset })
  if (action.op === 'deny')
    for (const v of action.values ?? [])
      out.push({ what: `${t.dimensions[action.attribute!] ?? action.attribute} ${v}`, before: w.notBlocked, after: w.blocked })
  return out
}

// Change shows the changes that an action makes: each part before and after.
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

// Why shows the figures behind a suggestion, for each of the compared records.
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

// Details is a line that a person opens. Its content is not loaded before.
export function Details({ label, children }: { label: string; children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="opens" onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>{label}</summary>
      {open && children()}
    </details>
  )
}
