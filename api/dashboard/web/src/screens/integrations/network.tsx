import { useState } from 'preact/hooks'
import type { NetworkIntegration, NetworkRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { mayConnect, errorText } from '../../core/connect.ts'
import { dateTime } from '../../core/dates.ts'
import { money } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/integrations.ts'
import { Runs } from '../../parts/credentials.tsx'
import { Switch, InputField } from '../../parts/form.tsx'
import { Alert } from '../../parts/state.tsx'
import { ConnectionSheet, PlatformConnection, useConnection } from './connection.tsx'
import { w as correctionWords } from '../../text/corrections.ts'

// NetworkSheet edits the connection to an affiliate network, reads conversions on request, and lists the runs.
export const NetworkSheet = ({ of: n, close }: { of: NetworkRow; close: () => void }) => (
  <ConnectionSheet name={n.name} of={use('GET /networks/{id}/integration', {}, 0, { id: n.id })} close={close}>
    {(data, mark) => (
      <>
        <Access key={data.version} of={n} data={data} mark={mark} />
        {data.connectedTo && mayConnect() && <Sync of={n} />}
        {data.connectedTo && <Changes of={data} />}
        {data.connectedTo && <Runs list={data.runs} />}
      </>
    )}
  </ConnectionSheet>
)

// Changes shows up to which time the service has read the network's decisions, such as the rejection of an order. A decision may
// concern an order of any age.
const Changes = ({ of: { changesReadTo, changesError } }: { of: NetworkIntegration }) =>
  (changesReadTo || changesError) && (
    <Part title={w.networks.changes}>
      {changesReadTo && <p>{w.networks.changesTo(dateTime(changesReadTo))}</p>}
      {changesError && <Alert look="bad wrap" text={changesError} />}
    </Part>
  )

function Access({ of: n, data, mark }: { of: NetworkRow; data: NetworkIntegration; mark: (dirty: boolean) => void }) {
  const [enabled, setEnabled] = useState(data.connectedTo ? data.is_enabled : true),
    path = { id: n.id }
  const c = useConnection({
    name: n.name,
    rows: 'networks',
    providers: data.providers,
    connected: data.connectedTo,
    credentials: data.credentials,
    version: data.version,
    mark,
    send: ({ provider }, credentials, match) =>
      call('PUT /networks/{id}/integration', { path, body: { provider, credentials, is_enabled: enabled }, match }),
  })
  return (
    <PlatformConnection
      of={c}
      encryption={data.encryptionAvailable}
      error={data.lastError}
      hint={c.form?.click ? w.networks.click(c.form.click) : undefined}
      more={
        c.form && (
          <div class="across">
            <Switch shown on={enabled} set={c.touched(setEnabled)} label={w.networks.enabled} />
          </div>
        )
      }
      test={() => c.test(() => call('POST /networks/{id}/integration/test', { path }))}
      disconnect={() => call('DELETE /networks/{id}/integration', { path })}
    />
  )
}

const day = (ago: number) => new Date(Date.now() - ago * 86400000).toISOString().slice(0, 10)

// Sync reads the conversions of some days from a network. A dry run changes nothing.
function Sync({ of: n }: { of: NetworkRow }) {
  const [from, setFrom] = useState(day(7)),
    [to, setTo] = useState(day(0)),
    [text, setText] = useState(''),
    [error, setError] = useState(''),
    [busy, run] = useBusy()
  const read = (apply: boolean) =>
    run(
      async () => {
        setText('')
        setError('')
        const out = await call('POST /networks/{id}/integration/sync', { path: { id: n.id }, body: { from, to, apply } })
        setText((apply ? w.networks.done : w.networks.dryDone)(out.total, out.matched, money(out.payout)))
        touches('networks', ...(apply ? ['reports', 'logs', 'stats'] : []))
      },
      e => setError(errorText(e)),
    )
  return (
    <Part title={w.networks.sync}>
      <div class="fields">
        <InputField label={t.window.from} type="date" value={from} on={setFrom} />
        <InputField label={t.window.to} type="date" value={to} on={setTo} />
      </div>
      {text && (
        <p role="status" class="wrap">
          {text}
        </p>
      )}
      {error && <Alert look="bad wrap" text={error} />}
      <div class="row">
        <span class="grow" />
        <Button disabled={busy} onClick={() => void read(false)} text={busy ? t.loading : correctionWords.dry} />
        <Button look="primary" disabled={busy} onClick={() => void read(true)} text={w.networks.apply} />
      </div>
    </Part>
  )
}
