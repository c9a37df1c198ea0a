import { useState } from 'preact/hooks'
import type { DeliveryRow, WebhookRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { call, type ApiError } from '../../core/call.ts'
import { ago, dateOf, dateTime } from '../../core/dates.ts'
import { count, hourOf } from '../../core/format.ts'
import { asWritten } from '../../core/idn.ts'
import { task } from '../../core/jobs.ts'
import { useKeys } from '../../core/keys.ts'
import { can, zone } from '../../core/me.ts'
import { touches, use } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { windowOf } from '../../core/window.ts'
import { w } from '../../text/webhooks.ts'
import { Copy, copy } from '../../parts/copy.tsx'
import { Seg, Select, Switch } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { RowMenu } from '../../parts/menu.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Empty, Loading, LoadingCard, EmptyCard, NoPlan } from '../../parts/state.tsx'
import { stepsOf } from '../../parts/stepper.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { failed, toastAndReload, toast } from '../../core/toast.ts'
import { Two } from '../../parts/two.tsx'
import { DeliverySheet, EndpointForm, nameOf, nextTry, redeliver, Secret, stateTag } from './sheets.tsx'
import { verifiers } from './verifiers.ts'

const live = 10, // seconds between reloads
  most = 200 // deliveries that are shown
const keys = [
  { key: 'N', text: w.add },
  { key: 'J K', text: w.move },
  { key: 'O', text: t.unmatched.open },
  { key: 'R', text: w.redeliverKey },
]

// Webhooks lists the customer's endpoints that receive events, and the deliveries to them with their results.
export function Webhooks() {
  const q = place.value.query,
    { data, error, again } = use('GET /webhooks', {}, live),
    may = can('member') && !!data?.planIncludes
  const [secret, setSecret] = useState(''),
    [editing, setEditing] = useState<WebhookRow | 'new' | null>(null)
  const log = use(
    'GET /webhooks/deliveries',
    {
      limit: most,
      ...(q.get('webhook') ? { webhook: q.get('webhook')! } : {}),
      ...(q.get('state') ? { status: q.get('state') as DeliveryRow['status'] } : {}),
    },
    live,
  )
  const rows = log.data?.rows,
    at = rows?.findIndex(r => r.id === q.get('delivery')) ?? -1,
    shown = rows?.[at]
  const show = (id: string | null) => change({ delivery: id }, true)
  useKeys(keys, e => {
    if (e.key === 'n' && may) {
      setEditing('new')
      return true
    }
  })
  if (!data) return <LoadingCard of={{ error, again }} height={320} />
  return (
    <div class="grid webhooks">
      {!data.planIncludes && <NoPlan text={w.noPlan} link={w.toPlan} />}
      {!can('member') && <p class="soft">{w.readOnly}</p>}
      <Endpoints rows={data.rows} may={may} edit={setEditing} reveal={setSecret} />
      {data.rows.length > 0 && (
        <Log hooks={data.rows} rows={rows} error={log.error} again={log.again} show={show} may={may} more={!!log.data?.next_cursor} />
      )}
      <Verifier />
      {editing && (
        <EndpointForm of={editing === 'new' ? null : editing} events={data.events} close={() => setEditing(null)} made={setSecret} />
      )}
      {secret && <Secret text={secret} close={() => setSecret('')} />}
      {shown && (
        <DeliverySheet
          key={shown.id}
          of={shown}
          hook={data.rows.find(h => h.id === shown.webhookId)}
          may={may}
          close={() => show(null)}
          step={stepsOf(rows, at, r => show(r.id))}
        />
      )}
    </div>
  )
}

type EndpointsProps = { rows: WebhookRow[]; may: boolean; edit: (of: WebhookRow | 'new') => void; reveal: (secret: string) => void }

function Endpoints({ rows, may, edit, reveal }: EndpointsProps) {
  const [rotating, setRotating] = useState<WebhookRow | null>(null),
    [removing, setRemoving] = useState<WebhookRow | null>(null)
  const add = may && <Button look="primary" onClick={() => edit('new')} icon="plus" text={w.add} letter="N" />
  const setActive = async (h: WebhookRow, active: boolean) => {
    try {
      await call('PATCH /webhooks', { body: { id: h.id, active } })
      toast(active ? w.resumed(nameOf(h)) : w.paused(nameOf(h)), { undo: () => setActive(h, !active) })
    } catch (e) {
      failed(e)
    }
    touches('webhooks')
  }
  const test = (h: WebhookRow) =>
    call('POST /webhooks/test', { body: { id: h.id } }).then(result => {
      toast(result.delivered ? w.tested(result.status ?? 200) : w.notTested(result.error ?? ''), { bad: !result.delivered })
      touches('webhooks')
    }, failed)
  if (rows.length === 0)
    return (
      <EmptyCard title={w.empty} more={w.emptyMore}>
        {add}
      </EmptyCard>
    )
  return (
    <Card title={w.endpoints} beside={add}>
      <ul class="list hooks">
        {rows.map(h => (
          <li key={h.id}>
            <Sign
              name={h.consecutiveFailures ? 'warn' : h.active ? 'hook' : 'pause'}
              tone={h.consecutiveFailures ? 'bad' : h.active ? 'good' : ''}
            />
            <div class="grow">
              <div class="t">{nameOf(h)}</div>
              <div class="d mono wrap">{asWritten(h.url)}</div>
              <div class="tagline">
                {h.events.map(e => (
                  <span key={e} class="tag">
                    {w.eventNames[e] ?? e}
                  </span>
                ))}
              </div>
              <div class="d">
                {h.deliveries.total ? w.week(count(h.deliveries.delivered), count(h.deliveries.total)) : w.weekNone}
                {h.deliveries.lastAt && ' · ' + w.last(ago(h.deliveries.lastAt))}
              </div>
              {h.consecutiveFailures > 0 && h.failingSince && (
                <div class="d bad">{w.failing(h.consecutiveFailures, dateTime(h.failingSince))}</div>
              )}
              {h.oldSecretUntil && <div class="d warn">{w.oldUntil(dateTime(h.oldSecretUntil))}</div>}
            </div>
            <Switch on={h.active} label={t.lists.activeOf(nameOf(h))} disabled={!may} set={on => void setActive(h, on)} />
            {may && <Button look="sm wide" onClick={() => void test(h)} text={w.test} />}
            <RowMenu
              name={t.lists.actionsOf(nameOf(h))}
              actions={[
                { label: w.itsLog, on: () => change({ webhook: h.id, state: null }) },
                { label: w.copyAddress, on: () => void copy(h.url) },
                may && { label: w.test, on: () => void test(h) },
                may && { label: w.edit, on: () => edit(h) },
                may && { label: w.rotate, on: () => setRotating(h) },
                may && { label: t.lists.remove, bad: true, on: () => setRemoving(h) },
              ]}
            />
          </li>
        ))}
      </ul>
      {rotating && (
        <Ask
          title={w.rotateTitle(nameOf(rotating))}
          text={w.rotateText}
          go={w.rotate}
          close={() => setRotating(null)}
          on={() =>
            call('POST /webhooks/rotate', { body: { id: rotating.id } }).then(got => {
              touches('webhooks')
              reveal(got.secret)
            })
          }
        />
      )}
      {removing && (
        <Ask
          title={t.exports.removeOf(nameOf(removing))}
          text={w.removeText}
          go={t.lists.remove}
          danger
          name={nameOf(removing)}
          close={() => setRemoving(null)}
          on={() =>
            call('DELETE /webhooks', { query: { id: removing.id } }).then(() =>
              toastAndReload(recordWords.removed(nameOf(removing)), 'webhooks'),
            )
          }
        />
      )}
    </Card>
  )
}

type LogProps = {
  hooks: WebhookRow[]
  rows: DeliveryRow[] | undefined
  error: ApiError | undefined
  again: () => void
  show: (id: string) => void
  may: boolean
  more: boolean
}

const columnsOf = (hooks: WebhookRow[], may: boolean): Column<DeliveryRow>[] => [
  {
    name: 'at',
    label: t.overview.time,
    left: true,
    phone: true,
    width: 100,
    cell: r => <Two a={hourOf(Date.parse(r.createdAt))} b={dateOf(Date.parse(r.createdAt))} />,
  },
  {
    name: 'event',
    label: w.event,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => <Two a={w.eventNames[r.event] ?? r.event} b={nameOf(hooks.find(h => h.id === r.webhookId) ?? { name: w.gone, url: '' })} />,
  },
  { name: 'state', label: t.lists.status, left: true, phone: true, width: 110, cell: r => stateTag(r) },
  { name: 'attempts', label: w.attempts, width: 80, cell: r => count(r.attempts) },
  {
    name: 'answer',
    label: w.answer,
    left: true,
    cell: r => (r.attempts ? <Two a={r.httpStatus ? String(r.httpStatus) : w.noAnswer} b={r.error ?? ''} /> : <span class="dim">—</span>),
  },
  {
    name: 'next',
    label: w.next,
    left: true,
    width: 130,
    cell: r => (r.nextAttemptAt ? nextTry(r.nextAttemptAt) : <span class="dim">—</span>),
  },
  ...(may
    ? [
        {
          name: 'acts',
          label: '',
          kind: 'more',
          width: 120,
          cell: (r: DeliveryRow) =>
            r.status !== 'delivered' && r.attempts > 0 && <Button look="sm" onClick={() => void redeliver(r)} text={w.redeliver} />,
        },
      ]
    : []),
]

// RedeliverFailed sends the failed deliveries of the last 30 days again, of one endpoint or of all.
function RedeliverFailed({ webhook, of }: { webhook: string; of: WebhookRow | undefined }) {
  const [confirming, setConfirming] = useState(false),
    failures = use('GET /webhooks/deliveries', { limit: 1, status: 'failed', ...(webhook ? { webhook } : {}) }, live).data
  const redeliverAll = async () => {
    const { from, to: until } = windowOf('30d', zone.value)
    const got = await task(
      w.all,
      'POST /webhooks/deliveries/redeliver-failed',
      { query: { from, to: until }, body: webhook ? { webhook } : {} },
      a => ({ text: w.allDone(a.requeued, count(a.requeued)), path: '/app/webhooks' }),
    )
    toast(w.allDone(got.requeued, count(got.requeued)))
    touches('webhooks')
  }
  return (
    <>
      <Button look="sm" disabled={!failures?.rows.length} onClick={() => setConfirming(true)} text={w.all} />
      {confirming && (
        <Ask
          title={w.allTitle}
          text={w.allText(of ? nameOf(of) : w.every, 30)}
          go={w.redeliver}
          close={() => setConfirming(false)}
          on={redeliverAll}
        />
      )}
    </>
  )
}

function Log({ hooks, rows, error, again, show, may, more }: LogProps) {
  const q = place.value.query,
    webhook = q.get('webhook') ?? '',
    state = q.get('state') ?? ''
  return (
    <Card
      look="report lists clicklog"
      title={w.log}
      note={w.logText}
      beside={may && <RedeliverFailed webhook={webhook} of={hooks.find(h => h.id === webhook)} />}>
      <div class="line logline">
        <Seg
          label={w.which}
          value={state}
          options={Object.entries(w.states).map(([value, label]) => ({ value, label }))}
          on={v => change({ state: v || null, delivery: null }, true)}
        />
        {hooks.length > 1 && (
          <Select
            label={w.endpoint}
            value={webhook}
            options={[{ value: '', label: w.every }, ...hooks.map(h => ({ value: h.id, label: nameOf(h) }))]}
            on={v => change({ webhook: v || null, delivery: null }, true)}
          />
        )}
      </div>
      {!rows ? (
        <Loading of={{ error, again }} height={200} />
      ) : rows.length === 0 ? (
        <Empty title={state || webhook ? w.noneFiltered : w.none}>
          {state || webhook ? (
            <Button onClick={() => change({ state: null, webhook: null })} text={t.reports.clearFilters} />
          ) : (
            <p class="dim">{w.noneMore}</p>
          )}
        </Empty>
      ) : (
        <Table
          label={w.log}
          rows={rows}
          columns={columnsOf(hooks, may)}
          keyOf={r => r.id}
          nameOf={r => r.id}
          height={44}
          onOpen={r => show(r.id)}
          onKey={(key, r) => {
            if (key === 'r' && may) {
              void redeliver(r)
              return true
            }
            return false
          }}
        />
      )}
      {rows && rows.length > 0 && (
        <div class="statusbar">
          <span>{more ? w.newest(count(rows.length)) : w.shown(count(rows.length))}</span>
          <span class="grow" />
          <span class="wide">
            <kbd>O</kbd> {t.unmatched.open}
          </span>
          {may && (
            <span class="wide">
              <kbd>R</kbd> {w.redeliverKey}
            </span>
          )}
        </div>
      )}
    </Card>
  )
}

// Verifier shows code that verifies a delivery, in several languages.
function Verifier() {
  const [language, setLanguage] = useState('node'),
    verifier = verifiers.find(v => v.value === language)!
  return (
    <section class="card part verifier">
      <div class="row wraps">
        <h2>{w.verify}</h2>
        <span class="grow" />
        <Seg label={t.dimensions.language} value={language} options={verifiers} on={setLanguage} />
      </div>
      <p class="soft">{w.verifyText}</p>
      <Copy lines text={verifier.text} label={w.verifier} />
      <p class="dim fine">{w.verifyMore}</p>
    </section>
  )
}
