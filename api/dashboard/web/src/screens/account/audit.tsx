import type { AuditRow } from '../../api.gen.ts'
import { undo } from '../../core/bulk.ts'
import { useBusy } from '../../core/busy.ts'
import { dateTime } from '../../core/dates.ts'
import { canWrite } from '../../core/can.ts'
import { count } from '../../core/format.ts'
import { can } from '../../core/me.ts'
import { useAll, use } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { w as words } from '../../text/people.ts'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/form.tsx'
import { Empty, EmptyCard, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { fieldLabel, valueLabel } from './audit_fields.ts'

const w = words.audit
// partOf returns the part of the API that an operation belongs to, such as campaigns.
const partOf = (operation: string) => operation.replace(/^\S+ (\/app\/api)?\//, '').split('/')[0]!
const authorOf = (r: AuditRow) => r.who || w.byJob

function actionOf(r: AuditRow) {
  if (r.refused) return w.refused(r.refused, count(r.refused))
  const part = partOf(r.operation),
    action = sentOf(r, 'action'),
    text =
      (r.operation === 'POST /copilot' && action ? w.copilot[action] : w.operations[r.operation]) ??
      w.did(w.things[part] ?? part, w.verbs[r.operation.split(' ')[0]!] ?? '')
  return sentOf(r, 'dry_run') ? w.dryRun(text) : text
}

// sentOf returns the value that a call sent for a field, if the log has it.
const sentOf = (r: AuditRow, field: string) => {
  const found = r.changes.find(c => c.field === field && c.before === 'null')
  return found && (JSON.parse(found.after) as string)
}

// elsewhere has the names of the fields that Fields leaves out unless the log has a value before the change. The action or the record
// shows their content, or they are secrets or files.
const elsewhere = ['action', 'dry_run', 'apply', 'id', 'ids', 'change_id', 'password', 'token', 'csv']

function recordPath(r: AuditRow) {
  const screen = recordScreens[r.kind]
  if (!r.record || !screen || r.operation.startsWith('DELETE')) return null
  return screen.endsWith('/') ? to(screen + r.record) : to(screen, { id: r.record })
}
const recordScreens: Record<string, string> = {
  campaigns: '/app/campaigns/',
  offers: '/app/offers',
  landers: '/app/landers',
  'traffic-sources': '/app/sources',
  networks: '/app/networks',
  'short-links': '/app/smartlinks',
  domains: '/app/domains',
}
// listed maps a part of the API to the screen of a list. An entry that names no record leads there.
const listed: Record<string, string> = { blocks: '/app/blocked', corrections: '/app/corrections' }

// nameOf returns the name of an entry's record, the last name of a deleted record, or the names of several records.
function nameOf(r: AuditRow) {
  const deleted = r.changes.find(c => c.field === 'name' && c.after === 'null')
  return r.name || (deleted ? (JSON.parse(deleted.before) as string) : (sentOf(r, 'ids') ?? ''))
}

function RecordCell({ of: r }: { of: AuditRow }) {
  const path = recordPath(r),
    name = nameOf(r),
    title = [name, r.record].filter(Boolean).join(' '),
    part = partOf(r.operation)
  if (path && r.name)
    return (
      <a class="cut block" href={path} title={title}>
        {name}
      </a>
    )
  if (name)
    return (
      <span class="cut block" title={title}>
        {name}
      </span>
    )
  if (listed[part]) return <a href={to(listed[part])}>{w.things[part]}</a>
  if (!r.record || part === 'changes') return <span class="dim">—</span>
  return (
    <span class="dim" title={r.record}>
      {w.nameless}
    </span>
  )
}

// ActionCell shows the action of an entry. A narrow screen has no column of people, so the cell also names the author there.
const ActionCell = ({ of: r }: { of: AuditRow }) => (
  <span class="named">
    <span class="cut block" title={actionOf(r)}>
      {actionOf(r)}
    </span>
    <small class="dim cut wide" title={r.operation}>
      {r.tool ? `${r.tool} · ${r.operation}` : r.operation}
    </small>
    <small class="dim cut onphone" title={r.email ?? ''}>
      {r.email ? `${authorOf(r)} · ${r.email}` : r.via ? `${authorOf(r)} · ${w.through(r.client)}` : authorOf(r)}
    </small>
  </span>
)

export const Audit = () => (canWrite() ? <Log /> : <EmptyCard title={w.writersOnly} more={words.ownersOnlyMore} />)

// valueText formats a value of the log for people: texts and lists without quotes, an empty value as a dash, and objects as JSON.
function valueText(field: string, json: string) {
  const list = [JSON.parse(json) as unknown].flat(2)
  if (list.some(v => v !== null && typeof v === 'object')) return json
  return [...new Set(list.map(v => (v === null || v === '' ? '—' : valueLabel(field, v))))].join(', ') || '—'
}

// Fields lists the fields of a change, with the values before and after if the log has both.
function Fields({ row }: { row: AuditRow }) {
  const changes = row.changes.filter(c => !elsewhere.includes(c.field) || c.before !== 'null'),
    label = (field: string) => fieldLabel(partOf(row.operation), field),
    changed = new Map(changes.map(c => [c.field, w.changed(label(c.field), valueText(c.field, c.before), valueText(c.field, c.after))]))
  const list = [...new Set([...changed.values(), ...row.fields.filter(f => !changed.has(f) && !elsewhere.includes(f)).map(label)])]
  if (!list.length) return <span class="dim">{w.none}</span>
  return (
    <span class="fieldlist" title={list.join('\n')}>
      {list.map(f => (
        <span key={f} class="tag">
          {f}
        </span>
      ))}
    </span>
  )
}

// changeOf returns the id by which the change of an entry can be undone.
function changeOf(r: AuditRow, undone: Set<string | undefined>) {
  const id = sentOf(r, 'change_id')
  return id && !undone.has(id) && Date.now() - Date.parse(r.at) < undoDays * 86_400_000 ? id : undefined
}
const undoDays = 90

function UndoCell({ of: r, change: id, again }: { of: AuditRow; change?: string; again: () => void }) {
  const [busy, run] = useBusy()
  return id ? (
    <Button
      look="sm"
      disabled={busy}
      aria-label={`${w.undo}: ${actionOf(r)}`}
      onClick={() => void run(() => undo([id]).then(again))}
      text={w.undo}
    />
  ) : null
}

// Log lists the changes and sign-ins of the chosen days, newest first. People who are not owners see their own entries.
function Log() {
  const address = place.value.query,
    who = address.get('who') ?? '',
    what = address.get('what') ?? '',
    filtered = !!(who || what)
  const { rows, whole, error, again } = useAll('GET /app/api/audit', {
    from: span.value.from,
    to: span.value.to,
    ...(who && { who }),
    ...(what && { what }),
  })
  const isOwner = can('owner'),
    team = use('GET /app/api/team', isOwner ? {} : null).data,
    keys = use('GET /app/api/keys', isOwner ? {} : null).data
  const people = [
    { value: '', label: w.everybody },
    ...(team?.rows ?? []).map(m => ({ value: m.id, label: m.name ? `${m.name} (${m.email})` : m.email })),
    ...(keys?.rows ?? []).map(k => ({ value: k.id, label: `${w.byKey}: ${k.name || k.hint}` })),
  ]
  const things = [
    { value: '', label: w.everything },
    ...Object.entries(w.things)
      .map(([value, label]) => ({ value, label }))
      .sort((a, b) => a.label.localeCompare(b.label)),
  ]
  const undone = new Set(rows?.filter(r => r.operation === 'POST /changes/{id}/undo').map(r => sentOf(r, 'change_id')))
  const columns: Column<AuditRow>[] = [
    { name: 'at', label: w.when, left: true, width: 160, phone: true, cell: r => <span class="num nowrap">{dateTime(r.at)}</span> },
    {
      name: 'who',
      label: w.who,
      left: true,
      width: 190,
      cell: r => <Two a={authorOf(r)} b={r.via ? w.through(r.client) : r.key_id ? w.byKey : r.person_id ? (r.email ?? '') : w.byJob} />,
    },
    { name: 'what', label: w.what, left: true, phone: true, kind: 'first', cell: r => <ActionCell of={r} /> },
    { name: 'record', label: w.record, left: true, width: 160, cell: r => <RecordCell of={r} /> },
    { name: 'fields', label: w.fields, left: true, cell: r => <Fields row={r} /> },
    { name: 'address', label: w.address, left: true, width: 130, cell: r => <span class="mono dim">{r.address}</span> },
  ]
  if (rows?.some(r => changeOf(r, undone)))
    columns.push({
      name: 'undo',
      label: w.undo,
      left: true,
      width: 110,
      cell: r => <UndoCell of={r} change={changeOf(r, undone)} again={again} />,
    })
  return (
    <>
      <div class="line filters">
        {isOwner ? (
          <Select label={w.who} value={who} options={people} on={v => change({ who: v || null }, true)} />
        ) : (
          <span class="dim">{w.own}</span>
        )}
        <Select label={w.what} value={what} options={things} on={v => change({ what: v || null }, true)} />
      </div>
      <section class="card report lists clicklog even">
        {!rows ? (
          <Loading of={{ error, again }} height={220} />
        ) : rows.length === 0 ? (
          <Empty title={filtered ? w.emptyFiltered : w.empty}>
            {filtered && <Button onClick={() => change({ who: null, what: null }, true)} text={t.reports.clearFilters} />}
          </Empty>
        ) : (
          <>
            <Table label={t.rooms.audit} rows={rows} columns={columns} keyOf={r => r.id} nameOf={actionOf} height={44} tall />
            <div class="statusbar">
              <span>{whole ? w.rows(rows.length, count(rows.length)) : w.most(count(rows.length))}</span>
            </div>
          </>
        )}
      </section>
    </>
  )
}
