import { useState } from 'preact/hooks'
import type { MoveCompared, MoveComparedCampaign, MoveDifference } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { count } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { InputField } from '../../parts/form.tsx'
import { Alert, Empty, Failed, Loading } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'
import { joined, partsOf } from './check_answers.ts'
import { FileField } from './file_field.tsx'

const perScript = 2000, // maximum number of campaigns that a script checks
  perCampaign = 20 // maximum number of made-up visitors for a campaign

// CheckMoves compares where made-up visitors are sent by the imported campaigns and by the old tracker. A script that the person runs
// asks the old tracker.
export function CheckMoves() {
  const { data, error, again } = use('GET /config/checks', { limit: 1 }),
    total = data?.total ?? 0
  return (
    <Card title={w.checkTitle}>
      {!data ? (
        <Loading of={{ error, again }} height={80} />
      ) : total === 0 ? (
        <Empty title={w.checkNothing} />
      ) : (
        <div class="part">
          <p class="dim">{w.checkText}</p>
          <ol>
            {w.checkSteps.map(step => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p>{w.checkVisitors(total, count(total), count(total * perCampaign))}</p>
          <div class="row wraps">
            {Array.from({ length: Math.ceil(total / perScript) }, (_, i) => (
              <Link
                key={i}
                href={'/api/v1/config/checks/curl' + (i ? `?offset=${i * perScript}` : '')}
                download={i ? `check-${i + 1}.sh` : 'check.sh'}
                icon="download"
                text={i ? `${w.checkScript} ${i + 1}` : w.checkScript}
              />
            ))}
          </div>
          <Compare />
        </div>
      )}
    </Card>
  )
}

// Compare takes what the script has printed, and shows the differences.
function Compare() {
  const [text, setText] = useState(''),
    [country, setCountry] = useState(''),
    [result, setResult] = useState<MoveCompared>(),
    { busy, wrong: error, run } = useAttempt(asError)
  const send = () =>
    run(async () => {
      const list: MoveCompared[] = []
      for (const answers of partsOf(text)) list.push(await call('POST /config/checks/compare', { body: { answers, country } }))
      setResult(joined(list))
    })
  return (
    <>
      <FileField id="answers" label={w.checkFile} accept=".txt,text/plain" on={file => void file?.text().then(setText)} />
      <textarea
        class="input area mono"
        rows={5}
        aria-label={w.checkAnswers}
        placeholder={w.checkAnswers}
        value={text}
        spellcheck={false}
        onInput={e => setText(e.currentTarget.value)}
      />
      <InputField label={w.checkCountry} value={country} on={setCountry} hint={w.checkCountryHint} placeholder="DE" />
      {error && <Failed error={error} again={() => void send()} />}
      <div class="row">
        <Button look="primary" disabled={busy || !text.trim()} onClick={() => void send()} text={w.checkCompare} />
      </div>
      {result && <Compared of={result} />}
    </>
  )
}

const looks: Record<string, string> = { same: 'good', differs: 'bad', missing: 'warn', unsure: 'warn' }

// Compared shows how many visitors have each result. Then it lists the campaigns with visitors whose result is not `same`, at most 200
// of them.
function Compared({ of }: { of: MoveCompared }) {
  const open = of.campaigns.filter(c => c.rows.length > 0)
  const asked = Object.values(of.counts).reduce((sum, n) => sum + n, 0)
  return (
    <div role="status">
      <p>
        <strong>{w.checkSum(asked, count(asked))}</strong>
        {Object.keys(w.checkResults)
          .filter(r => of.counts[r])
          .map(r => (
            <span key={r} class={looks[r]}>
              {' '}
              {count(of.counts[r]!)} {w.checkResults[r]}
            </span>
          ))}
      </p>
      {asked > 0 && !of.counts.differs && !of.counts.missing && <p class="good">{w.checkGood}</p>}
      {of.unread > 0 && <Alert text={w.checkUnread(of.unread, count(of.unread))} />}
      {open.slice(0, 200).map(c => (
        <Campaign key={c.campaign_id} of={c} />
      ))}
      {of.left_out > 0 && <p class="dim">{w.checkLeftOut(of.left_out, count(of.left_out))}</p>}
    </div>
  )
}

function Campaign({ of }: { of: MoveComparedCampaign }) {
  const sums = Object.keys(w.checkResults)
    .filter(r => of.counts[r])
    .map(r => `${of.counts[r]} ${w.checkResults[r]}`)
  return (
    <details open={!!of.counts.differs}>
      <summary>
        {of.name} <span class={of.counts.differs ? 'bad' : 'dim'}>{sums.join(', ')}</span>
        {of.status !== 'active' && <span class="warn"> {w.checkPaused}</span>}
      </summary>
      <ul class="list">
        {of.rows.map(r => (
          <Difference key={r.id} of={r} />
        ))}
      </ul>
    </details>
  )
}

function Difference({ of }: { of: MoveDifference }) {
  return (
    <li>
      <div class="grow">
        <div class="t">
          <span class={looks[of.result]}>{w.checkResults[of.result]}</span>{' '}
          {[of.browser, of.country, of.language].filter(Boolean).join(', ')}
        </div>
        {of.reason && <div class="d wrap">{w.checkReasons[of.reason]}</div>}
        <div class="d wrap mono">
          {w.checkHere} {of.here.join(` ${w.checkOr} `) || w.checkNowhere}
        </div>
        <div class="d wrap mono">
          {w.checkThere} {of.there || of.status || w.checkNowhere}
        </div>
        <div class="d wrap mono dim">{of.url}</div>
      </div>
    </li>
  )
}
