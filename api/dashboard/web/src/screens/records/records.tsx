import { useState } from 'preact/hooks'
import { call, type Row } from '../../core/call.ts'
import { changeManyAndToast, type Many } from '../../core/bulk.ts'
import { canWrite } from '../../core/can.ts'
import { checkOf } from '../../core/campaign.ts'
import { latestOf, versionOf } from '../../core/latest.ts'
import { inBatches, type Listed } from '../../core/listing.ts'
import type { Name } from '../../core/figures.ts'
import { touches, useAll, use } from '../../core/query.ts'
import { change, go, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { recordWords } from '../../text/records.ts'
import { span, windowQuery } from '../../core/window.ts'
import type { FigureRow, User } from '../../api.gen.ts'
import type { ComponentChildren } from 'preact'
import { Part } from '../../parts/card.tsx'
import { Listing, type Action, type Bulk, type Rest } from '../../parts/listing.tsx'
import { RecordForm, type Draft, type Section } from '../../parts/record_form.tsx'
import { Link } from '../../parts/button.tsx'
import { Sign } from '../../parts/icons.tsx'
import { Ask, Cancel, Sheet } from '../../parts/sheet.tsx'
import type { Column } from '../../parts/table.tsx'
import { EditMany } from './edit_many.tsx'
import { Replace } from './replace.tsx'
import { failed, toastAndReload, toast } from '../../core/toast.ts'

// Kind holds the differences between the lists of offers, landing pages, sources and networks.
export type Kind<R extends Listed> = {
  name: 'offers' | 'landers' | 'traffic-sources' | 'networks'
  path: string
  word: typeof t.kinds.offers
  dimension?: string
  figures: Name[]
  sums?: Name[]
  rest?: Rest
  clones?: boolean
  under?: (r: R) => ComponentChildren
  marks?: (r: R) => ComponentChildren
  extra?: Column<R>[]
  sections: (r: R | null) => Section[]
  fresh: Draft
  byCode?: Record<string, string>
  more?: (r: R) => Action<R>[]
  aside?: (r: R) => ComponentChildren
  usedBy?: (r: R) => User[] | undefined
  usesRouting?: boolean // campaigns and flows lead to the records
  // where a person goes on after creating a record; `param` is the parameter that gets the record's id
  next: { path: string; with?: Record<string, string>; param: string; text: string }
  tidy?: (d: Draft) => Draft // changes the draft before it is sent
  pick?: (choose: (d: Draft | undefined) => void) => ComponentChildren
}

const listed = (name: string) => `GET /${name}` as 'GET /offers'
const write = (method: string, name: string, ask: object) => call(`${method} /${name}` as Row, ask as never) as Promise<{ id: string }>

// useUsers loads the campaigns that lead to each record, by the record's id.
function useUsers(on: boolean): Map<string, User[]> | undefined {
  const { data } = use('GET /tools/routing', on ? {} : null)
  if (!data) return undefined
  const out = new Map<string, User[]>()
  for (const c of data.campaigns) {
    const ids = new Set(c.paths.flatMap(p => p.destinations.map(d => d.id)).filter(Boolean) as string[])
    for (const id of ids) out.set(id, [...(out.get(id) ?? []), { kind: 'campaign', id: c.id, name: c.name, status: c.status }])
  }
  return out
}

// Records shows the list of a kind of record, with a sheet that creates and changes records.
export function Records<R extends Listed>({ kind: k }: { kind: Kind<R> }) {
  const list = useAll(listed(k.name), { from: span.value.from, to: span.value.to }) as unknown as {
    rows: R[] | undefined
    whole: boolean
    error: undefined
    again: () => void
  }
  const { data: totals } = use('GET /stats/overview', k.rest ? windowQuery() : null)
  const open = place.value.query.get('id'),
    may = canWrite(),
    [pausing, setPausing] = useState<R[] | null>(null),
    [removing, setRemoving] = useState<R | null>(null),
    [replacing, setReplacing] = useState<R>(),
    [editing, setEditing] = useState<{ rows: R[]; done: () => void }>(),
    [created, setCreated] = useState('')
  const users = useUsers(!!k.usesRouting && (pausing !== null || removing !== null || open !== null)),
    used = (r: R) => k.usedBy?.(r) ?? users?.get(r.id) ?? []
  const record = open === 'new' ? null : list.rows?.find(r => r.id === open)
  const show = (id: string | null) => change({ id, field: null }, true),
    checked = place.value.query.get('checked') // the campaign whose check has led here
  const set = async (rows: R[], on: boolean) => {
    const done = on ? recordWords.resumed(rows.length, rows[0]!.name) : recordWords.paused(rows.length, rows[0]!.name)
    if (k.usesRouting && rows.length > 1) return changeManyAndToast(k.name as Many, rows, { status: on ? 'active' : 'paused' }, done)
    const wrong = await inBatches(rows, r => write('PATCH', k.name, { body: { id: r.id, is_active: on } }))
    touches(k.name, 'tools')
    if (wrong.length) failed(wrong[0], `${on ? t.lists.resume : t.lists.pause}: ${rows.length === 1 ? rows[0]!.name : rows.length}`)
    if (wrong.length < rows.length) toast(done, { undo: () => set(rows, !on) })
  }
  const setActive = (rows: R[], on: boolean) => {
    if (!on && (k.usesRouting || rows.some(r => used(r).length))) setPausing(rows)
    else void set(rows, on)
  }
  const clone = (r: R) =>
    write('POST', `${k.name}/{id}/clone`, { path: { id: r.id } }).then(made => {
      toastAndReload(recordWords.cloned(r.name), k.name)
      show(made.id)
    }, failed)
  const actions: Action<R>[] = [
    { label: may ? t.lists.edit : t.campaigns.openIt, key: 'e', on: r => show(r.id) },
    {
      label: t.campaigns.report,
      on: r => go(to('/app/reports', { g: `campaign_id,country`, ['f.' + k.dimension]: r.id })),
      if: () => k.dimension !== undefined,
    },
    ...(k.more ? k.more(list.rows?.[0] as R) : []),
  ]
  if (may) {
    actions.push(
      { label: t.lists.pause, key: 'p', on: r => setActive([r], false), if: r => r.status === 'active' },
      { label: t.lists.resume, key: 'p', on: r => setActive([r], true), if: r => r.status !== 'active' },
    )
    if (k.usesRouting) actions.push({ label: recordWords.replace, key: 'r', on: setReplacing })
    if (k.clones) actions.push({ label: t.lists.clone, on: r => void clone(r) })
    actions.push({ label: t.lists.remove, danger: true, on: r => setRemoving(r) })
  }
  const bulk: Bulk<R>[] = may
    ? [
        ...(k.usesRouting ? [{ label: t.lists.edit, keeps: true, on: (rows: R[], done: () => void) => setEditing({ rows, done }) }] : []),
        { label: t.lists.pause, on: rows => setActive(rows, false) },
        { label: t.lists.resume, on: rows => setActive(rows, true) },
      ]
    : []
  return (
    <>
      <Listing
        label={k.word.title}
        {...list}
        figures={k.figures}
        sums={k.sums}
        account={totals && k.rest ? { totals: totals as FigureRow, rest: k.rest, restHint: recordWords.restHint } : undefined}
        path={r => to(k.path, { id: r.id })}
        open={r => show(r.id)}
        under={k.under}
        marks={k.marks}
        extra={k.extra}
        setActive={may ? (r, on) => setActive([r], on) : undefined}
        actions={actions}
        bulk={bulk}
        add={may ? { label: k.word.add, on: () => show('new') } : undefined}
        empty={{ title: k.word.empty, more: k.word.emptyMore }}
      />
      {open && (open === 'new' || record) && (
        <Editor
          key={open}
          kind={k}
          record={record ?? null}
          used={record ? used(record) : []}
          isNew={record?.id === created}
          close={() => (checked ? go(checkOf(checked)) : show(null))}
          made={id => {
            setCreated(id)
            show(id)
          }}
        />
      )}
      {replacing && <Replace kind={k.name as 'offers'} of={replacing} close={() => setReplacing(undefined)} />}
      {editing && <EditMany kind={k.name as 'offers'} {...editing} close={() => setEditing(undefined)} />}
      {pausing && (
        <Ask
          title={recordWords.pauseTitle(pausing.length, pausing[0]!.name)}
          go={t.lists.pause}
          on={() => set(pausing, false)}
          close={() => setPausing(null)}>
          <UsedBy list={pausing.flatMap(used)} waiting={!!k.usesRouting && !users} what={recordWords.pauseText} />
        </Ask>
      )}
      {removing && (
        <Ask
          title={recordWords.removeTitle(removing.name)}
          go={t.lists.remove}
          danger
          name={removing.name}
          close={() => setRemoving(null)}
          on={() =>
            write('DELETE', k.name, { query: { id: removing.id } }).then(() => {
              toastAndReload(recordWords.removed(removing.name), k.name, 'tools')
              if (open === removing.id) show(null)
            })
          }>
          <UsedBy list={used(removing)} waiting={!!k.usesRouting && !users} what={recordWords.removeText} />
        </Ask>
      )}
    </>
  )
}

// UsedBy lists what uses a record, such as the campaigns that lead to an offer.
export function UsedBy({ list, waiting, what }: { list: User[]; waiting: boolean; what: string }) {
  const once = [...new Map(list.map(u => [u.id, u])).values()]
  if (waiting) return <p class="dim">{t.loading}</p>
  if (once.length === 0) return <p>{recordWords.notUsed}</p>
  return (
    <>
      {what && <p>{what}</p>}
      <ul class="bullets">
        {once.slice(0, 12).map(u => (
          <li key={u.id}>
            {u.kind === 'campaign' ? (
              <a class="link" href={to(`/app/campaigns/${u.id}/flow`)}>
                {u.name}
              </a>
            ) : (
              u.name
            )}
            {u.status !== 'active' && <span class="dim"> {t.lists.states[u.status] ?? u.status}</span>}
          </li>
        ))}
        {once.length > 12 && <li>{flowWords.moreLines(once.length - 12)}</li>}
      </ul>
    </>
  )
}

type EditorProps<R extends Listed> = {
  kind: Kind<R>
  record: R | null
  isNew: boolean // the record was created just now
  used: User[]
  close: () => void
  made: (id: string) => void
}

function Editor<R extends Listed>({ kind: k, record, isNew, used, close, made }: EditorProps<R>) {
  const [picked, setPicked] = useState<Draft>(),
    [dirty, setDirty] = useState(false),
    may = canWrite()
  const save = async (draft: Draft, _: string[], match?: string) => {
    const specs = k.sections(record).flatMap(s => s.specs),
      body = whole(k, draft)
    for (const s of specs) if (draft[s.name] !== undefined) body[s.name] = s.kind === 'combo' && draft[s.name] === '' ? null : draft[s.name]
    const sent = k.tidy ? k.tidy(body) : body,
      { id } = record
        ? await write('PUT', k.name, { body: { ...sent, id: record.id }, match })
        : await write('POST', k.name, { body: sent })
    touches(k.name, 'tools', 'groups', 'campaigns', 'stats')
    if (!record) return made(id)
    toast(recordWords.saved(String(draft.name ?? '')))
    if (!isNew) close() // the sheet of a new record stays, because it shows what to do next
  }
  return (
    <Sheet side title={record?.name ?? k.word.add} close={close} keep={() => dirty}>
      {record && isNew && !dirty && (
        <p class="part row saved" role="status">
          <Sign name="check" tone="good" />
          {recordWords.saved(record.name)}
        </p>
      )}
      {record && k.aside?.(record)}
      {!record && k.pick?.(setPicked)}
      <RecordForm
        key={JSON.stringify(picked)}
        sections={k.sections(record)}
        value={(record ?? picked ?? k.fresh) as Draft}
        saveUnchanged={!record}
        save={save}
        done={
          isNew && (
            <>
              <Cancel close={close} text={t.reports.done} />
              <Link href={to(k.path, { id: 'new' })} text={recordWords.another} />
              <Link look="primary" href={to(k.next.path, { ...k.next.with, [k.next.param]: record!.id })} text={k.next.text} />
            </>
          )
        }
        submit={record ? t.parts.save : recordWords.create}
        cancel={close}
        readOnly={!may}
        byCode={k.byCode}
        onDirty={setDirty}
        latest={
          record
            ? () => latestOf(k.name, record).then(now => now && { fields: whole(k, now as unknown as Draft), match: versionOf(now) })
            : undefined
        }
        under={
          record &&
          used.length > 0 && (
            <Part title={recordWords.usedBy}>
              <UsedBy list={used} waiting={false} what="" />
            </Part>
          )
        }
      />
    </Sheet>
  )
}

// whole returns all fields of a draft that are saved. The form does not show some of them, such as the platform of a template. A PUT
// would set a missing field back to its default.
const whole = <R extends Listed>(k: Kind<R>, draft: Draft): Draft => Object.fromEntries(Object.keys(k.fresh).map(n => [n, draft[n]]))
