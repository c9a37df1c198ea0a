import type { Difference, DifferenceRow } from '../../api.gen.ts'
import { w } from '../../text/difference.ts'
import { measuresOf, Value, type Kind, type Measure } from './sides.tsx'

// Rows in which nothing happened on either side would hide the others.
const happened = (r: DifferenceRow, measures: Measure[]) => r.causes.length > 0 || measures.some(m => r.theirs[m.name] || r.ours[m.name])

const keyOf = (r: DifferenceRow) => r.day + (r.campaign_id ?? '')

// Days shows both sides by day and campaign, with the names of the causes of each row.
export function Days({ of: d, kind }: { of: Difference; kind: Kind }) {
  const measures = measuresOf(d, kind).filter(m => m.compared)
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={w.days}>
      <table class="plain differs">
        <thead>
          <tr>
            <th class="left">{w.day}</th>
            <th class="left">{w.campaign}</th>
            {measures.map(m => [
              <th key={m.name + 't'}>
                {m.label}: {w.theirs}
              </th>,
              <th key={m.name + 'o'}>{w.ours}</th>,
              <th key={m.name + 'd'}>{w.difference}</th>,
              <th key={m.name + 'u'}>{w.unexplained}</th>,
            ])}
            <th class="left">{w.causes}</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  )
}
