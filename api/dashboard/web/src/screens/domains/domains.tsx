import { useEffect, useState } from 'preact/hooks'
import type { DomainRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { asError, call } from '../../core/call.ts'
import { dateOf, ago } from '../../core/dates.ts'
import { hourOf } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { use, useAll } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/domains.ts'
import { Copy } from '../../parts/copy.tsx'
import { RowMenu } from '../../parts/menu.tsx'
import { useAsk, type Question } from '../../parts/ask.tsx'
import { Bone, Empty, Failed, Late } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'
import { asWritten } from '../../core/idn.ts'
import { stepsOf } from '../../parts/stepper.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { toastAndReload, toast } from '../../core/toast.ts'
import { AddDomains } from './add.tsx'
import { Certificate, Ending, makeDefault, mayChange, codeText, tagsOf, State, usedBy, isPending } from './shared.tsx'
import { DomainSheet } from './sheet.tsx'

const every = 10 // seconds between reloads while a domain is not set up yet

// removalOf returns the question that is asked before a domain is deleted.
function removalOf(d: DomainRow, then: () => void): Question {
  const used = usedBy(d)
  return {
    title: recordWords.removeTitle(d.domain),
    text: w.removeText,
    go: t.lists.remove,
    danger: true,
    name: d.domain,
    wrong: e => toast(codeText(asError(e).code) ?? sentence(asError(e)), { bad: true }),
    on: async () => {
      await call('DELETE /domains', { query: { id: d.id } })
      toastAndReload(recordWords.removed(d.domain), 'domains')
      then()
    },
    children: used && <p class="warn">{w.inUse(used)}</p>,
  }
}

const columns: Column<DomainRow>[] = [
  {
    name: 'domain',
    label: t.campaigns.domain,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => (
      <span class="named">
        <span class="row">
          <span class="name cut" title={r.domain}>
            {asWritten(r.domain)}
          </span>
          {tagsOf(r)
            .slice(0, 1)
            .map(s => (
              <span key={s} class="tag">
                {s}
              </span>
            ))}
        </span>
        <small class="dim cut">{r.group_name || usedBy(r) || w.nothing}</small>
      </span>
    ),
  },
  { name: 'state', label: t.lists.status, left: true, phone: true, cell: r => <State of={r} /> },
  {
    name: 'https',
    label: w.https,
    left: true,
    cell: r =>
      r.https === null ? (
        <span class="dim">{w.unknown}</span>
      ) : r.https ? (
        <span class="good">{w.yes}</span>
      ) : (
        <span class="warn">{w.no}</span>
      ),
  },
  {
    name: 'certificate',
    label: w.certificate,
    left: true,
    cell: r => (
      <span class="named">
        <Certificate status={r.ssl_status} />
        {r.certificate_expires_at && <small class="dim">{w.until(dateOf(Date.parse(r.certificate_expires_at)))}</small>}
      </span>
    ),
  },
  { name: 'registered', label: w.registered, left: true, cell: r => <Ending at={r.registered_until} /> },
  {
    name: 'used',
    label: w.used,
    left: true,
    cell: r => (
      <span class="named">
        <span>{usedBy(r) || <span class="dim">{w.nothing}</span>}</span>
        {r.failed_over > 0 && <small class="warn">{w.away(r.failed_over)}</small>}
      </span>
    ),
  },
  { name: 'checked', label: w.checked, left: true, cell: r => <span class="dim">{r.checked_at ? ago(r.checked_at) : w.never}</span> },
]

const menu = (show: (r: DomainRow) => void, remove: (r: DomainRow) => void): Column<DomainRow> => ({
  name: 'more',
  label: '',
  kind: 'more',
  phone: true,
  cell: r => (
    <RowMenu
      kind="btn quiet icon"
      name={t.lists.actionsOf(r.domain)}
      actions={[
        { label: t.campaigns.openIt, on: () => show(r) },
        !r.is_default && r.is_verified && { label: w.makeDefault, on: () => void makeDefault(r) },
        { label: t.lists.remove, bad: true, on: () => remove(r) },
      ]}
    />
  ),
})

// useDomains loads all domains, and loads them again every few seconds while a domain is not set up yet. checkedAt is the time of the
// last answer.
function useDomains() {
  const list = useAll('GET /domains', { limit: 100 }),
    { rows } = list,
    [checkedAt, setCheckedAt] = useState(Date.now()),
    pending = rows?.some(isPending) ?? false
  useEffect(() => {
    if (rows) setCheckedAt(Date.now())
  }, [rows])
  useEffect(() => {
    if (!pending) return
    const timer = setInterval(() => {
      if (!document.hidden) list.again()
    }, every * 1000)
    return () => clearInterval(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- list is a new object in each render
  }, [pending])
  return { ...list, pending, checkedAt }
}

// Domains lists the hosts of tracking links.
export function Domains() {
  const list = useDomains(),
    { rows } = list,
    settings = use('GET /domains', { limit: 1 }).data,
    may = mayChange()
  const open = place.value.query.get('id'),
    [adding, setAdding] = useState(false),
    [question, ask] = useAsk()
  const shown = rows?.find(r => r.id === open),
    groups = [...new Set(rows?.map(r => r.group_name).filter(Boolean))]
  const show = (id: string | null) => change({ id }, true)
  const askToRemove = (d: DomainRow) =>
    ask(
      removalOf(d, () => {
        if (open === d.id) show(null)
      }),
    )
  const step = stepsOf(rows, rows?.findIndex(r => r.id === open) ?? -1, r => show(r.id))
  useKeys([...(may ? [{ key: 'N', text: w.add }] : []), { key: 'J K', text: w.next }, { key: 'O', text: w.open }], e => {
    if (e.key === 'n' && may) {
      setAdding(true)
      return true
    }
  })
  return (
    <>
      <div class="line filters">
        {settings?.cname_target && (
          <span class="fine wrap">
            <span class="dim">{w.cname}</span> <b class="mono">{settings.cname_target}</b>
          </span>
        )}
        {list.pending && (
          <span class="dim fine" role="status">
            {w.listLooks(hourOf(list.checkedAt))}
          </span>
        )}
        <span class="grow" />
        {may && rows?.length !== 0 && <Button look="primary" onClick={() => setAdding(true)} icon="plus" text={w.add} letter="N" />}
      </div>
      <section class="card report lists clicklog domains">
        {list.error && !rows ? (
          <Failed error={list.error} again={list.again} />
        ) : !rows ? (
          <Late>
            {[0, 1, 2, 3].map(i => (
              <div key={i} class="row waiting">
                <Bone w={220} />
                <Bone w={80} />
                <Bone w={80} />
                <Bone w={90} />
              </div>
            ))}
          </Late>
        ) : rows.length === 0 ? (
          <Empty title={w.empty} more={w.emptyMore}>
            {may && <Button look="primary" onClick={() => setAdding(true)} text={w.add} />}
          </Empty>
        ) : (
          <Table
            label={t.nav.domains}
            rows={rows}
            columns={may ? [...columns, menu(r => show(r.id), askToRemove)] : columns}
            keyOf={r => r.id}
            nameOf={r => r.domain}
            height={44}
            onOpen={r => show(r.id)}
            tall
          />
        )}
      </section>
      {settings && settings.shared.length > 0 && (
        <Part look="card shared" title={w.shared}>
          <p class="dim">{w.sharedText}</p>
          <div class="fields">
            {settings.shared.map(s => (
              <Copy key={s.id} text={s.domain} label={s.domain} />
            ))}
          </div>
        </Part>
      )}
      {adding && <AddDomains known={groups} close={() => setAdding(false)} show={show} />}
      {shown && (
        <DomainSheet
          key={shown.id}
          of={shown}
          target={settings?.cname_target ?? null}
          groups={[...new Set([...groups, 'spare'])]}
          close={() => show(null)}
          step={step}
          remove={() => askToRemove(shown)}
        />
      )}
      {question}
    </>
  )
}
