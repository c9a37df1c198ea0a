import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { use } from '../core/query.ts'
import { filterQuery, windowQuery, type Ask } from '../core/report.ts'
import { t } from '../core/text.ts'
import { days, span } from '../core/window.ts'
import { Icon } from '../parts/icons.tsx'
import { Plot, type Series } from '../parts/plot.tsx'
import { Failed, Late } from '../parts/state.tsx'

function Sheet({ title, close, children }: { title: string, close: () => void, children: ComponentChildren }) {
  const el = useRef<HTMLDialogElement>(null)
  useEffect(() => { el.current?.showModal() }, [])
  return <dialog ref={el} aria-label={title} onClose={close} onClick={e => { if (e.target === el.current) el.current?.close() }}><section class="card sheet"><header><h2>{title}</h2><button type="button" class="btn quiet icon" aria-label={t.close} onClick={() => el.current?.close()}><Icon name="x" /></button></header>{children}</section></dialog>
}

// OverTime shows a row by day, or by hour of a short window.
export function OverTime({ ask, path, name, close }: { ask: Ask, path: string[], name: string, close: () => void }) {
  const hours = days(span.value.span) <= 3
  const got = use('GET /reports/trends', { ...windowQuery(), bucket: hours ? 'hour' : 'day', ...filterQuery(ask, path) })
  const made = useMemo(() => {
    const rows = got.data?.rows
    if (!rows) return null
    const series: Series[] = [
      { name: t.figures.names.profit, kind: 'money', colour: '--s-revenue', values: rows.map(r => r.profit), fill: true },
      { name: t.figures.names.clicks, kind: 'count', colour: '--s-clicks', values: rows.map(r => r.clicks), right: true },
    ]
    return { times: rows.map(r => Date.parse(r.start!)), series }
  }, [got.data])
  return <Sheet title={t.reports.overTimeOf(name)} close={close}><div class="plotpad">
    {got.error && !made ? <Failed error={got.error} again={got.again} /> : made ? <Plot label={t.reports.overTimeOf(name)} times={made.times} series={made.series} hours={hours} /> : <Late><div class="skeleton" style="height:236px" /></Late>}</div></Sheet>
}

const keys: [string, string][] = [['↑ ↓', t.reports.move], ['→', t.reports.opens], ['←', t.reports.closes], ['F', t.reports.onlyKey], ['X', t.reports.exceptKey], ['T', t.reports.overTime], ['C', t.reports.columns], ['E', t.reports.exportIt], ['Esc', t.reports.clearFilters]]

export const Keys = ({ close }: { close: () => void }) => <Sheet title={t.reports.keys} close={close}><dl class="keys">{keys.map(([key, text]) => <><dt><kbd>{key}</kbd></dt><dd>{text}</dd></>)}</dl></Sheet>
