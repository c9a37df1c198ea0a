import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { LinkShown } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { ApiError, asError, call, confirming, signedOut } from '../../core/call.ts'
import { me } from '../../core/me.ts'
import { evictAnswers } from '../../core/query.ts'
import { go } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { Seg } from '../../parts/form.tsx'
import { Mark } from '../../parts/icons.tsx'
import { Alert } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'

type FieldProps = {
  name: string
  label: string
  hint?: string
  type?: string
  auto: string // the value of autocomplete
  value?: string
  fixed?: boolean
  optional?: boolean
  first?: boolean
  least?: number
}
const Field = ({ name, label, hint, type = 'text', auto, value, fixed, optional, first, least }: FieldProps) => {
  const el = useRef<HTMLInputElement>(null),
    id = useId(),
    [isShown, setShown] = useState(false)
  useEffect(() => {
    if (first) el.current?.focus()
  }, [first])
  return (
    <div class="field">
      <label class="label" for={id}>
        {label} {hint && <small class="dim">{hint}</small>}
      </label>
      <span class="row">
        <input
          ref={el}
          id={id}
          class="input"
          name={name}
          type={isShown ? 'text' : (type as 'text')}
          autocomplete={auto as 'off'}
          defaultValue={value}
          readOnly={fixed}
          required={!optional}
          minLength={least}
        />
        {type === 'password' && (
          <Button aria-pressed={isShown} aria-label={enterWords.showPassword} onClick={() => setShown(!isShown)} text={enterWords.show} />
        )}
      </span>
    </div>
  )
}

const Code = ({ first }: { first?: boolean }) => (
  <Field name="code" label={enterWords.code} hint={enterWords.codeHint} auto="one-time-code" optional first={first} />
)

type CardProps = {
  title: string
  text?: string
  over?: boolean
  error?: ApiError
  busy: boolean
  go: string
  send: (form: Record<string, string>) => void
  cancel?: () => void
  children?: ComponentChildren
}

// Card is a form that password managers can fill.
function Card({ title, text, over, error, busy, go: verb, send, cancel, children }: CardProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (over) dialog.current?.showModal()
  }, [over]) // opening the dialog moves the focus, so the dialog is opened before the first field gets the focus
  const form = (
    <form
      class="card enter"
      onSubmit={e => {
        e.preventDefault()
        send(Object.fromEntries(new FormData(e.currentTarget)) as Record<string, string>)
      }}>
      <div class="brand">
        <Mark />
        {t.brand}
      </div>
      <h1>{title}</h1>
      {text && <p class="soft">{text}</p>}
      {children}
      {error && <Alert text={sentence(error)} />}
      <div class="row">
        <Button type="submit" look="primary" disabled={busy} text={verb} />
        {cancel && <Button onClick={cancel} text={t.parts.cancel} />}
      </div>
    </form>
  )
  return over ? (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={e => {
        e.preventDefault()
        cancel?.()
      }}>
      {form}
    </dialog>
  ) : (
    <main class="alone">{form}</main>
  )
}

// useSend runs the call of a card and keeps its error. needsCode becomes true when the service asks for a code.
function useSend(usesCodes = false) {
  const [needsCode, setNeedsCode] = useState(usesCodes)
  const { busy, wrong: error, run } = useAttempt(asError)
  const send = (work: () => Promise<unknown>) =>
    void run(() =>
      work().catch(e => {
        if (asError(e).code === 'code_required') setNeedsCode(true)
        throw e
      }),
    )
  return { busy, error, needsCode, send }
}

// loadPerson loads the person who has signed in, and goes to an address if one is given. It drops the cached answers if
// the person or the account has changed.
async function loadPerson(address?: string) {
  const who = await call('GET /app/api/session')
  if (me.value?.id !== who.id || me.value.account.id !== who.account.id) evictAnswers()
  me.value = who
  signedOut.value = false
  if (address) location.replace(address)
}

