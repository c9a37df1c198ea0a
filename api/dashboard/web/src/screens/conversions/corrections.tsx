import { useState } from 'preact/hooks'
import { useUnsaved } from '../../core/unsaved.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useSources } from '../../core/choices.ts'
import { mostRows, useFile, type Head } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import { task } from '../../core/jobs.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Skipped, Source } from '../../parts/csv.tsx'
import { Seg, Select } from '../../parts/form.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Failed, Late, Alert, EmptyCard } from '../../parts/state.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { ByHand, Ways } from './cost_by_hand.tsx'
import { CostHistory } from './cost_history.tsx'
import { Outcomes, type Answer } from './correction_outcomes.tsx'
import { w } from '../../text/corrections.ts'

const example = { conversions: 'click id,payout,status,conversion id\n', cost: 'day,campaign,spend\n' } // columns as the service reads them
const validFor = 10 * 60_000 // for this many ms after a dry run, the same file may be applied
type Kind = keyof typeof w.kinds
// Result is the result of a run and the text that the run read.
type Result = { kind: Kind; text: string; source: string; at: number; answer: Answer }

// send runs a correction as a job. Without apply it is a dry run.
const send = (kind: Kind, csv: string, source: string, apply: boolean): Promise<Answer> => {
  const name = w.kinds[kind],
    resultOf = (a: Answer) => ({ text: t.exports.result(a.accepted, count(a.accepted)), path: '/app/corrections?kind=' + kind })
  const jobName = apply ? t.exports.correction(name) : t.exports.dryRun(name)
  return kind === 'cost'
    ? task(jobName, 'POST /corrections/cost', { body: { csv, source, apply } }, resultOf)
    : task(jobName, 'POST /corrections/conversions', { body: { csv, apply } }, resultOf)
}

const kindOf = (): Kind => (place.value.query.get('kind') === 'cost' ? 'cost' : 'conversions')

const Kinds = () => (
  <Seg
    label={w.kind}
    value={kindOf()}
    options={(Object.keys(w.kinds) as Kind[]).map(value => ({ value, label: w.kinds[value] }))}
    on={v => change({ kind: v === 'cost' ? v : null, by: null }, true)}
  />
)

// Corrections corrects conversions by a file, and spend by hand or by a file.
export function Corrections() {
  const cost = kindOf() === 'cost',
    hand = cost && place.value.query.get('by') !== 'csv'
  if (!canWrite()) return <EmptyCard title={w.readOnly} />
  return (
    <div class="grid corrections">
      {hand ? <ByHand kinds={<Kinds />} /> : <ByFile key={kindOf()} kind={kindOf()} />}
      {cost && <CostHistory />}
    </div>
  )
}

