import { useState } from 'preact/hooks'
import type { ImportConfigBody } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { base64Of } from '../../core/csv.ts'
import { task } from '../../core/jobs.ts'
import { touches } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { InputField, Seg } from '../../parts/form.tsx'
import { Alert, EmptyCard, Failed } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'
import { CheckMoves } from './check_moves.tsx'
import { Plans } from './configuration.tsx'
import { History } from './history.tsx'
import { Plan } from './plan.tsx'

type Tracker = ImportConfigBody['tracker']
const trackers: Tracker[] = ['keitaro', 'binom', 'voluum', 'redtrack']
const hosted: Tracker[] = ['voluum', 'redtrack'] // trackers that have one address for all customers
const mostBytes = 24 << 20

// BringIn reads another tracker into a plan.
export function BringIn() {
  const plan = place.value.query.get('plan')
  if (!canWrite()) return <EmptyCard title={w.readOnly} />
  return (
    <div class="grid">
      <Card title={w.bringIn}>
        <Form />
      </Card>
      {plan && <Plan key={plan} id={plan} />}
      {plan && <History key={`history ${plan}`} plan={plan} />}
      {plan && (
        <Card title={w.switchTitle}>
          <ol class="part">
            {w.switchSteps.map(step => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Card>
      )}
      <CheckMoves />
      <Plans open={plan} />
    </div>
  )
}

// Form asks for the tracker, its address, and a key or a dump.
function Form() {
  const [tracker, setTracker] = useState<Tracker>('keitaro'),
    [url, setURL] = useState(''),
    [accessID, setAccessID] = useState(''),
    [key, setKey] = useState(''),
    [dump, setDump] = useState<File>(),
    { busy, wrong: error, run } = useAttempt(asError)
  const tooLarge = !!dump && dump.size > mostBytes
  const send = () =>
    run(async () => {
      const body = { tracker, key, url: hosted.includes(tracker) ? '' : url, access_id: accessID, dump: dump ? await base64Of(dump) : '' }
      const made = await task(w.reading, 'POST /config/import', { body }, () => ({ text: w.planned }))
      setKey('')
      touches('config')
      change({ plan: made.plan_id })
    })
  return (
    <form
      class="part"
      onSubmit={e => {
        e.preventDefault()
        void send()
      }}>
      <p class="dim">{w.bringInText}</p>
      <Seg
        label={w.tracker}
        value={tracker}
        options={trackers.map(value => ({ value, label: w.origins[value]! }))}
        on={v => {
          setTracker(v)
          setDump(undefined)
        }}
      />
      {!hosted.includes(tracker) && (
        <InputField label={w.url} value={url} on={setURL} hint={w.urlHint} placeholder="https://tracker.example.com" />
      )}
      {tracker === 'voluum' && <InputField label={w.accessID} value={accessID} on={setAccessID} />}
      <InputField label={w.key} value={key} on={setKey} hint={w.keyHint[tracker]} type="password" autocomplete="off" />
      {tracker === 'keitaro' && (
        <div class="field">
          <label class="label" for="dump">
            {w.dump}
          </label>
          <input id="dump" type="file" accept=".sql,.gz" onChange={e => setDump(e.currentTarget.files?.[0])} />
          <small class="dim">{w.dumpHint}</small>
        </div>
      )}
      {tooLarge && <Alert text={w.dumpTooLarge} />}
      {error && <Failed error={error} again={() => void send()} />}
      <div class="row">
        <Button
          look="primary"
          type="submit"
          disabled={busy || tooLarge || (!hosted.includes(tracker) && !url.trim()) || (!key && !dump)}
          text={w.read}
        />
      </div>
    </form>
  )
}