// Enter signs a person in. With `over`, it lies over the screen of a person whose session has ended.
export function Enter({ over }: { over?: boolean }) {
  const { busy, error, needsCode, send } = useSend()
  const [link] = useState(() => (location.pathname === '/app/welcome' ? location.hash.slice(1) : undefined))
  useEffect(() => {
    document.title = `${enterWords.title} · ${t.brand}`
  }, [])
  if (link !== undefined) return <Welcome token={link} />
  const known = over ? me.value?.email : ''
  const address = location.pathname.startsWith('/app') ? location.pathname + location.search : '/app'
  return (
    <Card
      title={enterWords.title}
      text={over ? enterWords.again : undefined}
      over={over}
      error={error}
      busy={busy}
      go={enterWords.title}
      send={f =>
        send(async () => {
          await call('POST /app/api/session', { body: f })
          await loadPerson(over ? undefined : address)
        })
      }>
      <Field name="email" label={enterWords.email} type="email" auto="username" value={known} first={!known} />
      <Field name="password" label={enterWords.password} type="password" auto="current-password" first={!!known} />
      {needsCode && <Code first />}
      {!over && <p class="dim">{enterWords.help}</p>}
    </Card>
  )
}

// Welcome uses a link: an invitation, a link to set a new password, or a link by which an operator lets a person in. The form of
// an invitation asks whether the person already has a password here, so it does not reveal who has one.
function Welcome({ token }: { token: string }) {
  const { busy, error, needsCode, send } = useSend()
  const [link, setLink] = useState<LinkShown>(),
    [known, setKnown] = useState<'new' | 'known'>('new')
  useEffect(() => {
    document.title = `${enterWords.welcome} · ${t.brand}`
    history.replaceState(null, '', '/app/welcome') // the token is not kept in the history
    send(async () =>
      setLink(
        token
          ? await call('POST /app/api/links/look', { body: { token } })
          : await Promise.reject(new ApiError('no_link', 404, enterWords.noLink)),
      ),
    )
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the link is read once
  }, [])
  if (!link)
    return error ? <Card title={enterWords.welcome} error={error} busy={false} go={enterWords.toSignIn} send={() => go('/app')} /> : null
  const follow = (f: Record<string, string>) =>
    send(async () => {
      await call('POST /app/api/links/use', { body: { ...f, email: undefined, token } })
      await loadPerson('/app')
    })
  const common = { error, busy, send: follow }
  const email = <Field name="email" label={enterWords.email} type="email" auto="username" value={link.email} fixed />
  const code = needsCode && <Code first />
  const newPassword = (
    <Field
      name="password"
      label={enterWords.choose}
      hint={enterWords.atLeast}
      type="password"
      auto="new-password"
      least={10}
      first={link.kind !== 'invite'}
    />
  )
  if (link.kind === 'entry')
    return (
      <Card
        title={enterWords.welcome}
        text={enterWords.entry(link.email) + (link.new_password ? ' ' + enterWords.entryChoose : '')}
        go={enterWords.enterGo(link.account)}
        {...common}>
        {link.new_password && (
          <>
            {email}
            {newPassword}
          </>
        )}
      </Card>
    )
  if (link.kind === 'reset')
    return (
      <Card title={enterWords.reset} go={enterWords.resetGo} {...common}>
        {email}
        {newPassword}
        {code}
      </Card>
    )
  return (
    <Card
      title={enterWords.welcome}
      text={enterWords.invited(link.account, t.roles[link.role] ?? '', link.currency)}
      go={enterWords.join}
      {...common}>
      {email}
      <Seg
        label={enterWords.whoAreYou}
        value={known}
        options={[
          { value: 'new', label: enterWords.isNew },
          { value: 'known', label: enterWords.isKnown },
        ]}
        on={setKnown}
      />
      {known === 'new' ? (
        <>
          <Field name="name" label={enterWords.yourName} auto="name" optional first />
          {newPassword}
        </>
      ) : (
        <Field name="password" label={enterWords.password} type="password" auto="current-password" least={10} first />
      )}
      {code}
    </Card>
  )
}

// Confirm asks the person for the password again, and for a code if the person uses codes.
export function Confirm() {
  const { busy, error, needsCode, send } = useSend(!!me.value?.has_codes)
  const end = (ok: boolean) => {
    const c = confirming.value
    confirming.value = null
    c?.done(ok)
  }
  return (
    <Card
      over
      title={enterWords.confirm}
      text={enterWords.confirmText}
      error={error}
      busy={busy}
      go={enterWords.confirmGo}
      cancel={() => end(false)}
      send={f =>
        send(async () => {
          await call('POST /app/api/session/confirm', { body: f })
          end(true)
        })
      }>
      <Field name="password" label={enterWords.password} type="password" auto="current-password" first />
      {needsCode && <Code />}
    </Card>
  )
}
