import { useEffect, useState } from 'preact/hooks'
import type { ConnectRequest } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Fact } from '../../parts/card.tsx'
import { Mark, Sign } from '../../parts/icons.tsx'
import { Select } from '../../parts/form.tsx'
import { Alert, Loading } from '../../parts/state.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call, type ApiError } from '../../core/call.ts'
import { explained } from '../../core/errors.ts'
import { me } from '../../core/me.ts'
import { use } from '../../core/query.ts'
import { place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { handleSubmit } from '../../core/submit.ts'
import { w } from '../../text/connect.ts'

const fields = [
  'client_id',
  'redirect_uri',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'state',
] as const
type Sent = Record<(typeof fields)[number], string>

// sent returns what the program has written into the address of the page.
const sent = () => Object.fromEntries(fields.map(name => [name, place.value.query.get(name) ?? ''])) as Sent

// sentenceOf says why the request of a program is not answered.
const sentenceOf = (e: unknown) => explained(e, { invalid_request: w.incomplete, required: w.incomplete, ...w.codes })

// Connect is the page on which a person lets a program use an account. A program sends the browser here (OAuth 2.1). If the request is
// invalid, the page explains why. It does not send the browser back, because the return address of an invalid request possibly does
// not belong to the program.
export function Connect() {
  const [request] = useState(sent),
    { data, error, again } = use('GET /app/api/assistants/request', request)
  useEffect(() => {
    document.title = `${w.title} · ${t.brand}`
  }, [])
  return (
    <main class="alone">
      {data ? (
        <Consent of={data} sent={request} />
      ) : (
        <section class="card enter connect">
          {error && error.status < 500 ? <Refused of={error} /> : <Loading of={{ error, again }} height={320} />}
        </section>
      )}
    </main>
  )
}

const Refused = ({ of }: { of: ApiError }) => (
  <>
    <Sign name="warn" tone="warn" />
    <h1>{w.failed}</h1>
    <Alert look="soft" text={sentenceOf(of)} />
    <div class="row">
      <Link href={to('/app')} text={w.back} />
    </div>
  </>
)

// useAnswer sends the person's answer to the service and then opens the program's address.
function useAnswer(sent: Sent) {
  const [leaving, setLeaving] = useState(false),
    { busy, wrong, run } = useAttempt(sentenceOf)
  const answer = (body: { rights?: string; refused?: boolean }) =>
    void run(async () => {
      const { redirect } = await call('POST /app/api/assistants', { body: { ...sent, ...body } })
      setLeaving(true)
      location.assign(redirect)
    })
  return { busy, wrong, leaving, answer }
}

function Consent({ of, sent }: { of: ConnectRequest; sent: Sent }) {
  const [rights, setRights] = useState(of.asked),
    { busy, wrong, leaving, answer } = useAnswer(sent)
  return (
    <form class="card enter connect" onSubmit={handleSubmit(() => answer({ rights }))}>
      <div class="brand">
        <Mark />
        {t.brand}
      </div>
      <h1>{w.title}</h1>
      <p>{w.asks(of.client.name)}</p>
      <dl class="facts">
        <Fact
          name={w.program}
          value={
            <>
              <b>{of.client.name}</b>
              <small class="dim">{w.ownClaim}</small>
            </>
          }
        />
        <Fact name={w.from} value={of.client.host} />
        <Fact name={w.account} value={<Account of={of} />} />
        <Fact name={w.next} value={of.client.redirect_host} />
      </dl>
      <Rights of={of} value={rights} on={setRights} />
      {wrong && <Alert text={wrong} />}
      {leaving && <p role="status">{w.leaving(of.client.redirect_host)}</p>}
      <div class="row">
        <Button type="submit" look="primary" disabled={busy || leaving} text={w.allow} />
        <Button disabled={busy || leaving} onClick={() => answer({ refused: true })} text={w.refuse} />
      </div>
    </form>
  )
}

// Account names the account. A person of several accounts chooses among them. The page then loads again, because the role, and so the
// rights, may differ.
function Account({ of }: { of: ConnectRequest }) {
  const accounts = me.value!.accounts
  if (accounts.length < 2) return <>{of.account.name}</>
  const choose = async (account: string) => {
    await call('POST /app/api/session/account', { body: { account } })
    location.reload()
  }
  return (
    <Select
      label={w.account}
      value={of.account.id}
      options={accounts.map(a => ({ value: a.id, label: a.name }))}
      on={v => void choose(v)}
    />
  )
}

type RightsProps = { of: ConnectRequest; value: ConnectRequest['asked']; on: (v: ConnectRequest['asked']) => void }

// Rights offers what the person may grant.
const Rights = ({ of, value, on }: RightsProps) => (
  <fieldset class="rights">
    <legend>{w.rights}</legend>
    {of.rights.map(r => (
      <label key={r}>
        <input type="radio" name="rights" value={r} checked={r === value} onChange={() => on(r)} />
        <span>
          <b>{w.names[r] ?? r}</b>
          <small class="dim">{w.hints[r]}</small>
        </span>
      </label>
    ))}
    {of.rights.length < Object.keys(w.hints).length && <p class="dim">{w.roleLimit}</p>}
  </fieldset>
)
