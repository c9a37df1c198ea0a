import { useState } from 'preact/hooks'
import type { ConversionCorrection, ConversionOutcome, CostCorrection, CostOutcome } from '../../api.gen.ts'
import { dateTime } from '../../core/dates.ts'
import { amount, count, money } from '../../core/format.ts'
import { t } from '../../core/text.ts'
import { Seg } from '../../parts/form.tsx'
import { Empty } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { w } from '../../text/corrections.ts'

export type Answer = ConversionCorrection | CostCorrection
type Outcome = ConversionOutcome | CostOutcome
const tones: Record<string, string> = { created: 'good', updated: 'accent', spread: 'good', alone: 'warn', refused: 'bad' }

// Outcomes shows the result of a correction, row by row.
export function Outcomes({ kind, of: answer }: { kind: 'conversions' | 'cost'; of: Answer }) {
  const [filter, setFilter] = useState('')
  const all = answer.outcomes as Outcome[],
    rows = filter === 'refused' ? all.filter(o => !o.accepted) : filter === 'accepted' ? all.filter(o => o.accepted) : all
  const sum = 'payout' in answer ? answer.payout : answer.spend
  return (
    <section class="card report lists">
      <header>
        <h2>{w.outcome}</h2>
        <span class={'tag ' + (answer.dryRun ? 'accent' : 'good')} role="status">
          {answer.dryRun ? w.isDry : w.isApplied}
        </span>
        <span class="grow" />
        <Seg
          label={w.filter}
          value={filter}
          options={[
            { value: '', label: `${w.all} ${count(answer.total)}` },
            { value: 'accepted', label: `${w.accepted} ${count(answer.accepted)}` },
            { value: 'refused', label: `${w.refused} ${count(answer.refused)}` },
          ]}
          on={setFilter}
        />
      </header>
      {rows.length === 0 ? (
        <Empty title={w.nothing} />
      ) : (
        <Table
          label={w.outcome}
          rows={rows}
          columns={columnsOf(kind)}
          keyOf={o => String(o.line)}
          nameOf={o => `${w.line} ${o.line}`}
          height={44}
        />
      )}
      <div class="statusbar">
        <span>{w.rows(rows.length, count(rows.length))}</span>
        {answer.truncated && <span class="warn">{w.tooMany('5,000+')}</span>}
        <span class="grow" />
        {filter !== 'refused' && (
          <span class="num">
            {w.sum[kind]} <b>{money(sum)}</b>
          </span>
        )}
      </div>
    </section>
  )
}

function columnsOf(kind: 'conversions' | 'cost'): Column<Outcome>[] {
  // accepted shows the record of an accepted row: a day of spend, or a conversion.
  const accepted = (o: Outcome) =>
    'day' in o ? (
      <Two
        a={[o.day, o.source].filter(Boolean).join(' · ')}
        b={[o.campaign, o.accepted && o.spread_clicks ? w.spread(o.spread_clicks, count(o.spread_clicks)) : '', o.note]
          .filter(Boolean)
          .join(' · ')}
      />
    ) : (
      <Two
        a={o.click_id}
        b={[o.status && (t.conversions.statuses[o.status] ?? o.status), o.conversion_id, o.goal, o.time ? dateTime(o.time) : '', o.note]
          .filter(Boolean)
          .join(' · ')}
        mono
      />
    )
  return [
    { name: 'line', label: w.line, left: true, phone: true, width: 56, cell: o => <span class="num dim">{o.line}</span> },
    {
      name: 'result',
      label: w.outcome,
      left: true,
      phone: true,
      width: 92,
      cell: o => <span class={'tag ' + (tones[o.result] ?? '')}>{w.results[o.result] ?? o.result}</span>,
    },
    {
      name: 'row',
      label: w.row,
      left: true,
      phone: true,
      kind: 'first',
      cell: o => (o.accepted ? accepted(o) : <Two a={o.reason} b={'day' in o ? [o.day, o.source].join(' · ') : o.click_id} />),
    },
    {
      name: 'amount',
      label: w.amount,
      width: 120,
      cell: o => <span class="num">{amount('day' in o ? o.spend : o.payout, o.currency)}</span>,
    },
    {
      name: 'counts',
      label: kind === 'cost' ? w.sum.cost : w.counts,
      width: 110,
      cell: o => <b class="num">{o.accepted ? money(o.counts) : '—'}</b>,
    },
  ]
}
