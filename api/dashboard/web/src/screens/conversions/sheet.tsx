import type { ConversionRow } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Part, Fact } from '../../parts/card.tsx'
import { call, ApiError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useSources } from '../../core/choices.ts'
import { dateTime } from '../../core/dates.ts'
import { amount } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Sheet } from '../../parts/sheet.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Loading } from '../../parts/state.tsx'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { missingOf, Untold } from '../../parts/untold.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { tone } from '../../core/log.ts'
import { w as said } from '../../text/reasons.ts'

const w = t.conversions
// moves lists, by the status of a conversion, the statuses to which a person may change it.
const moves: Record<string, string[]> = { pending: ['approved', 'rejected'], approved: ['rejected', 'chargeback'], rejected: ['approved'] }

const quoted = (text: string) => '"' + text.replaceAll('"', '""') + '"'

// changeStatus changes the status of a conversion by a correction with a single row.
async function changeStatus(c: ConversionRow, status: string) {
  const csv = `click id,conversion id,goal,status\n${[c.click_id, c.conversion_id, c.goal, status].map(quoted).join(',')}\n`
  const answer = await call('POST /corrections/conversions', { body: { csv, apply: true } }),
    outcome = answer.outcomes[0]
  if (!outcome?.accepted) throw new ApiError('refused', 400, outcome?.reason ?? '')
  toastAndReload(w.isNow(w.statuses[status]!), 'logs', 'reports', 'stats')
}

// ConversionSheet shows a conversion: its payout, what its traffic source was told, and the postbacks that it came from.
export function ConversionSheet({ of: c, close, step }: { of: ConversionRow; close: () => void; step: Steps }) {
  const [question, ask] = useAsk()
  useLetters(step)
  const askToChange = (status: string) =>
    ask({
      title: w.changeTitle(w.to[status]!),
      text: w.changeText,
      go: w.to[status]!,
      danger: status !== 'approved',
      on: () => changeStatus(c, status),
    })
  const facts: [name: string, value: string | null, mono?: boolean][] = [
    [t.dimensions.campaign_id, c.campaign_name],
    [t.dimensions.offer_id, c.offer_name],
    [w.network, c.network_name],
    [t.dimensions.source_id, c.source_name],
    [w.from, w.came[c.source] ?? c.source],
    [w.goal, c.goal],
    [w.sale, c.sale_amount === null ? null : amount(c.sale_amount, c.sale_currency ?? '')],
    [w.id, c.conversion_id, true],
    [t.clicks.sheet, c.click_id, true],
    [w.recorded, dateTime(c.recorded_at)],
    [w.lastChange, dateTime(c.updated_at)],
  ]
  return (
    <Sheet
      side
      reads
      title={`${w.sheet} · ${dateTime(c.recorded_at)}`}
      close={close}
      foot={
        <>
          <Link href={to('/app/clicks', { find: c.click_id, click: c.click_id })} text={w.itsClick} />
          <span class="grow" />
          <Stepper of={step} />
        </>
      }>
      <div class="story">
        <section class="part">
          <div class="row wraps">
            <span class={'tag ' + tone(c.status)}>{w.statuses[c.status] ?? c.status}</span>
            {c.original_status && <span class="dim wrap">{w.word(c.original_status)}</span>}
            <span class="grow" />
            <b class="num">{amount(c.payout, c.currency)}</b>
          </div>
          {c.amount_reason ? (
            <p class="warn">{said.of(c.amount_reason)}</p>
          ) : (
            c.rate === null && c.currency && <p class="warn">{w.uncounted}</p>
          )}
          {c.invalid_time && <p class="warn">{w.badTime(c.invalid_time, c.time_reason)}</p>}
          <dl class="facts">
            {facts.map(([name, value, mono]) => (value ? <Fact name={name} value={value} look={'wrap' + (mono ? ' mono' : '')} /> : null))}
          </dl>
        </section>
        {canWrite() && moves[c.status] && (
          <Part title={w.change}>
            <div class="row wraps">
              {moves[c.status]!.map(s => (
                <Button key={s} look="sm" onClick={() => askToChange(s)} text={w.to[s]} />
              ))}
            </div>
          </Part>
        )}
        <Told of={c} />
        <History of={c} />
      </div>
      {question}
    </Sheet>
  )
}

