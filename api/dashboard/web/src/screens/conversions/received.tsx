import type { NetworkRow, PostbackRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Fact, Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { dateTime } from '../../core/dates.ts'
import { paramsOf, readAs } from '../../core/incoming.ts'
import { touches } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { w } from '../../text/postbacks.ts'
import { OfConversion, Tag } from './postback_parts.tsx'
import { w as correctionWords } from '../../text/corrections.ts'
import { w as said } from '../../text/reasons.ts'

const pause = 700, // ms between checks of a replayed postback
  mostChecks = 15

// replay processes a postback again, waits for the result and shows it as a toast.
export async function replay(row: PostbackRow) {
  await call('POST /logs/postbacks/{id}/replay', { path: { id: row.id } })
  for (let i = 0; ; i++) {
    await new Promise(done => {
      setTimeout(done, pause)
    })
    const now = await call('GET /logs/postbacks/{id}', { path: { id: row.id } })
    if (now.result === 'accepted' && i < mostChecks) continue
    touches('logs', 'reports', 'stats')
    const result = t.clicks.results[now.result] ?? now.result
    toast(t.unmatched.inLog(now.reason ? `${result}, ${said.of(now.reason)}` : result), {
      bad: now.result === 'refused' || now.result === 'unmatched',
    })
    return
  }
}

// Raw lists the parameters of a received postback, with the field of a conversion that each is read as.
export const Raw = ({ of: row, settings }: { of: PostbackRow; settings: Record<string, string> }) => (
  <Part title={t.unmatched.raw}>
    <PlainTable label={t.unmatched.raw} heads={[{ left: t.link.param }, { left: t.reports.value }, { left: t.link.readAs }]}>
      {paramsOf(row.query).map(([name, value], i) => {
        const as = readAs(name, settings)
        return (
          <tr key={i}>
            <td class="mono">{name}</td>
            <td class="left mono" title={value}>
              {value}
            </td>
            <td class={'left' + (as ? '' : ' dim')}>{as ? t.unmatched.fields[as] : correctionWords.unknown}</td>
          </tr>
        )
      })}
    </PlainTable>
    {row.query.includes('***') && <p class="dim fine">{t.unmatched.masked}</p>}
  </Part>
)

// replayable lists the results for which this sheet offers to process the postback again.
const replayable = ['refused', 'ignored']

type Props = { of: PostbackRow; network?: NetworkRow; close: () => void; step: Steps }

// ReceivedSheet shows a received postback. PostbackSheet shows an unmatched one.
export function ReceivedSheet({ of: row, network, close, step }: Props) {
  const [busy, start] = useBusy(),
    may = canWrite() && replayable.includes(row.result)
  const run = () => void start(() => replay(row).then(close))
  useLetters(step, may ? { r: run } : {})
  const notes = [
    row.amount_reason && said.of(row.amount_reason),
    row.invalid_payout && w.badPayout(row.invalid_payout),
    row.invalid_time && w.badTime(row.invalid_time),
  ]
  return (
    <Sheet
      side
      reads
      title={`${w.received} · ${dateTime(row.at)}`}
      beside={<Tag of={row} />}
      close={close}
      foot={
        <>
          {row.network_id && <Link href={to('/app/networks', { id: row.network_id })} text={w.toNetwork} />}
          <span class="grow" />
          <Stepper of={step} />
          {may && <Button look="primary" disabled={busy} onClick={run} text={t.unmatched.one} letter="R" />}
        </>
      }>
      <div class="story">
        <section class="part">
          {notes.map(text => text && <p class="warn wrap">{text}</p>)}
          <dl class="facts">
            {row.reason && <Fact name={t.unmatched.service} value={said.of(row.reason)} look="wrap" />}
            <Fact name={t.unmatched.arrived} value={dateTime(row.at)} />
            <Fact name={t.conversions.network} value={row.network_name || t.unmatched.none} look="wrap" />
            <OfConversion of={row} />
            <Fact name={t.conversions.from} value={t.conversions.came[row.source] ?? row.source} />
            <Fact name={t.campaigns.domain} value={row.domain} look="wrap" />
            <Fact name={t.unmatched.sender} value={row.ip} look="wrap" />
          </dl>
        </section>
        <Raw of={row} settings={network?.postback_params ?? {}} />
      </div>
    </Sheet>
  )
}
