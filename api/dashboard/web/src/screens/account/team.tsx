import { useState } from 'preact/hooks'
import type { Invitation, LinkRow, MemberRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { me } from '../../core/me.ts'
import { complain, errorText } from '../../core/people.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { enterWords } from '../../text/enter.ts'
import { w as words } from '../../text/people.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Select, InputField, SelectField } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { Owners } from '../../parts/owners.tsx'
import { Ask, FormSheet, Shown } from '../../parts/sheet.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { toastAndReload } from '../../core/toast.ts'

const w = words.team
const roles = ['owner', 'member', 'contributor', 'viewer']
const roleOptions = roles.map(value => ({ value, label: t.roles[value]! }))
const roleName = (role: string) => t.roles[role] ?? role

export const TeamScreen = () => (
  <Owners>
    <Team />
  </Owners>
)

function Team() {
  const { data, error, again } = use('GET /app/api/team', {}),
    [inviting, setInviting] = useState(false)
  if (!data) return <LoadingCard of={{ error, again }} height={220} />
  return (
    <div class="grid settings">
      <Card
        title={w.people(data.rows.length)}
        beside={<Button look="primary" onClick={() => setInviting(true)} icon="plus" text={w.invite} />}>
        <ul class="list people">
          {data.rows.map(m => (
            <Member key={m.id} of={m} />
          ))}
        </ul>
      </Card>
      {data.links.length > 0 && (
        <Card title={w.open}>
          <ul class="list people">
            {data.links.map(l => (
              <OpenLink key={l.id} of={l} />
            ))}
          </ul>
        </Card>
      )}
      {inviting && <Invite close={() => setInviting(false)} />}
    </div>
  )
}

function Member({ of: m }: { of: MemberRow }) {
  const [newRole, setNewRole] = useState<string>(),
    [question, ask] = useAsk(),
    name = m.name || m.email,
    isMe = m.id === me.value!.id
  const changeRole = async (role: string) => {
    await call('PATCH /app/api/team/{id}', { path: { id: m.id }, body: { role } })
    if (isMe) me.value = await call('GET /app/api/session')
    toastAndReload(w.nowRole(name, roleName(role)), 'app')
  }
  const remove = async () => {
    await call('DELETE /app/api/team/{id}', { path: { id: m.id } })
    if (isMe) return location.assign('/app')
    toastAndReload(w.removed(name), 'app')
  }
  const askToRemove = () =>
    ask({ title: w.removeTitle(name), text: w.removeText(m.email), go: w.remove, danger: true, on: remove, wrong: complain })
  return (
    <li>
      <span class="face" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <div class="grow">
        <div class="t">
          {name} {isMe && <span class="tag">{w.you}</span>}
        </div>
        <div class="d wrap">
          {m.email} · {m.has_codes ? w.codes : w.noCodes} · <span class="whole">{w.joined(dateTime(m.joined_at))}</span> ·{' '}
          {m.seen_at ? w.seen(ago(m.seen_at)) : w.unseen}
        </div>
      </div>
      <Select
        label={w.roleOf(name)}
        value={m.role}
        options={roleOptions}
        on={role => {
          if (role !== m.role) setNewRole(role)
        }}
      />
      <Button look="sm quiet icon" aria-label={w.removeOf(name)} title={w.remove} onClick={askToRemove} icon="trash" />
      {newRole && (
        <Ask
          title={isMe && m.role === 'owner' ? w.ownTitle : w.changeTitle(name, roleName(newRole))}
          text={isMe && m.role === 'owner' ? w.ownText : words.roleHints[newRole]}
          go={w.change}
          close={() => {
            setNewRole(undefined)
            touches('app')
          }}
          on={() => changeRole(newRole)}
          wrong={complain}
        />
      )}
      {question}
    </li>
  )
}

// OpenLink shows a link that has not been used yet, such as an invitation, and has a button that withdraws it.
function OpenLink({ of: l }: { of: LinkRow }) {
  const withdraw = () =>
    call('DELETE /app/api/team/links/{id}', { path: { id: l.id } }).then(() => toastAndReload(w.withdrawn(l.email), 'app'), complain)
  return (
    <li>
      <Sign name="clock" />
      <div class="grow">
        <div class="t">{l.email}</div>
        <div class="d wrap">{[w.kinds[l.kind] ?? l.kind, roleName(l.role), w.until(dateTime(l.expires_at))].join(' · ')}</div>
      </div>
      <Button look="sm" aria-label={w.withdrawOf(l.email)} onClick={() => void withdraw()} text={w.withdraw} />
    </li>
  )
}

function Invite({ close }: { close: () => void }) {
  const [email, setEmail] = useState(''),
    [role, setRole] = useState('member'),
    { busy, wrong, run } = useAttempt(errorText),
    [invitation, setInvitation] = useState<Invitation>()
  const invite = () =>
    run(async () => {
      setInvitation(await call('POST /app/api/team', { body: { email: email.trim(), role } }))
      touches('app')
    })
  if (invitation)
    return (
      <Shown title={w.inviteTitle} close={close} done={t.reports.done}>
        <p>{w.linkText(invitation.email, roleName(invitation.role), dateTime(invitation.expires_at))}</p>
        <Copy label={w.link} text={invitation.url} />
      </Shown>
    )
  return (
    <FormSheet title={w.inviteTitle} close={close} keep={() => email !== ''} go={w.make} off={busy} send={invite}>
      <p>{w.inviteText}</p>
      <InputField
        label={enterWords.email}
        error={wrong}
        type="email"
        required
        autocomplete="off"
        maxLength={254}
        value={email}
        on={setEmail}
      />
      <SelectField label={w.role} hint={words.roleHints[role]} value={role} options={roleOptions} on={setRole} />
    </FormSheet>
  )
}