// Told lists the postbacks that report the conversion's statuses to its traffic source.
function Told({ of: c }: { of: ConversionRow }) {
  const { data, error, again } = use('GET /logs/postbacks', {
    direction: 'out',
    conversion: c.id,
    limit: 100,
    from: c.recorded_at.slice(0, 10),
  })
  if (!c.source_id) return null
  return (
    <Part title={w.told}>
      {!data ? (
        <Loading of={{ error, again }} height={44} style="" />
      ) : data.rows.length === 0 ? (
        <NotTold source={c.source_id} />
      ) : (
        <ul class="list">
          {data.rows.map(r => (
            <li key={r.id}>
              <span class={'tag ' + (r.result === 'told' ? 'good' : r.result === 'failed' ? 'bad' : 'warn')}>
                {t.clicks.results[r.result] ?? r.result}
              </span>
              <div class="grow">
                <div class="t">{[r.sent!.source_name || t.gone, w.statuses[r.sent!.status] ?? r.sent!.status].join(' · ')}</div>
                <div class="d wrap">{[r.sent!.http_status, r.result !== 'told' && said.of(r.reason)].filter(Boolean).join(' · ')}</div>
              </div>
              <Link
                look="sm"
                href={to('/app/postbacks', { dir: 'out', find: c.click_id, postback: r.id })}
                text={t.overview.look}
                aria-label={`${t.overview.look}: ${r.sent!.source_name}, ${w.statuses[r.sent!.status] ?? r.sent!.status}`}
              />
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

// NotTold says why a conversion was not reported to its source.
function NotTold({ source }: { source: string }) {
  const found = useSources()?.find(s => s.id === source)
  return found && missingOf(found).length > 0 ? (
    <Untold of={found} />
  ) : (
    <p class="dim">
      {w.notTold}{' '}
      <a class="link" href={to('/app/sources', { id: source })}>
        {w.toldSettings}
      </a>
    </p>
  )
}

// withoutPostback lists the origins of changes that come without a postback.
const withoutPostback = ['network_sync', 'correction']

// History lists the postbacks that made and changed a conversion. If the last change came without a postback, it is shown first.
function History({ of: c }: { of: ConversionRow }) {
  const { data, error, again } = use('GET /logs/postbacks', { click_id: c.click_id, limit: 100, from: c.recorded_at.slice(0, 10) }),
    rows = data?.rows.filter(r => r.conversion_id === c.id),
    hasOtherOrigin = withoutPostback.includes(c.source)
  return (
    <Part title={w.history}>
      {!rows ? (
        <Loading of={{ error, again }} height={60} style="" />
      ) : rows.length === 0 && !hasOtherOrigin ? (
        <p class="dim">{w.noHistory}</p>
      ) : (
        <ul class="list">
          {hasOtherOrigin && (
            <li>
              <span class="tag">{w.statuses[c.status] ?? c.status}</span>
              <div class="grow">
                <div class="t">
                  {[c.source === 'network_sync' && c.network_name, w.came[c.source] ?? c.source].filter(Boolean).join(' · ')}
                </div>
                <div class="d mono wrap">{c.original_status}</div>
              </div>
              <span class="dim fine">{dateTime(c.updated_at)}</span>
            </li>
          )}
          {rows.map(r => (
            <li key={r.id}>
              <span class={'tag ' + (r.result === 'matched' ? 'good' : 'warn')}>{t.clicks.results[r.result] ?? r.result}</span>
              <div class="grow">
                <div class="t">{[r.network_name || w.came[r.source] || r.source, said.of(r.reason)].filter(Boolean).join(' · ')}</div>
                <div class="d mono wrap">{r.query}</div>
                {r.amount_reason && <div class="d warn">{said.of(r.amount_reason)}</div>}
              </div>
              <span class="dim fine">{dateTime(r.at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}
