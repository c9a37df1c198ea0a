import type { Difference, DifferenceRow } from '../../api.gen.ts'
import { dateOf } from '../../core/dates.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { w } from '../../text/difference.ts'
import { measuresOf, Value, type Kind, type Measure } from './sides.tsx'

// happened reports whether a row has figures or causes.
const happened = (r: DifferenceRow, measures: Measure[]) => r.causes.length > 0 || measures.some(m => r.theirs[m.name] || r.ours[m.name])

const keyOf = (r: DifferenceRow) => r.day + (r.campaign_id ?? '')

// Days shows our figures and the figures of the source or network by day and campaign, with the names of the causes.
export function Days({ of: d, kind }: { of: Difference; kind: Kind }) {
  const measures = measuresOf(d, kind).filter(m => m.compared)
  return (
    <PlainTable look="differs" label={w.days} heads={['', w.theirs, w.ours, w.difference, w.unexplained]}>
      {d.rows
        .filter(r => happened(r, measures))
        .map(r => [
          <tr key={keyOf(r)} class="over">
            <th class="left" scope="colgroup" colSpan={5}>
              <b>{dateOf(Date.parse(r.day), undefined, 'UTC')}</b> {r.campaign_name ?? (kind === 'source' ? w.noCampaign : '')}
              <span class="dim">
                {r.causes.length > 0 && ' · '}
                {r.causes.map(c => w.names[c.cause] ?? c.cause).join(', ')}
              </span>
            </th>
          </tr>,
          ...measures.map(m => (
            <tr key={keyOf(r) + m.name}>
              <td class="left">{m.label}</td>
              <Value of={r.theirs} m={m} currency={m.theirs} />
              <Value of={r.ours} m={m} />
              <Value of={r.difference} m={m} sign />
              <Value of={r.unexplained} m={m} sign />
            </tr>
          )),
        ])}
    </PlainTable>
  )
}
