import { useState } from 'preact/hooks'
import type { NewTOTP, SessionRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { can, me } from '../../core/me.ts'
import { browserOf, complain, errorText } from '../../core/people.ts'
import { use } from '../../core/query.ts'
import { languages, t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { w as words } from '../../text/people.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field, Seg, Switch, InputField, SelectField } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { FormSheet, Shown } from '../../parts/sheet.tsx'
import { setTheme } from '../../parts/shell.tsx'
import { Loading } from '../../parts/state.tsx'
import { toastAndReload, toast } from '../../core/toast.ts'
import { handleSubmit } from '../../core/submit.ts'
import { Assistants } from './assistants.tsx'

const w = words.me

// Mine shows a person's own settings, which apply on every account, and the person's assistants on this account. For owners the
// assistants are on the screen of API keys instead.
export const Mine = () => (
  <div class="grid settings mine">
    <Profile />
    <Password />
    <Codes />
    <Sessions />
    {!can('owner') && <Assistants />}
  </div>
)

function Profile() {
  const who = me.value!,
    [name, setName] = useState(who.name),
    { busy, wrong, run } = useAttempt(errorText)
  const save = (more: { name?: string; language?: string; letter_keys?: boolean }) =>
    run(async () => {
      me.value = await call('PATCH /app/api/me', {
        body: { name: who.name, theme: who.theme, language: who.language, letter_keys: who.letter_keys, ...more },
      })
      if (more.language !== undefined) return location.reload() // the page loads the words of a language only when it starts
      toast(w.saved)
    })
  return (
    <Card look="narrow" title={w.profile} beside={<span class="dim">{who.email}</span>}>
      <form class="record" onSubmit={handleSubmit(() => save({ name: name.trim() }))}>
        <div class="part">
          <div class="fields">
            <InputField label={t.overview.name} error={wrong} required maxLength={120} autocomplete="name" value={name} on={setName} />
            <SelectField
              label={t.dimensions.language}
              value={who.language}
              options={[{ value: '', label: w.asBrowser }, ...Object.entries(languages).map(([value, label]) => ({ value, label }))]}
              on={language => void save({ language })}
            />
            <Field label={t.nav.theme} group>
              {() => (
                <Seg
                  label={t.nav.theme}
                  value={who.theme}
                  options={Object.entries(t.themes).map(([value, label]) => ({ value, label }))}
                  on={theme => void setTheme(theme)}
                />
              )}
            </Field>
            <Field label={w.letterKeys} hint={w.letterHint} group>
              {() => <Switch on={who.letter_keys} label={w.letterKeys} set={on => void save({ letter_keys: on })} />}
            </Field>
          </div>
        </div>
        <div class="formfoot row">
          <span class="grow" />
          <Button type="submit" look="primary" disabled={busy || !name.trim() || name.trim() === who.name} text={t.parts.save} />
        </div>
      </form>
    </Card>
  )
}

function Password() {
  const [text, setText] = useState(''),
    { busy, wrong, run } = useAttempt(errorText)
  const change = () =>
    run(async () => {
      await call('POST /app/api/me/password', { body: { password: text } })
      setText('')
      toastAndReload(w.passwordSet, 'app')
    })
  return (
    <Card look="narrow" title={enterWords.password}>
      <form class="record" onSubmit={handleSubmit(change)}>
        <div class="part">
          <input class="hidden" type="text" autocomplete="username" tabIndex={-1} aria-hidden="true" readOnly value={me.value!.email} />
          <div class="capped">
            <InputField
              label={enterWords.reset}
              hint={w.passwordHint}
              error={wrong}
              type="password"
              required
              minLength={10}
              maxLength={200}
              autocomplete="new-password"
              value={text}
              on={setText}
            />
          </div>
        </div>
        <div class="formfoot row">
          <span class="grow" />
          <Button type="submit" look="primary" disabled={busy || !text} text={w.setPassword} />
        </div>
      </form>
    </Card>
  )
}

function Codes() {
  const enabled = me.value!.has_codes,
    [setup, setSetup] = useState<NewTOTP>(),
    [question, ask] = useAsk()
  const start = () => call('POST /app/api/me/totp').then(setSetup, complain)
  const turnOff = async () => {
    await call('DELETE /app/api/me/totp')
    me.value = { ...me.value!, has_codes: false }
    toast(w.nowOff)
  }
  const askToTurnOff = () => ask({ title: w.offTitle, text: w.offText, go: w.off, danger: true, on: turnOff, wrong: complain })
  return (
    <Card look="narrow" title={w.codes}>
      <div class="part">
        <p class="row">
          <Sign name={enabled ? 'check' : 'clock'} tone={enabled ? 'good' : ''} />
          {enabled ? w.codesOn : w.codesOff}
        </p>
      </div>
      <div class="formfoot row">
        <span class="grow" />
        {enabled && <Button onClick={askToTurnOff} text={w.off} />}
        <Button look={enabled ? '' : 'primary'} onClick={() => void start()} text={enabled ? w.renew : w.begin} />
      </div>
      {setup && <SetUp of={setup} close={() => setSetup(undefined)} />}
      {question}
    </Card>
  )
}

// SetUp shows the secret, asks for the code that an authenticator app makes from it, and then shows the recovery codes.
function SetUp({ of: totp, close }: { of: NewTOTP; close: () => void }) {
  const [code, setCode] = useState(''),
    { busy, wrong, run } = useAttempt(errorText),
    [codes, setCodes] = useState<string[]>()
  const confirm = () =>
    run(async () => {
      setCodes((await call('PUT /app/api/me/totp', { body: { code } })).codes)
      me.value = { ...me.value!, has_codes: true }
    })
  if (codes)
    return (
      <Shown short title={w.recovery} close={close} done={w.kept}>
        <p>{w.recoveryText}</p>
        <Copy lines label={w.recoveryList} text={codes.join('\n')} />
      </Shown>
    )
  return (
    <FormSheet short title={w.codes} close={close} go={w.confirm} off={busy} send={confirm}>
      <p>{w.scan}</p>
      <img class="totp" src={totp.qr} alt={w.qr} width={200} height={200} />
      <Copy label={w.secret} text={totp.secret} />
      <InputField
        label={w.code}
        error={wrong}
        class="mono"
        required
        inputMode="numeric"
        autocomplete="one-time-code"
        maxLength={10}
        value={code}
        on={setCode}
      />
    </FormSheet>
  )
}

function Sessions() {
  const { data, error, again } = use('GET /app/api/sessions', {}),
    others = data?.rows.filter(s => !s.current).length ?? 0
  const endOthers = () => call('DELETE /app/api/sessions').then(() => toastAndReload(w.othersEnded, 'app'), complain)
  return (
    <Card look="narrow" title={w.sessions} beside={others > 0 && <Button look="sm" onClick={() => void endOthers()} text={w.endOthers} />}>
      {!data ? (
        <Loading of={{ error, again }} height={80} />
      ) : (
        <ul class="list people">
          {data.rows.map(s => (
            <Session key={s.id} of={s} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Session({ of: s }: { of: SessionRow }) {
  const name = browserOf(s.agent),
    end = () => call('DELETE /app/api/sessions/{id}', { path: { id: s.id } }).then(() => toastAndReload(w.ended, 'app'), complain)
  return (
    <li>
      <Sign name="landers" />
      <div class="grow">
        <div class="t" title={s.agent}>
          {name} {s.current && <span class="tag good">{w.thisOne}</span>}
        </div>
        <div class="d wrap">{[s.address, words.team.seen(ago(s.seen_at)), words.team.joined(dateTime(s.created_at))].join(' · ')}</div>
      </div>
      {!s.current && <Button look="sm" aria-label={w.endOf(name)} onClick={() => void end()} text={w.end} />}
    </li>
  )
}
