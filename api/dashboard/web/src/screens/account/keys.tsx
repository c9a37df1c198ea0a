import { useState } from 'preact/hooks'
import type { KeyRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { me } from '../../core/me.ts'
import { complain, errorText } from '../../core/people.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { w as words } from '../../text/people.ts'
import { Copy } from '../../parts/copy.tsx'
import { Field, Seg, InputField, SelectField } from '../../parts/form.tsx'
import { useAsk } from '../../parts/ask.tsx'
import { Owners } from '../../parts/owners.tsx'
import { FormSheet, Shown } from '../../parts/sheet.tsx'
import { Empty, LoadingCard } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { Assistants } from './assistants.tsx'

const w = words.keys
const scopes = ['full', 'read_only'].map(value => ({ value, label: w.scopes[value]! }))
const lifetimes = ['0', '30', '90', '365'].map(value => ({ value, label: w.life[value]! }))
const tones: Record<string, string> = { active: 'good', rotated: 'warn' }
const nameOf = (k: KeyRow) => k.name || w.unnamed
const isUsable = (k: KeyRow) => k.state === 'active' || k.state === 'rotated'

export const Keys = () => (
  <Owners>
    <List />
    <Assistants />
  </Owners>
)

function List() {
  const { data, error, again } = use('GET /app/api/keys', {}),
    [adding, setAdding] = useState(false),
    [shownKey, setShownKey] = useState<KeyRow>(),
    [question, ask] = useAsk()
  if (!data) return <LoadingCard of={{ error, again }} height={220} />
  const rotate = async (k: KeyRow) => {
    const newKey = await call('POST /app/api/keys/{id}/rotate', { path: { id: k.id } })
    touches('app')
    setShownKey(newKey)
  }
  const askToRotate = (k: KeyRow) =>
    ask({ title: w.rotateTitle(nameOf(k)), text: w.rotateText, go: w.rotate, on: () => rotate(k), wrong: complain })
  const revoke = (k: KeyRow) =>
    call('DELETE /app/api/keys/{id}', { path: { id: k.id } }).then(() => toastAndReload(w.revoked(nameOf(k)), 'app'))
  const askToRevoke = (k: KeyRow) =>
    ask({ title: w.revokeTitle(nameOf(k)), text: w.revokeText, go: w.revoke, danger: true, on: () => revoke(k), wrong: complain })
  const columns: Column<KeyRow>[] = [
    {
      name: 'name',
      label: t.overview.name,
      left: true,
      phone: true,
      kind: 'first',
      cell: k => <Two a={nameOf(k)} b={w.scopes[k.scope] ?? k.scope} />,
    },
    { name: 'hint', label: w.key, left: true, width: 170, cell: k => <span class="mono">{k.hint}</span> },
    {
      name: 'state',
      label: t.lists.status,
      left: true,
      width: 110,
      cell: k => <span class={'tag ' + (tones[k.state] ?? '')}>{w.states[k.state] ?? k.state}</span>,
    },
    {
      name: 'used',
      label: w.used,
      left: true,
      width: 150,
      cell: k => <span class={k.used_at ? '' : 'dim'}>{k.used_at ? ago(k.used_at) : w.never}</span>,
    },
    {
      name: 'ends',
      label: w.ends,
      left: true,
      width: 160,
      cell: k => (k.expires_at ? dateTime(k.expires_at) : <span class="dim">{w.never}</span>),
    },
    { name: 'made', label: t.exports.made, left: true, width: 160, cell: k => dateTime(k.created_at) },
    {
      name: 'acts',
      label: '',
      phone: true,
      width: 200,
      cell: k => (
        <span class="row fileacts">
          {k.state === 'active' && <Button look="sm" aria-label={w.rotateOf(nameOf(k))} onClick={() => askToRotate(k)} text={w.rotate} />}
          {isUsable(k) && <Button look="sm" aria-label={w.revokeOf(nameOf(k))} onClick={() => askToRevoke(k)} text={w.revoke} />}
        </span>
      ),
    },
  ]
  return (
    <>
      <div class="line filters">
        {me.value!.account.plan === 'starter' && <p class="warn">{w.noAPI}</p>}
        <span class="grow" />
        <Button look="primary" onClick={() => setAdding(true)} icon="plus" text={w.add} />
      </div>
      <section class="card report lists">
        {data.rows.length === 0 ? (
          <Empty title={w.empty} more={w.emptyMore} />
        ) : (
          <Table
            label={t.rooms.keys}
            rows={data.rows}
            columns={columns}
            keyOf={k => k.id}
            nameOf={nameOf}
            height={44}
            rowClass={k => (isUsable(k) ? '' : 'faded')}
          />
        )}
      </section>
      {adding && (
        <NewKey
          close={() => setAdding(false)}
          made={k => {
            setAdding(false)
            setShownKey(k)
          }}
        />
      )}
      {shownKey && <KeyOnce of={shownKey} close={() => setShownKey(undefined)} />}
      {question}
    </>
  )
}

function NewKey({ close, made }: { close: () => void; made: (k: KeyRow) => void }) {
  const [name, setName] = useState(''),
    [scope, setScope] = useState('full'),
    [days, setDays] = useState('90'),
    { busy, wrong, run } = useAttempt(errorText)
  const make = () =>
    run(async () => {
      const k = await call('POST /app/api/keys', { body: { name, scope, days: Number(days) } })
      touches('app')
      made(k)
    })
  return (
    <FormSheet title={w.title} close={close} keep={() => name !== ''} go={w.make} off={busy} send={make}>
      <InputField
        label={t.overview.name}
        hint={w.nameHint}
        error={wrong}
        required
        maxLength={255}
        autocomplete="off"
        value={name}
        on={setName}
      />
      <Field label={w.scope} group>
        {() => <Seg label={w.scope} value={scope} options={scopes} on={setScope} />}
      </Field>
      <SelectField label={w.ends} value={days} options={lifetimes} on={setDays} />
    </FormSheet>
  )
}

// KeyOnce shows a new key, which is never shown again.
const KeyOnce = ({ of: k, close }: { of: KeyRow; close: () => void }) => (
  <Shown title={nameOf(k)} close={close} done={t.reports.done}>
    <p>{w.shown}</p>
    <Copy label={w.key} text={k.key ?? ''} />
    <p class="soft">{w.example}</p>
    <Copy lines label={w.example} text={`curl -H "Authorization: Bearer ${k.key}" ${location.origin}/api/v1/campaigns`} />
  </Shown>
)
