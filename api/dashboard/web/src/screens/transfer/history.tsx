import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { count } from '../../core/format.ts'
import { task } from '../../core/jobs.ts'
import { touches, use } from '../../core/query.ts'
import { InputField } from '../../parts/form.tsx'
import { Failed } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'

// History imports the log of clicks and conversions from RedTrack, after a plan made from RedTrack's settings was applied.
export function History({ plan: id }: { plan: string }) {
  const { data: plan } = use('GET /config/plans/{id}', {}, 0, { id }),
    [key, setKey] = useState(''),
    [from, setFrom] = useState(''),
    [to, setTo] = useState(''),
    [skipped, setSkipped] = useState<Record<string, number>>({}),
    { busy, wrong: error, run } = useAttempt(asError)
  if (plan?.origin !== 'redtrack' || plan.state !== 'applied') return null
  const send = () =>
    run(async () => {
      const body = { tracker: 'redtrack' as const, key, from, to }
      const done = await task(w.historyReading, 'POST /config/history', { body }, a => ({
        text: w.historyDone(count(a.clicks), count(a.conversions)),
      }))
      setKey('')
      setSkipped(done.skipped)
      touches('reports', 'clicks', 'conversions')
    })
  return (
    <Card title={w.history}>
      <form
        class="part"
        onSubmit={e => {
          e.preventDefault()
          void send()
        }}>
        <p class="dim">{w.historyText}</p>
        <p class="dim">{w.historyMore}</p>
        <InputField label={w.key} value={key} on={setKey} hint={w.keyHint.redtrack} type="password" autocomplete="off" />
        <InputField label={w.historyFrom} value={from} on={setFrom} type="date" />
        <InputField label={w.historyTo} value={to} on={setTo} type="date" />
        {error && <Failed error={error} again={() => void send()} />}
        {Object.entries(skipped).map(([reason, n]) => (
          <p key={reason} class="dim">
            {w.historySkipped(count(n), reason)}
          </p>
        ))}
        <div class="row">
          <Button look="primary" type="submit" disabled={busy || !key || !from || !to} text={w.historyRead} />
        </div>
      </form>
    </Card>
  )
}
