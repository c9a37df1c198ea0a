import { useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { CredentialFieldShown } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { given, type Values } from '../../core/credential.ts'
import { mayConnect, showError } from '../../core/connect.ts'
import { touches, type Used } from '../../core/query.ts'
import { toastAndReload, toast } from '../../core/toast.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/integrations.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Credentials } from '../../parts/credentials.tsx'
import { Field, FormError, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { Loading, Alert } from '../../parts/state.tsx'

type SheetProps<D> = {
  name: string
  of: Used<D>
  close: () => void
  children: (data: D, mark: (dirty: boolean) => void) => ComponentChildren
}

// ConnectionSheet shows a connection when it is loaded. The children call `mark` to say whether there are unsaved changes. While
// there are unsaved changes, the sheet asks before it closes, and a later load does not replace the data.
export function ConnectionSheet<D>({ name, of, close, children }: SheetProps<D>) {
  const [dirty, setDirty] = useState(false),
    seen = useRef(of.data)
  if (!dirty) seen.current = of.data
  return (
    <Sheet side title={name} close={close} keep={() => dirty}>
      {seen.current ? <div class="story">{children(seen.current, setDirty)}</div> : <Loading of={of} height={240} />}
    </Sheet>
  )
}

// fieldOfCode holds the field that an error code belongs to.
const fieldOfCode: Record<string, string> = {
  choose_connection: 'oauth_connection_id',
  not_connected: 'oauth_connection_id',
  invalid_conversion_action: 'conversion_action',
  no_conversion_action: 'conversion_action',
  no_url: 'url',
  invalid_provider: 'provider',
}
// ownFields are the fields, in addition to the provider's credentials, that the message or code of an error may name.
const ownFields = ['campaign_param', 'conversion_action', 'oauth_connection_id']

type Form = { provider: string; label: string; fields: CredentialFieldShown[] }
type Tested = { ok: boolean; message: string; detail: string | null }
type Options<F extends Form> = {
  name: string
  rows: 'networks' | 'traffic-sources'
  providers: F[]
  connected: string | null
  credentials: Values
  version: string // the version of the connection that is shown
  mark: (dirty: boolean) => void
  send: (form: F, credentials: Values, match: string) => Promise<{ version: string }>
}

// useConnection holds the provider and the credentials that a person edits, and saves and tests the connection.
export function useConnection<F extends Form>({ name, rows, providers, connected, credentials, version, mark, send }: Options<F>) {
  const [provider, setProvider] = useState(connected ?? providers.find(p => p.label === name)?.provider ?? ''),
    [values, setValues] = useState<Values>({}),
    [match, setMatch] = useState(version), // the version that the person edits; the service refuses a save if the connection has changed since
    [wrong, setWrong] = useState<Wrong>(),
    [busy, run] = useBusy()
  const form = providers.find(p => p.provider === provider),
    saved = connected === provider ? credentials : {}
  // touched wraps a setter so that the sheet notices unsaved changes.
  const touched =
    <A extends unknown[]>(fn: (...a: A) => void) =>
    (...a: A) => {
      fn(...a)
      mark(true)
    }
  const save = async () => {
    if (!form) return
    const explain = (e: unknown) => {
      const error = asError(e),
        found = wrongOf(error, [...form.fields.map(f => f.name), ...ownFields], fieldOfCode)
      setWrong({ ...found, text: found.field && error.code === 'invalid_credentials' ? found.text : (w.codes[error.code] ?? found.text) })
    }
    await run(async () => {
      setWrong(undefined)
      setMatch((await send(form, given(form.fields, saved, values), match)).version)
      setValues({})
      mark(false)
      toastAndReload(recordWords.saved(name), rows)
    }, explain)
  }
  // test shows what the platform answers. A success shows `done`, by default the platform's own message.
  const test = <T extends Tested>(request: () => Promise<T>, done = (out: T) => out.message, ...changed: string[]) =>
    run(async () => {
      const out = await request()
      touches(rows, ...changed)
      toast(out.ok ? done(out) : (out.detail ?? out.message), { bad: !out.ok })
    }, showError)
  const choose = (v: string) => {
    setProvider(v)
    setValues({})
    setWrong(undefined)
    mark(true)
  }
  const errorAt = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const type = touched(setValues)
  return { name, rows, providers, connected, provider, form, saved, values, wrong, busy, touched, save, test, choose, errorAt, type }
}

type Props = {
  of: Pick<
    ReturnType<typeof useConnection>,
    'name' | 'rows' | 'connected' | 'provider' | 'saved' | 'values' | 'wrong' | 'busy' | 'save' | 'choose' | 'errorAt' | 'type'
  > & { providers: Form[]; form?: Form }
  encryption: boolean
  error: string | null
  about?: ComponentChildren
  hint?: string
  signIn?: ComponentChildren
  needed?: boolean // all fields of the form are needed
  more?: ComponentChildren
  under?: ComponentChildren
  test: () => unknown
  nextToTest?: ComponentChildren
  disconnect: () => Promise<unknown>
  children?: ComponentChildren
}

// PlatformConnection edits the connection of a record to a platform: the provider, its credentials, and what only networks or
// only sources have.
export function PlatformConnection({
  of: c,
  encryption,
  error,
  about,
  hint,
  signIn,
  needed,
  more,
  under,
  test,
  nextToTest,
  disconnect,
  children,
}: Props) {
  const [disconnecting, setDisconnecting] = useState(false),
    may = mayConnect()
  return (
    <form
      class="record"
      onSubmit={e => {
        e.preventDefault()
        void c.save()
      }}>
      <fieldset disabled={!may || !encryption}>
        <Part title={w.source.credentials}>
          {!encryption && <p class="warn">{w.codes.no_encryption_key}</p>}
          {error && <Alert look="bad wrap" text={error} />}
          {about}
          <div class="fields">
            <Field label={w.provider} hint={hint} error={c.errorAt('provider')}>
              {wired => (
                <Combobox
                  wired={wired}
                  label={w.provider}
                  value={c.provider}
                  choices={c.providers.map(p => ({ value: p.provider, label: p.label }))}
                  on={c.choose}
                />
              )}
            </Field>
            {signIn}
            {c.form && <Credentials fields={c.form.fields} saved={c.saved} value={c.values} on={c.type} wrong={c.wrong} needed={needed} />}
            {more}
          </div>
          {under}
        </Part>
        {children}
        <FormError wrong={c.wrong} />
      </fieldset>
      {may && (
        <div class="row formfoot wraps">
          {c.connected && (
            <>
              <Button disabled={c.busy} onClick={test} text={w.test} />
              {nextToTest}
              <Button look="quiet" onClick={() => setDisconnecting(true)} text={w.disconnect} />
            </>
          )}
          <span class="grow" />
          <Button
            type="submit"
            look="primary"
            disabled={!c.form || c.busy || !encryption}
            text={c.connected ? t.parts.save : t.nav.connect}
          />
        </div>
      )}
      {disconnecting && (
        <Ask
          title={w.disconnectTitle(c.name)}
          text={w.forgotten}
          go={w.disconnect}
          danger
          close={() => setDisconnecting(false)}
          on={() => disconnect().then(() => toastAndReload(w.gone(c.name), c.rows))}
        />
      )}
    </form>
  )
}
