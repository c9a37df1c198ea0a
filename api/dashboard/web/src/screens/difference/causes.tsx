import type { ComponentChildren } from 'preact'
import type { Difference, DifferenceFigures } from '../../api.gen.ts'
import { to } from '../../core/router.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { w } from '../../text/difference.ts'
import { measuresOf, Value, type Kind } from './sides.tsx'

// placeOf returns the address of the screen on which a cause can be examined.
function placeOf(cause: string, kind: Kind, id: string): string {
  const ofSource = kind === 'source' ? { 'f.source_id': id } : undefined
  switch (cause) {
    case 'not_read':
    case 'not_sent':
      return to('/app/integrations', { [kind]: id })
    case 'bots':
      return to('/app/reports', { g: 'bot_reason,country', ...ofSource })
    case 'hops':
      return to('/app/reports', { g: 'lander_id,campaign_id' })
    case 'unmatched':
    case 'refused':
    case 'not_received':
      return to('/app/unmatched', { network: id })
    case 'currency':
      return to('/app/settings')
    case 'correction':
      return kind === 'source' ? to('/app/corrections', { kind: 'cost' }) : to('/app/conversions')
    case 'time_zone':
      return to('/app/reports', { g: 'hour', ...ofSource })
  }
  return ofSource ? to('/app/clicks', ofSource) : to('/app/conversions')
}

// Causes shows the difference between our figures and the figures of the source or network, and its causes.
export function Causes({ of: d, kind, id }: { of: Difference; kind: Kind; id: string }) {
  const measures = measuresOf(d, kind).filter(m => m.compared)
  const hasUnexplained = measures.some(m => d.total.unexplained[m.name])
  const line = (name: string, figures: DifferenceFigures, format: { theirs?: boolean; sign?: boolean } = {}) => (
    <tr>
      <td class="left">
        <b>{name}</b>
      </td>
      {measures.map(m => (
        <Value key={m.name} of={figures} m={m} currency={format.theirs ? m.theirs : m.ours} sign={format.sign} />
      ))}
      <td class="narrow-off" />
    </tr>
  )
  // advised returns a row with its advice, if any. A phone has no column for the advice, and shows it below the row.
  const advised = (key: string, row: ComponentChildren, advice: string | false | undefined) => [
    <tr key={key}>
      {row}
      <td class="left says narrow-off">{advice}</td>
    </tr>,
    advice && (
      <tr key={key + 'advice'} class="below">
        <td class="left dim" colSpan={1 + measures.length}>
          {advice}
        </td>
      </tr>
    ),
  ]
  return (
    <PlainTable look="differs advised" label={w.causes} heads={[{ left: w.cause }, ...measures.map(m => m.label), { left: w.todo }]}>
      {line(w.theirs, d.total.theirs, { theirs: true })}
      {line(w.ours, d.total.ours)}
      {line(w.difference, d.total.difference, { sign: true })}
      {d.total.causes.length === 0 && !hasUnexplained && (
        <tr>
          <td class="left" colSpan={2 + measures.length}>
            {w.same}
          </td>
        </tr>
      )}
      {d.total.causes.map(c =>
        advised(
          c.cause + c.reason,
          <>
            <td class="left says">
              <a class="link" href={placeOf(c.cause, kind, id)} title={w.show}>
                {w.names[c.cause] ?? c.cause}
              </a>
              {c.reason && <div class="dim">{c.reason}</div>}
            </td>
            {measures.map(m => (
              <Value key={m.name} of={c} m={m} sign />
            ))}
          </>,
          w.advice[c.cause],
        ),
      )}
      {advised(
        'unexplained',
        <>
          <td class="left">
            <b>{w.unexplained}</b>
          </td>
          {measures.map(m => (
            <Value key={m.name} of={d.total.unexplained} m={m} sign />
          ))}
        </>,
        hasUnexplained && w.unexplainedText[kind],
      )}
    </PlainTable>
  )
}