// ByFile reads conversions or spend from a file. It shows the effect of each row first, and then applies the file.
function ByFile({ kind }: { kind: Kind }) {
  const file = useFile(kind),
    { text, head, reading } = file,
    [source, setSource] = useState(''),
    [lastResult, setLastResult] = useState<Result>(),
    { busy, wrong: error, setWrong: setError, run } = useAttempt(asError),
    [question, ask] = useAsk(),
    [tooLarge, setTooLarge] = useState(false)
  const shown = lastResult?.kind === kind ? lastResult : undefined,
    dry = shown?.answer.dryRun,
    stale = dry && (shown!.text !== text || shown!.source !== source),
    expired = dry && !stale && Date.now() - shown!.at > validFor,
    valid = dry && !stale && !expired
  useUnsaved(() => !!text.trim() && (!shown || shown.answer.dryRun || shown.text !== text))
  const setText = (v: string) => {
    file.setText(v)
    setTooLarge(false)
    setError(undefined)
  }
  const start = (apply: boolean) =>
    run(async () => {
      if (apply && Date.now() - shown!.at > validFor) return
      const answer = await send(kind, text, source, apply)
      setLastResult({ kind, text, source, at: Date.now(), answer })
      if (apply) toastAndReload(w.applied(answer.accepted, count(answer.accepted)), 'logs', 'reports', 'stats', 'corrections')
    })
  const askToApply = ({ accepted, refused }: Answer) =>
    ask({
      title: w.askTitle,
      text: w.askText(accepted, count(accepted), refused, count(refused), kind === 'cost'),
      go: w.go,
      on: () => start(true),
    })
  const missing = missingOf(head, source)
  return (
    <>
      <section class="card">
        <header>
          <Kinds />
          {kind === 'cost' && <Ways />}
          <span class="dim fine wide">{w.texts[kind]}</span>
        </header>
        <div class="part">
          <Source
            example={example[kind]}
            text={text}
            set={setText}
            onFile={f => void file.readFile(f)}
            tooLarge={() => setTooLarge(true)}
          />
          {tooLarge && <Alert text={w.tooLarge} />}
          {head && <Columns of={head} missing={missing} />}
          {head && kind === 'cost' && !head.header.some(c => c.column === 'source') && <SourceOfAll value={source} on={setSource} />}
          {file.error && <Failed error={file.error} again={file.again} />}
          {error && <Failed error={error} again={() => void start(false)} />}
          <div class="row wraps">
            <Button
              look={valid ? '' : 'primary'}
              disabled={busy || reading || !head || head.rows === 0 || missing.length > 0}
              onClick={() => void start(false)}
              text={shown ? w.again : w.dry}
            />
            {valid && shown!.answer.accepted > 0 && (
              <Button
                look="primary"
                disabled={busy}
                onClick={() => askToApply(shown!.answer)}
                text={w.apply(shown!.answer.accepted, count(shown!.answer.accepted))}
              />
            )}
            {shown && !busy && (
              <Button
                look="quiet"
                onClick={() => {
                  setLastResult(undefined)
                  setText('')
                }}
                text={w.clear}
              />
            )}
            {(stale || expired) && (
              <span class="warn" role="status">
                {stale ? w.stale : w.old}
              </span>
            )}
          </div>
        </div>
      </section>
      {busy ? (
        <section class="card">
          <Late>
            <p class="dim part" role="status">
              {w.running}
            </p>
            <div class="skeleton" style="height:180px;margin:0 14px 14px" />
          </Late>
        </section>
      ) : (
        shown && (
          <div class={stale ? 'faded' : ''}>
            <Outcomes kind={kind} of={shown.answer} />
          </div>
        )
      )}
      {question}
    </>
  )
}

// SourceOfAll chooses the traffic source of all rows, for a file without a column for the source.
function SourceOfAll({ value, on }: { value: string; on: (v: string) => void }) {
  const sources = useSources() ?? []
  return (
    <Select
      label={w.sourceOfAll}
      value={value}
      options={[{ value: '', label: w.sourceOfAll }, ...sources.map(s => ({ value: s.id, label: s.name }))]}
      on={on}
    />
  )
}

// missingOf returns the required columns that a file lacks. The column of the source is not required if the person has chosen a source.
const missingOf = (head: Head | undefined, source: string) => (head?.missing ?? []).filter(name => name !== 'source' || !source)

// Columns shows how the header of a file is read.
const Columns = ({ of: head, missing }: { of: Head; missing: string[] }) => (
  <div class="columns">
    <div class="row wraps">
      <span class="dim fine">{t.reports.columns}</span>
      {head.header.slice(0, 40).map((c, i) => (
        <span key={i} class={'tag' + (c.column ? ' good' : '')} title={c.cell}>
          <span class="cut">{c.cell || '—'}</span> <span class="soft">{c.column ? '→ ' + c.column : w.unknown}</span>
        </span>
      ))}
      <span class="grow" />
      <span class="dim fine num">{w.rows(head.rows, count(head.rows))}</span>
    </div>
    <Skipped of={head} />
    {missing.length > 0 && <Alert text={w.missing(missing.join(', '))} />}
    {head.rows > mostRows && <Alert look="warn" text={w.tooMany(count(head.rows))} />}
  </div>
)
