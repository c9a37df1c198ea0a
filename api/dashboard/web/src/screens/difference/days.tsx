import type { Difference, DifferenceRow } from '../../api.gen.ts'
import { t } from '../../core/text.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { w } from '../../text/difference.ts'
import { measuresOf, Value, type Kind, type Measure } from './sides.tsx'

// happened reports whether a row has figures or causes. Rows without them are not shown.
const happened = (r: DifferenceRow, measures: Measure[]) => r.causes.length > 0 || measures.some(m => r.theirs[m.name] || r.ours[m.name])

const keyOf = (r: DifferenceRow) => r.day + (r.campaign_id ?? '')

// Days shows both sides by day and campaign, with the names of the causes of each row.
export function Days({ of: d, kind }: { of: Difference; kind: Kind }) {
  const measures = measuresOf(d, kind).filter(m => m.compared),
    figures = measures.flatMap(m => [`${m.label}: ${w.theirs}`, w.ours, w.difference, w.unexplained]),
    heads = [{ left: t.overview.day }, { left: t.dimensions.campaign_id }, ...figures, { left: w.causes }]
  return (
    <PlainTable look="differs" label={w.days} heads={heads}>
      {d.rows
        .filter(r => happened(r, measures))
        .map(r => (
          <tr key={keyOf(r)}>
            <td class="left num">{r.day}</td>
            <td class="left" title={r.campaign_name ?? undefined}>
              {r.campaign_name ?? w.noCampaign}
            </td>
            {measures.map(m => [
              <Value key={m.name + 't'} of={r.theirs} m={m} currency={m.theirs} />,
              <Value key={m.name + 'o'} of={r.ours} m={m} />,
              <Value key={m.name + 'd'} of={r.difference} m={m} sign />,
              <Value key={m.name + 'u'} of={r.unexplained} m={m} sign />,
            ])}
            <td class="left says">{r.causes.map(c => w.names[c.cause] ?? c.cause).join(', ')}</td>
          </tr>
        ))}
    </PlainTable>
  )
}
