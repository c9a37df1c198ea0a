import { useState } from 'preact/hooks'
import type { ImportConfigBody } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { base64Of } from '../../core/csv.ts'
import { task } from '../../core/jobs.ts'
import { touches } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { InputField, Seg } from '../../parts/form.tsx'
import { Alert, EmptyCard, Failed } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'
import { CheckMoves } from './check_moves.tsx'
import { CSVTables, tablesOf, type Tables } from './csv_tables.tsx'
import { Plans } from './configuration.tsx'
import { History } from './history.tsx'
import { OldTracker } from './old_tracker.tsx'
import { Plan } from './plan.tsx'
import { FileField } from './file_field.tsx'

type Tracker = ImportConfigBody['tracker']
const trackers: Tracker[] = ['keitaro', 'binom', 'voluum', 'redtrack', 'csv']
const hosted: Tracker[] = ['voluum', 'redtrack'] // trackers that have one address for all customers
const mostBytes = 24 << 20, // maximum size of a dump
  mostTableBytes = 8_000_000

// BringIn reads the settings of another tracker. The result is a plan: the list of changes that an import would make here.
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
          <div class="part">
            <ol>
              {w.switchSteps.map(step => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            <div class="row wraps">
              <Link href={to('/app/domains')} text={w.toDomains} />
              <Link href={to('/app/campaigns')} look="quiet" text={w.toCampaigns} />
            </div>
          </div>
        </Card>
      )}
      <CheckMoves />
      <OldTracker />
      <Plans open={plan} />
    </div>
  )
}

// Form asks which tracker to read. It also asks for the address, the key or the files of that tracker.
function Form() {
  const [tracker, setTracker] = useState<Tracker>('keitaro'),
    [url, setURL] = useState(''),
    [accessID, setAccessID] = useState(''),
    [key, setKey] = useState(''),
    [dump, setDump] = useState<File>(),
    [tables, setTables] = useState<Tables>({}),
    [edited, setEdited] = useState(false), // since the tracker was last read
    { busy, wrong: error, run } = useAttempt(asError)
  const csv = tracker === 'csv',
    files = Object.values(tables).filter(f => f !== undefined)
  const tooLarge = csv ? files.some(f => f.size > mostTableBytes) : !!dump && dump.size > mostBytes
  useUnsaved(() => edited && !busy && !!(url || accessID || key || dump || files.length))
  const send = () =>
    run(async () => {
      const body = csv
        ? { tracker, url, tables: await tablesOf(tables) }
        : { tracker, key, url: hosted.includes(tracker) ? '' : url, access_id: accessID, dump: dump ? await base64Of(dump) : '' }
      const later = (id: string) => {
        touches('config')
        change({ plan: id }) // the plan and the job that makes it have the same id; the plan's screen shows the progress of the job
      }
      const made = await task(w.reading, 'POST /config/import', { body, later }, () => ({ text: w.planned }))
      setKey('')
      setEdited(false)
      touches('config')
      if (place.value.path === '/app/move') change({ plan: made.plan_id }, true)
    })
  return (
    <form
      class="part"
      onInput={() => setEdited(true)}
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
        <InputField label={w.url} value={url} on={setURL} hint={csv ? w.csvURLHint : w.urlHint} placeholder="https://tracker.example.com" />
      )}
      {tracker === 'voluum' && <InputField label={w.accessID} value={accessID} on={setAccessID} />}
      {csv ? (
        <CSVTables of={tables} set={setTables} />
      ) : (
        <InputField label={w.key} value={key} on={setKey} hint={w.keyHint[tracker]} type="password" autocomplete="off" />
      )}
      {tracker === 'keitaro' && <FileField id="dump" label={w.dump} accept=".sql,.gz" on={setDump} hint={w.dumpHint} />}
      {tooLarge && <Alert text={csv ? w.csvTooLarge : w.dumpTooLarge} />}
      {error && <Failed error={error} again={() => void send()} />}
      <div class="row">
        <Button
          look="primary"
          type="submit"
          disabled={busy || tooLarge || (!hosted.includes(tracker) && !url.trim()) || (csv ? files.length === 0 : !key && !dump)}
          text={w.read}
        />
      </div>
    </form>
  )
}
