import type { DelayRow } from '../api.gen.ts'
import { count, percent } from '../core/format.ts'
import { use } from '../core/query.ts'
import { language, t } from '../core/text.ts'
import { within } from '../core/trend.ts'
import { windowQuery } from '../core/window.ts'
import { w } from '../text/plots.ts'
import { Columns } from './columns.tsx'
import { PlainTable } from './plain_table.tsx'
import { Empty, Loading } from './state.tsx'

const units = [
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
] as const

// duration returns a length of time as text: in days if it has at least one day, else in hours or minutes.
function duration(seconds: number, unitDisplay: 'short' | 'narrow' = 'short') {
  const [unit, length] = units.find(([, n]) => seconds >= n) ?? units[2]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(seconds / length)
}

const stepText = ({ from, to }: DelayRow) =>
  to === null ? w.over(duration(from)) : from === 0 ? w.under(duration(to)) : w.to(duration(from), duration(to))

// filtered are the dimensions by which delays can be filtered.
const filtered = ['campaign_id', 'offer_id', 'source_id']

type Filter = Record<string, string | string[] | number>

// hasDelays reports whether the delays can be filtered by all dimensions that a report is filtered by.
export const hasDelays = (filter: Filter) => Object.keys(filter).every(name => filtered.includes(name.slice(2)))

// Delays shows how long after their click the conversions of the window came.
export function Delays({ filter, asTable }: { filter: Filter; asTable: boolean }) {
  const of = use('GET /reports/delays', { from: windowQuery().from, to: windowQuery().to, ...filter }, 300),
    data = of.data
  if (!data) return <Loading of={of} height={236} style="" />
  if (!data.conversions) return <Empty title={w.noDelay} more={w.delayNote} />
  const share = (n: number) => percent((n / data.conversions) * 100, 0),
    half = within(data.rows, 0.5),
    most = within(data.rows, 0.9)
  let sum = 0
  const rows = data.rows.map(r => ({ ...r, name: stepText(r), sum: (sum += r.conversions) }))
  const said = [
    w.delayOf(data.conversions, count(data.conversions)),
    half !== null && half !== most && w.half(duration(half)),
    most !== null && w.most(duration(most)),
  ].filter(Boolean)
  return (
    <>
      <p class="soft num">{said.join(' · ')}</p>
      {asTable ? (
        <PlainTable label={w.delay} heads={[{ left: w.time }, t.figures.conversions, w.share, w.sum]}>
          {rows.map(r => (
            <tr key={r.from}>
              <td class="left">{r.name}</td>
              <td>{count(r.conversions)}</td>
              <td>{share(r.conversions)}</td>
              <td>{share(r.sum)}</td>
            </tr>
          ))}
        </PlainTable>
      ) : (
        <Columns
          label={`${w.delay}: ${said.join(', ')}`}
          tone="--s-conv"
          columns={rows.map(r => ({
            key: String(r.from),
            name: r.name,
            tick: r.to === null ? `> ${duration(r.from, 'narrow')}` : `< ${duration(r.to, 'narrow')}`,
            value: r.conversions,
            text: `${count(r.conversions)} (${share(r.conversions)})`,
          }))}
        />
      )}
      <p class="dim fine">{data.truncated ? w.delayCut(count(data.conversions)) : w.delayNote}</p>
    </>
  )
}
