import { useState } from 'preact/hooks'
import type { PostbackRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Fact, Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { amount, count } from '../../core/format.ts'
import { task } from '../../core/jobs.ts'
import { touches } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { span } from '../../core/window.ts'
import { Copy } from '../../parts/copy.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { w } from '../../text/postbacks.ts'
import { OfConversion, Tag } from './postback_parts.tsx'
import { w as said } from '../../text/reasons.ts'

type Sent = NonNullable<PostbackRow['sent']>

// resend sends a postback to its source again, and shows the answer as a toast.
async function resend(row: PostbackRow) {
  const got = await call('POST /logs/postbacks/{id}/redeliver', { path: { id: row.id } })
  touches('logs', 'alerts')
  toast(got.told ? w.isTold(got.http_status ?? 200) : w.notTold(got.error ?? String(got.http_status ?? '')), { bad: !got.told })
}

// emptyIn lists the parameters of a sent postback that have no value.
const emptyIn = (sent: Sent) =>
  [...new URLSearchParams(sent.body || sent.url.split('?')[1]).entries()].filter(([, value]) => value === '').map(([name]) => name)

// adviceOf says what to do about the last answer of a source.
export function adviceOf(sent: Sent, result: string) {
  if (result === 'told' || !sent.attempts) return ''
  const status = sent.http_status
  return status === null
    ? w.advice.none
    : (w.advice[status] ?? (status >= 500 ? w.advice.server : status >= 300 && status < 400 ? w.advice.moved : w.advice.refused))
}

// Answer shows what the source answered last: the status, the beginning of the body, and what to do about it.
function Answer({ of: sent, result, reason }: { of: Sent; result: string; reason: string }) {
  const advice = adviceOf(sent, result)
  return (
    <section class="part">
      <div class="row">
        <h2>{w.answer}</h2>
        <span class={'tag ' + (result === 'told' ? 'good' : 'bad')}>{sent.http_status ?? w.noAnswer}</span>
      </div>
      {result !== 'told' && reason && <p class="bad wrap">{reason}</p>}
      {advice && <p class="soft wrap">{advice}</p>}
      {sent.answer ? (
        <pre class="mono raw" tabIndex={0} role="region" aria-label={w.answer}>
          {sent.answer}
        </pre>
      ) : sent.http_status ? (
        <p class="dim">{w.emptyAnswer}</p>
      ) : null}
    </section>
  )
}

// Attempts lists the last attempts of a postback, the newest first, and the time of the next one.
const Attempts = ({ of: sent }: { of: Sent }) => (
  <Part title={w.attempts}>
    <ul class="list">
      {sent.next_attempt_at && (
        <li>
          <span class="tag warn">{w.next}</span>
          <span class="grow" />
          <span class="dim fine">{dateTime(sent.next_attempt_at)}</span>
        </li>
      )}
      {[...sent.tries].reverse().map(a => (
        <li key={a.at}>
          <span class={'tag ' + (a.error ? 'bad' : 'good')}>{a.http_status ?? w.noAnswer}</span>
          <div class="grow">
            <div class="d wrap">{a.error || w.accepted}</div>
          </div>
          <span class="dim fine">
            {dateTime(a.at)} · {count(a.ms)} ms
          </span>
        </li>
      ))}
    </ul>
    {sent.attempts > sent.tries.length && <p class="dim fine">{w.lastOf(sent.tries.length, sent.attempts)}</p>}
  </Part>
)

type Props = { of: PostbackRow; close: () => void; step: Steps }

// SentSheet shows a postback to a traffic source: the request, the answer and the attempts. A source that has already accepted
// the postback may count the conversion twice, so the sheet asks before it sends again.
export function SentSheet({ of: row, close, step }: Props) {
  const [busy, start] = useBusy(),
    [question, ask] = useAsk(),
    sent = row.sent!,
    may = canWrite()
  const run = () => {
    if (row.result === 'told') ask({ title: w.againTitle, text: w.againText(sent.source_name), go: w.resend, on: () => resend(row) })
    else void start(() => resend(row))
  }
  useLetters(step, may ? { r: run } : {})
  return (
    <Sheet
      side
      reads
      title={`${w.sent} · ${dateTime(row.at)}`}
      beside={<Tag of={row} />}
      close={close}
      foot={
        <>
          <Link href={to('/app/sources', { id: sent.source_id })} text={w.toSource} />
          <span class="grow" />
          <Stepper of={step} />
          {may && <Button look="primary" disabled={busy} onClick={run} text={w.resend} letter="R" />}
        </>
      }>
      <div class="story">
        <section class="part">
          <dl class="facts">
            <Fact name={t.dimensions.source_id!} value={sent.source_name || t.gone} look="wrap" />
            <Fact name={t.conversions.status} value={t.conversions.statuses[sent.status] ?? sent.status} />
            {sent.goal && <Fact name={t.conversions.goal} value={sent.goal} look="wrap" />}
            <Fact name={t.conversions.payout} value={amount(sent.payout, sent.currency)} />
            <OfConversion of={row} />
            {row.network_name && <Fact name={t.conversions.network} value={row.network_name} look="wrap" />}
            {sent.told_at && <Fact name={w.toldAt} value={`${dateTime(sent.told_at)}, ${ago(sent.told_at)}`} />}
            {row.result === 'skipped' && <Fact name={w.why} value={said.of(row.reason)} look="wrap" />}
          </dl>
        </section>
        <Part title={w.request}>
          {sent.url ? (
            <>
              <Copy lines text={`${sent.method} ${sent.url}${sent.body ? '\n\n' + sent.body : ''}`} label={w.request} />
              {`${sent.url} ${sent.body}`.includes('***') && <p class="dim fine">{t.unmatched.masked}</p>}
              {emptyIn(sent).length > 0 && <p class="warn">{w.emptyParams(emptyIn(sent))}</p>}
            </>
          ) : (
            <p class="dim">{w.notYet}</p>
          )}
        </Part>
        {sent.attempts > 0 && <Answer of={sent} result={row.result} reason={row.reason} />}
        {(sent.attempts > 0 || sent.next_attempt_at) && <Attempts of={sent} />}
      </div>
      {question}
    </Sheet>
  )
}

// ResendFailed sends all failed postbacks of the window again, of one source or of all.
export function ResendFailed({ source, name }: { source: string; name: string }) {
  const [asking, setAsking] = useState(false)
  const run = async () => {
    const got = await task(
      w.all,
      'POST /logs/postbacks/redeliver-failed',
      { query: { from: span.value.from, to: span.value.to }, body: source ? { source } : {} },
      a => ({ text: w.allDone(a.requeued, count(a.requeued)), path: '/app/postbacks' }),
    )
    toast(w.allDone(got.requeued, count(got.requeued)))
    touches('logs', 'alerts')
  }
  return (
    <>
      <Button onClick={() => setAsking(true)} text={w.all} />
      {asking && <Ask title={w.allTitle} text={w.allText(name)} go={w.resend} close={() => setAsking(false)} on={run} />}
    </>
  )
}
