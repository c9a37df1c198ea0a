import { useState } from 'preact/hooks'
import type { OldTracker as Answer, OldTrackerDay } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { count } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { InputField, SelectField } from '../../parts/form.tsx'
import { Failed, Loading } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'

// OldTracker sets the URL of the old tracker, to which postbacks about that tracker's clicks are sent on.
export function OldTracker() {
  const { data, error, again } = use('GET /old-tracker', {})
  return (
    <Card title={w.oldTracker}>
      {!data ? <Loading of={{ error, again }} height={120} /> : <Form key={data.tracker + ' ' + data.url} of={data} />}
    </Card>
  )
}

type Tracker = Answer['tracker']
const trackers: Tracker[] = ['keitaro', 'binom', 'voluum', 'redtrack', 'bemob', 'clickflare']
const figures = ['known', 'sent_on', 'waiting', 'failed', 'unknown'] as const

function Form({ of: saved }: { of: Answer }) {
  const [tracker, setTracker] = useState<Tracker>(saved.tracker || 'keitaro'),
    [url, setURL] = useState(saved.url),
    edited = url.trim() !== saved.url || tracker !== (saved.tracker || 'keitaro'),
    { busy, wrong: error, run } = useAttempt(asError)
  useUnsaved(() => edited)
  const save = () =>
    run(async () => {
      await call('PUT /old-tracker', { body: { tracker, url: url.trim() } })
      touches('old-tracker')
    })
  const sum = (name: Exclude<keyof OldTrackerDay, 'day'>) => saved.days.reduce((n, d) => n + d[name], 0)
  return (
    <form
      class="part"
      onSubmit={e => {
        e.preventDefault()
        void save()
      }}>
      <p class="dim">{w.oldTrackerText}</p>
      <SelectField
        label={w.tracker}
        value={tracker}
        options={trackers.map(value => ({ value, label: w.origins[value]! }))}
        on={setTracker}
      />
      <InputField label={w.oldTrackerURL} value={url} on={setURL} hint={w.oldTrackerHint} placeholder="https://tracker.example.com" />
      {error && <Failed error={error} again={() => void save()} />}
      <div class="row">
        <Button type="submit" disabled={busy || !edited} text={w.oldTrackerSave} />
      </div>
      <p role="status">{saved.url ? w.oldTrackerOn(saved.url) : w.oldTrackerOff}</p>
      {saved.days.length > 0 && (
        <p class="dim">
          {w.oldTrackerDays} {figures.map(name => w.oldTrackerSums[name](count(sum(name)))).join(', ')}
        </p>
      )}
    </form>
  )
}
