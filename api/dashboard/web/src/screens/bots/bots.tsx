import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { BotDetection, BotSignal, Range } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { dateOf } from '../../core/dates.ts'
import { explained } from '../../core/errors.ts'
import { count, percent } from '../../core/format.ts'
import { botsAt, sides } from '../../core/histogram.ts'
import { adopt } from '../../core/jobs.ts'
import { touches, use } from '../../core/query.ts'
import { place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { w } from '../../text/bots.ts'
import { Select, Switch } from '../../parts/form.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { toast, toastAndReload } from '../../core/toast.ts'
import { Histogram } from '../../parts/histogram.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { BotLists } from './lists.tsx'
import { Repeats } from './repeats.tsx'
import { Rescoring } from './rescoring.tsx'

// Bots shows how bots are distinguished from visitors: the score and its signals, the lists, and addresses that click often.
export function Bots() {
  const tab = place.value.query.get('tab') ?? ''
  return (
    <>
      <div class="tabline">
        <nav class="tabs" aria-label={w.pages}>
          {Object.entries(w.tabs).map(([name, text]) => (
            <a key={name} href={to('/app/bots', name ? { tab: name } : {})} aria-current={tab === name ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
      </div>
      {tab === 'lists' ? <BotLists /> : tab === 'repeat' ? <Repeats /> : <Scoring />}
    </>
  )
}

function Scoring() {
  const { data, error, again } = use('GET /bot-detection', {}),
    [job, setJob] = useState<{ id: string; range: Range } | null>(null)
  if (!data) return <LoadingCard of={{ error, again }} height={420} />
  return (
    <Form
      key={data.version}
      saved={data}
      job={job && <Rescoring key={job.id} id={job.id} range={job.range} />}
      started={(id, range) => setJob({ id, range })}
    />
  )
}

type FormProps = { saved: BotDetection; job: ComponentChildren; started: (id: string, range: Range) => void }

// Form edits the threshold and the signals, and offers to score past clicks again.
function Form({ saved, job, started }: FormProps) {
  const savedOff = saved.signals.filter(s => !s.enabled).map(s => s.reason)
  const [threshold, setThreshold] = useState(saved.threshold),
    [disabled, setDisabled] = useState(savedOff),
    [days, setDays] = useState('30'),
    [match] = useState(saved.version), // the version of the settings that the person edits; a save is refused if it has changed since
    [busy, run] = useBusy(),
    may = canWrite()
  const switched = saved.signals.filter(s => s.enabled === disabled.includes(s.reason)).length,
    dirty = threshold !== saved.threshold || switched > 0
  useUnsaved(() => dirty)
  const refused = (e: unknown) => {
    toast(explained(e, w.errors), { bad: true })
    if (asError(e).code === 'stale') touches('bot-detection')
  }
  const save = () =>
    run(async () => {
      const { job_id, range } = await call('PUT /bot-detection', { body: { threshold, disabled, days: Number(days) }, match })
      if (job_id && range) {
        started(job_id, range)
        adopt(w.job, job_id, w.saved, '/app/bots')
      }
      toastAndReload(w.saved, 'bot-detection')
    }, refused)
  return (
    <div class="grid bots">
      {job}
      <Threshold saved={saved} threshold={threshold} move={setThreshold} switched={switched > 0} may={may} />
      <Signals
        saved={saved}
        disabled={disabled}
        may={may}
        turn={(s, on) => setDisabled(on ? disabled.filter(d => d !== s.reason) : [...disabled, s.reason])}
      />
      <Data of={saved} />
      {dirty && (
        <div class="savebar" role="status">
          <span class="changes">
            {[threshold !== saved.threshold && w.changes.threshold(saved.threshold, threshold), switched > 0 && w.changes.signals(switched)]
              .filter(Boolean)
              .join(', ')}
          </span>
          <label class="row">
            <span>{w.rescore}</span>
            <Select
              value={days}
              options={Object.entries(w.rescoreDays)
                .map(([value, label]) => ({ value, label }))
                .sort((a, b) => Number(b.value === '30') - Number(a.value === '30') || Number(a.value) - Number(b.value))}
              on={setDays}
            />
          </label>
          <Button
            look="sm quiet"
            onClick={() => {
              setThreshold(saved.threshold)
              setDisabled(savedOff)
            }}
            text={t.parts.discard}
          />
          <Button look="sm primary" disabled={busy} onClick={() => void save()} text={w.save} />
        </div>
      )}
    </div>
  )
}

type ThresholdProps = { saved: BotDetection; threshold: number; move: (n: number) => void; switched: boolean; may: boolean }

// Threshold shows the histogram of scores and moves the threshold in it.
function Threshold({ saved, threshold, move, switched, may }: ThresholdProps) {
  const [asTable, setAsTable] = useState(false),
    { clicks, bot_clicks } = saved.totals,
    all = clicks + bot_clicks
  const scored = botsAt(saved.scores, 0),
    bots = botsAt(saved.scores, threshold),
    moved = sides(saved.scores, saved.threshold, threshold)
  const effect =
    threshold === saved.threshold
      ? w.moveIt
      : moved.toBots
        ? w.toBots(moved.toBots, count(moved.toBots))
        : moved.toHumans
          ? w.toHumans(moved.toHumans, count(moved.toHumans))
          : w.noSides
  return (
    <section class="card part threshold">
      <div class="row wraps">
        <h2>{w.threshold}</h2>
        <span class="dim fine">{w.days30}</span>
        <span class="grow" />
        <Button
          look="sm quiet"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          text={asTable ? t.overview.asPlot : t.overview.asTable}
        />
      </div>
      <p class="soft">{w.thresholdText}</p>
      <div class="row wraps figures">
        <span>
          <b class="big num">{threshold}</b>
        </span>
        <span class="legend">
          <span>
            <i style="color:var(--s-clicks)" />
            {w.human} <b class="num">{count(all - bots)}</b>
          </span>
          <span>
            <i style="color:var(--bad)" />
            {w.bots} <b class="num">{count(bots)}</b>
          </span>
        </span>
        <span class="dim num">{all > 0 && w.ofClicks(percent((bots / all) * 100, 1), all, count(all))}</span>
      </div>
      {asTable ? (
        <PlainTable label={w.threshold} heads={[w.score, t.figures.names.clicks, { left: w.side }]}>
          {saved.scores.map(s => (
            <tr key={s.score}>
              <td>{s.score}</td>
              <td>{count(s.clicks)}</td>
              <td class="left">{s.score >= threshold ? w.bots : w.human}</td>
            </tr>
          ))}
        </PlainTable>
      ) : (
        <Histogram
          scores={saved.scores}
          threshold={threshold}
          saved={saved.threshold}
          min={saved.minThreshold}
          max={saved.maxThreshold}
          on={may ? move : undefined}
          label={w.threshold}
          says={w.value}
          summary={w.plot(count(scored - bots), count(bots), threshold)}
        />
      )}
      <p class={threshold === saved.threshold ? 'dim' : 'strong'} role="status">
        {effect}
      </p>
      {switched && <p class="dim">{w.signalsMove}</p>}
      <p class="dim fine">{w.noScore(Math.max(0, all - scored), count(Math.max(0, all - scored)))}</p>
    </section>
  )
}

// silentOf returns the reason why a signal cannot fire, in the person's language. The service sends it as an English sentence.
const silentOf = (why: string) => w.silent[why.startsWith('such requests') ? 'unrecorded' : 'data'] ?? why

type SignalsProps = { saved: BotDetection; disabled: string[]; turn: (s: BotSignal, on: boolean) => void; may: boolean }

// Signals lists the signals, the most frequent first, and switches them on and off.
function Signals({ saved, disabled, turn, may }: SignalsProps) {
  const all = saved.totals.clicks + saved.totals.bot_clicks,
    most = Math.max(1, ...saved.signals.map(s => s.hits_30d))
  return (
    <Card title={w.signals} note={w.days30}>
      <ul class="list signals">
        {[...saved.signals]
          .sort((a, b) => b.hits_30d - a.hits_30d || b.weight - a.weight)
          .map(s => {
            const enabled = !disabled.includes(s.reason),
              { meaning, found } = w.known[s.reason] ?? s
            return (
              <li key={s.reason} class={enabled ? '' : 'off'}>
                <Switch on={enabled} label={w.on(meaning)} disabled={!may || !s.can_disable} set={v => turn(s, v)} />
                <div class="grow">
                  <div class="t wrap">
                    {meaning} <code class="mono dim">{s.reason}</code>
                    {!s.can_disable && <span class="tag">{w.always}</span>}
                    {s.silent && (
                      <span class="tag warn" title={silentOf(s.silent)}>
                        {w.quiet}
                      </span>
                    )}
                  </div>
                  <div class="d wrap">{s.silent ? silentOf(s.silent) : found}</div>
                </div>
                <span class="weight num" title={flowWords.fields.weight}>
                  +{s.weight}
                </span>
                <span class="firing" title={w.share}>
                  <span class="meter">
                    <i style={`width:${(s.hits_30d / most) * 100}%`} />
                  </span>
                  <span class="num">
                    {count(s.hits_30d)} <small class="dim">{all ? percent((s.hits_30d / all) * 100, 1) : '—'}</small>
                  </span>
                </span>
              </li>
            )
          })}
      </ul>
    </Card>
  )
}

// Data lists the lists that the signals use, such as lists of addresses and of spam referrers.
const Data = ({ of: { data } }: { of: BotDetection }) =>
  data.length === 0 ? null : (
    <details class="card folded">
      <summary>
        {w.data} <span class="dim">{data.length}</span>
      </summary>
      <ul class="list">
        {data.map((d, i) => (
          <li key={i}>
            <div class="grow">
              <div class="t">{w.kinds[d.kind] ?? d.kind}</div>
              <div class="d wrap">{d.source === 'loaded' ? w.loaded : d.source}</div>
            </div>
            <span class="dim fine">
              {[d.entries !== null && w.entriesOf(d.entries, count(d.entries)), w.dated(dateOf(Date.parse(d.dated)))]
                .filter(Boolean)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
