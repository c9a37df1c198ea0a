import { useState } from 'preact/hooks'
import type { NetworkIntegration, NetworkRow } from '../../api.gen.ts'
import { asError, call } from '../../core/call.ts'
import { money } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/integrations.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Credentials, given, Runs, type Values } from '../../parts/credentials.tsx'
import { Field, FormError, Input, Switch, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { Failed, Late } from '../../parts/state.tsx'
import { toast } from '../../core/toast.ts'
import { mayConnect, said } from '../../core/connect.ts'

// NetworkSheet edits the connection to an affiliate network: the credentials, the conversions to read, and the runs.
export function NetworkSheet({ of: n, close }: { of: NetworkRow; close: () => void }) {
  const { data, error, again } = use('GET /networks/{id}/integration', {}, 0, { id: n.id }),
    [dirty, setDirty] = useState(false)
  return (
    <Sheet side title={n.name} close={close} keep={() => dirty}>
      {!data ? (
        error ? (
          <Failed error={error} again={again} />
        ) : (
          <Late>
            <div class="part">
              <div class="skeleton" style="height:200px" />
            </div>
          </Late>
        )
      ) : (
        <div class="story">
          <Access key={data.connectedTo ?? ''} of={n} data={data} mark={setDirty} />
          {data.connectedTo && mayConnect() && <Sync of={n} />}
          {data.connectedTo && <Runs list={data.runs} />}
        </div>
      )}
    </Sheet>
  )
}

function Access({ of: n, data, mark }: { of: NetworkRow; data: NetworkIntegration; mark: (dirty: boolean) => void }) {
  const [provider, setProvider] = useState(data.connectedTo ?? ''),
    [values, setValues] = useState<Values>({}),
    [enabled, setEnabled] = useState(data.connectedTo ? data.is_enabled : true),
    [wrong, setWrong] = useState<Wrong>(),
    [busy, setBusy] = useState(false),
    [disconnecting, setDisconnecting] = useState(false),
    may = mayConnect()
  const form = data.providers.find(p => p.provider === provider),
    saved = data.connectedTo === provider ? data.credentials : {}
  const type = (v: Values) => {
    setValues(v)
    mark(true)
  }
  const save = async () => {
    if (!form || busy) return
    setBusy(true)
    setWrong(undefined)
    try {
      await call('PUT /networks/{id}/integration', {
        path: { id: n.id },
        body: { provider, credentials: given(form.fields, saved, values), is_enabled: enabled },
      })
      setValues({})
      mark(false)
      touches('networks')
      toast(w.saved(n.name))
    } catch (e) {
      const at = wrongOf(
        asError(e),
        form.fields.map(f => f.name),
      )
      setWrong({ ...at, text: at.field ? at.text : said(e) })
    } finally {
      setBusy(false)
    }
  }
  const test = async () => {
    setBusy(true)
    try {
      const out = await call('POST /networks/{id}/integration/test', { path: { id: n.id } })
      touches('networks')
      toast(out.ok ? out.message : (out.detail ?? out.message), { bad: !out.ok })
    } catch (e) {
      toast(said(e), { bad: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="record"
      onSubmit={e => {
        e.preventDefault()
        void save()
      }}>
      <fieldset disabled={!may || !data.encryptionAvailable}>
        <section class="part">
          <h2>{w.source.credentials}</h2>
          {!data.encryptionAvailable && <p class="warn">{w.codes.no_encryption_key}</p>}
          {data.lastError && (
            <p class="bad wrap" role="alert">
              {data.lastError}
            </p>
          )}
          <div class="fields">
            <Field label={w.provider} hint={form?.click ? w.networks.click(form.click) : undefined}>
              {wired => (
                <Combobox
                  wired={wired}
                  label={w.provider}
                  value={provider}
                  choices={data.providers.map(p => ({ value: p.provider, label: p.label }))}
                  on={v => {
                    setProvider(v)
                    setValues({})
                    setWrong(undefined)
                  }}
                />
              )}
            </Field>
            {form && <Credentials fields={form.fields} saved={saved} value={values} on={type} wrong={wrong} />}
            {form && (
              <div class="across">
                <Switch shown on={enabled} set={setEnabled} label={w.networks.enabled} />
              </div>
            )}
          </div>
          <FormError wrong={wrong} />
        </section>
      </fieldset>
      {may && (
        <div class="row formfoot">
          {data.connectedTo && (
            <>
              <button type="button" class="btn" disabled={busy} onClick={() => void test()}>
                {w.test}
              </button>
              <button type="button" class="btn quiet" onClick={() => setDisconnecting(true)}>
                {w.disconnect}
              </button>
            </>
          )}
          <span class="grow" />
          <button class="btn primary" disabled={!form || busy || !data.encryptionAvailable}>
            {data.connectedTo ? w.save : w.connect}
          </button>
        </div>
      )}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(n.name)}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={() =>
            call('DELETE /networks/{id}/integration', { path: { id: n.id } }).then(() => {
              touches('networks')
              toast(w.gone(n.name))
            })
          }
        />
      )}
    </form>
  )
}

const day = (ago: number) => new Date(Date.now() - ago * 86400000).toISOString().slice(0, 10)

// Sync reads the conversions of some days from a network. The first run is a dry run.
function Sync({ of: n }: { of: NetworkRow }) {
  const [from, setFrom] = useState(day(7)),
    [to, setTo] = useState(day(0)),
    [text, setText] = useState(''),
    [error, setError] = useState(''),
    [busy, setBusy] = useState(false)
  const run = async (apply: boolean) => {
    setBusy(true)
    setText('')
    setError('')
    try {
      const out = await call('POST /networks/{id}/integration/sync', { path: { id: n.id }, body: { from, to, apply } })
      setText((apply ? w.networks.done : w.networks.dryDone)(out.total, out.matched, money(out.payout)))
      touches('networks', ...(apply ? ['reports', 'logs', 'stats'] : []))
    } catch (e) {
      setError(said(e))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section class="part">
      <h2>{w.networks.sync}</h2>
      <div class="fields">
        <Field label={w.networks.from}>{wired => <Input wired={wired} type="date" value={from} on={setFrom} />}</Field>
        <Field label={w.networks.to}>{wired => <Input wired={wired} type="date" value={to} on={setTo} />}</Field>
      </div>
      {text && (
        <p role="status" class="wrap">
          {text}
        </p>
      )}
      {error && (
        <p role="alert" class="bad wrap">
          {error}
        </p>
      )}
      <div class="row">
        <span class="grow" />
        <button type="button" class="btn" disabled={busy} onClick={() => void run(false)}>
          {busy ? t.loading : w.networks.dry}
        </button>
        <button type="button" class="btn primary" disabled={busy} onClick={() => void run(true)}>
          {w.networks.apply}
        </button>
      </div>
    </section>
  )
}
