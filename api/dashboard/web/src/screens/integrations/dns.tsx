import { useState } from 'preact/hooks'
import type { DNSAccountShown, IntegrationList, IntegrationTested } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt, useBusy } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { given, type Values } from '../../core/credential.ts'
import { ago } from '../../core/dates.ts'
import { touches } from '../../core/query.ts'
import { place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/integrations.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Credentials, Says } from '../../parts/credentials.tsx'
import { Field, FormError, wrongOf, type Wrong, InputField } from '../../parts/form.tsx'
import { Ask, Cancel, Sheet } from '../../parts/sheet.tsx'
import { mayConnect, errorText, openConnection } from '../../core/connect.ts'
import { toastAndReload } from '../../core/toast.ts'

// DNSAccounts lists the connected accounts at DNS providers.
export function DNSAccounts({ list }: { list: IntegrationList }) {
  const may = mayConnect(),
    open = place.value.query.get('dns'),
    [disconnecting, setDisconnecting] = useState<DNSAccountShown | null>(null),
    account = list.accounts.find(a => a.id === open)
  const name = (a: DNSAccountShown) => a.label || list.providers.find(p => p.provider === a.provider)?.label || a.provider
  return (
    <Card
      title={w.dns.title}
      beside={
        may && list.encryptionAvailable && <Button look="sm" onClick={() => openConnection({ dns: 'new' })} icon="plus" text={w.dns.add} />
      }>
      <p class="part soft lead">{w.dns.text}</p>
      {list.accounts.length === 0 ? (
        <p class="part dim">{w.dns.none}</p>
      ) : (
        <ul class="list">
          {list.accounts.map(a => (
            <Account
              key={a.id}
              of={a}
              name={name(a)}
              provider={list.providers.find(p => p.provider === a.provider)?.label ?? a.provider}
              leave={() => setDisconnecting(a)}
            />
          ))}
        </ul>
      )}
      {(account || (open === 'new' && may)) && <Editor key={open} list={list} of={account ?? null} close={() => openConnection({})} />}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(name(disconnecting))}
          text={w.dns.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(null)}
          on={() =>
            call('DELETE /integrations', { query: { id: disconnecting.id } }).then(() =>
              toastAndReload(w.gone(name(disconnecting)), 'integrations'),
            )
          }
        />
      )}
    </Card>
  )
}

function Account({ of: a, name, provider, leave }: { of: DNSAccountShown; name: string; provider: string; leave: () => void }) {
  const [busy, run] = useBusy(),
    [result, setResult] = useState<IntegrationTested>(),
    may = mayConnect()
  const test = () =>
    run(async () => {
      setResult(await call('POST /integrations/test', { body: { id: a.id } }))
      touches('integrations')
    })
  const error = result ? (result.ok ? null : (result.detail ?? result.message)) : a.error
  return (
    <li>
      <div class="grow">
        <div class="t">{name}</div>
        <div class="d wrap">
          {[name === provider ? '' : provider, ...Object.values(a.credentials), a.checkedAt ? w.asked(ago(a.checkedAt)) : w.never]
            .filter(Boolean)
            .join(' · ')}
        </div>
        {error && (
          <div class="d bad wrap" role="alert">
            {error}
          </div>
        )}
        {result?.ok && (
          <div class="d wrap" role="status">
            <span class="good">{w.dns.works(result.zones.length)}</span> {result.zones.slice(0, 12).join(', ')}
          </div>
        )}
      </div>
      {(a.checkedAt || result) && <Says on error={error} />}
      {may && (
        <>
          <Button look="sm" disabled={busy} onClick={() => void test()} text={busy ? w.testing : w.test} of={name} />
          <Button look="sm" onClick={() => openConnection({ dns: a.id })} text={w.change} of={name} />
          <Button look="sm quiet icon" aria-label={`${w.disconnect} ${name}`} onClick={leave} icon="x" />
        </>
      )}
    </li>
  )
}

// Editor connects or changes an account.
function Editor({ list, of: a, close }: { list: IntegrationList; of: DNSAccountShown | null; close: () => void }) {
  const [provider, setProvider] = useState(a?.provider ?? ''),
    [label, setLabel] = useState(a?.label ?? ''),
    [values, setValues] = useState<Values>({}),
    [match] = useState(a?.savedAt), // the version that the person edits; the service refuses to replace a newer version
    may = mayConnect()
  const form = list.providers.find(p => p.provider === provider),
    saved = a?.provider === provider ? a.credentials : {}
  const { busy, wrong, setWrong, run } = useAttempt<Wrong>(e => {
    const at = wrongOf(asError(e), form?.fields.map(f => f.name) ?? [])
    return { ...at, text: at.field ? at.text : errorText(e) }
  })
  const save = () =>
    form &&
    run(async () => {
      await call('PUT /integrations', {
        body: { ...(a ? { id: a.id } : {}), provider, label, credentials: given(form.fields, saved, values) },
        match,
      })
      toastAndReload(recordWords.saved(label || form.label), 'integrations')
      close()
    })
  return (
    <Sheet
      side
      title={a ? label || form?.label || provider : w.dns.add}
      close={close}
      keep={() => Object.keys(values).length > 0}
      foot={
        <>
          <span class="grow" />
          <Cancel close={close} />
          {may && <Button type="submit" form="dns-account" look="primary" disabled={!form || busy} text={t.parts.save} />}
        </>
      }>
      <form
        id="dns-account"
        class="part"
        onSubmit={e => {
          e.preventDefault()
          void save()
        }}>
        <div class="fields">
          <Field label={w.provider}>
            {wired => (
              <Combobox
                wired={wired}
                label={w.provider}
                value={provider}
                choices={list.providers.map(p => ({ value: p.provider, label: p.label }))}
                on={v => {
                  setProvider(v)
                  setValues({})
                  setWrong(undefined)
                }}
              />
            )}
          </Field>
          <InputField label={w.dns.label} maxLength={100} value={label} on={setLabel} autocomplete="off" />
          {form && <Credentials fields={form.fields} saved={saved} value={values} on={setValues} wrong={wrong} />}
        </div>
        <FormError wrong={wrong} />
      </form>
    </Sheet>
  )
}
