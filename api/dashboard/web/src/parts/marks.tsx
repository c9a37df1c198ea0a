import { useState } from 'preact/hooks'
import type { MarkList, NoteRow, RecordedChange } from '../api.gen.ts'
import { Button } from './button.tsx'
import { useAttempt } from '../core/busy.ts'
import { asError, call } from '../core/call.ts'
import { choicesOf, useCampaigns } from '../core/choices.ts'
import { dateOf, dateTime } from '../core/dates.ts'
import { zone } from '../core/me.ts'
import { grouped, marksOf, type Group, type Mark, type NoteDraft } from '../core/marks.ts'
import { touches } from '../core/query.ts'
import { moment, span, stamp, two, wall } from '../core/window.ts'
import { Combobox } from './combobox.tsx'
import { Area, Field, FormError, wrongOf, type Wrong, InputField } from './form.tsx'
import { Icon } from './icons.tsx'
import { Menu } from './menu.tsx'
import { FormSheet } from './sheet.tsx'
import { failed, toast } from '../core/toast.ts'
import { t } from '../core/text.ts'
import { w } from '../text/marks.ts'

export const words = w
const gap = 26, // px; a mark that is closer to the first mark of a group joins the group
  most = 12 // changes that are shown in one list
const changed = () => touches('app')

function sentenceOf(c: RecordedChange): string {
  if (c.title) return c.title
  const name = c.record ? w.named(c.record) : '',
    kind = w.kinds[c.kind] ?? c.kind,
    [method, path] = c.operation.split(' ') as [string, string]
  if (c.kind === 'blocks') return w.blocks[path] ?? kind
  if (path.endsWith('/flow')) return w.flow(name)
  if (path.endsWith('/stats')) return w.cleared(name)
  if (path.endsWith('/clone')) return w.copied(kind, name)
  if (path.endsWith('/replace')) return w.replaced(kind, name)
  if (path.endsWith('/bulk')) return w.many(kind)
  if (path.endsWith('/undo')) return w.undoneMany
  return (method === 'POST' ? w.made : method === 'DELETE' ? w.deleted : w.changed)(kind, name)
}
// whoOf names the person, the key or the Copilot that made a change, and the assistant through which it was made.
const whoOf = (c: RecordedChange) =>
  [
    ...(c.by === 'copilot' ? [w.copilot, c.who && w.by(c.who)] : [w.by(c.by === 'key' ? w.key(c.who) : c.who)]),
    c.via && w.through(c.client),
  ]
    .filter(Boolean)
    .join(', ')
const unnamed = ['id', 'revision'] // fields that a person does not set
const fieldsOf = (c: RecordedChange) =>
  c.fields
    .filter(f => !unnamed.includes(f))
    .slice(0, 8)
    .map(f => w.fields[f] ?? f.replaceAll('_', ' '))
    .join(', ')
// selectMarks selects the marks that are shown: all notes and the latest changes. `more` is the number of other changes.
function selectMarks(marks: Mark[]) {
  const notes = marks.filter(m => m.note),
    changes = marks.filter(m => m.change)
  return { list: [...notes.reverse(), ...changes.slice(-most).reverse()], more: Math.max(0, changes.length - most) }
}
const line = (m: Mark) => (m.note ? `${m.note.text} (${w.note}, ${w.by(m.note.author)})` : `${sentenceOf(m.change!)} (${whoOf(m.change!)})`)

// describe describes the marks in a span of time as text, for the table that people can open in place of the plot.
export function describe(of: MarkList, from: number, to: number): string {
  const { list, more } = selectMarks(marksOf(of).filter(m => m.at >= from && m.at < to))
  return [...list.map(line), ...(more > 0 ? [w.more(more)] : [])].join('; ')
}

// Layer shows the marks of changes and notes above a plot.
export function Layer({ of, place, edit }: { of: MarkList; place: (at: number) => number; edit: (d: NoteDraft) => void }) {
  return (
    <div class="marks" role="group" aria-label={w.marks}>
      {grouped(
        marksOf(of).filter(m => m.at >= span.value.start && m.at < span.value.end),
        place,
        gap,
      ).map(g => (
        <MarkGroup key={g.x} of={g} more={of.truncated} edit={edit} />
      ))}
    </div>
  )
}

// MarkGroup is a button that opens the list of the marks at one place.
function MarkGroup({ of: g, more, edit }: { of: Group; more: boolean; edit: (d: NoteDraft) => void }) {
  const first = g.marks[0]!,
    notes = g.marks.some(m => m.note),
    label = w.of(g.marks.length, dateTime(new Date(first.at).toISOString())),
    shown = selectMarks(g.marks)
  return (
    <span class={'plotmark' + (notes ? ' noted' : '')} style={`left:${g.x}px`}>
      <Menu
        kind="markbtn"
        name={label}
        label={
          <>
            <i aria-hidden="true">{g.marks.length > 1 ? g.marks.length : <Icon name={notes ? 'edit' : 'spark'} />}</i>
            <span class="hidden">{label}</span>
          </>
        }>
        {shut => (
          <div class="marklist">
            <ul class="list">
              {shown.list.map(m => (
                <li key={(m.note ?? m.change)!.id}>
                  {m.note ? (
                    <Note
                      of={m.note}
                      edit={n => {
                        shut()
                        edit(n)
                      }}
                    />
                  ) : (
                    <div class="grow">
                      <div class="t wrap">
                        {sentenceOf(m.change!)}
                        {m.change!.undone_at && (
                          <>
                            {' '}
                            <span class="tag">{w.undone}</span>
                          </>
                        )}
                      </div>
                      <div class="d wrap">
                        {dateTime(m.change!.at)} · {whoOf(m.change!)}
                      </div>
                      {fieldsOf(m.change!) && <div class="d wrap">{w.sent(fieldsOf(m.change!))}</div>}
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {shown.more > 0 && <p class="dim fine">{w.more(shown.more)}</p>}
            {more && <p class="dim fine">{w.truncated}</p>}
          </div>
        )}
      </Menu>
    </span>
  )
}

function Note({ of: n, edit }: { of: NoteRow; edit: (n: NoteRow) => void }) {
  const remove = () =>
    call('DELETE /app/api/notes/{id}', { path: { id: n.id } }).then(() => {
      changed()
      toast(w.removed)
    }, failed)
  return (
    <div class="grow">
      <div class="t wrap">{n.text}</div>
      <div class="d wrap">
        {dateTime(n.at)} · {w.by(n.author)}
        {n.campaign && <> · {n.campaign}</>}
      </div>
      {n.may_change && (
        <div class="row noteacts">
          <Button look="sm" onClick={() => edit(n)} icon="edit" text={w.edit} />
          <Button look="sm quiet" onClick={() => void remove()} icon="trash" text={t.lists.remove} />
        </div>
      )}
    </div>
  )
}

export const Add = ({ on }: { on: () => void }) => (
  <Button look="sm quiet icon" aria-label={w.addTo} title={w.add} onClick={on} icon="edit" />
)

// momentOf returns the moment of a day and a time of day in the account's time zone, or null if they are malformed.
function momentOf(day: string, time: string): number | null {
  const d = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.slice(1).map(Number),
    h = /^(\d\d):(\d\d)/.exec(time)?.slice(1).map(Number)
  return d && h ? moment(Date.UTC(d[0]!, d[1]! - 1, d[2]!, h[0], h[1]), zone.value) : null
}

export function NoteSheet({ of, close }: { of: NoteDraft; close: () => void }) {
  const start = of.at ? Date.parse(of.at) : Math.min(Date.now(), span.value.end - 60_000),
    local = new Date(wall(start, zone.value))
  const [day, setDay] = useState(dateOf(start, 'YYYY-MM-DD')),
    [time, setTime] = useState(two(local.getUTCHours()) + ':' + two(local.getUTCMinutes())),
    [text, setText] = useState(of.text ?? ''),
    [campaign, setCampaign] = useState(of.campaign_id ?? ''),
    { busy, wrong, setWrong, run } = useAttempt<Wrong>(e => wrongOf(asError(e), ['at', 'text'], { invalid_date: 'at' }))
  const choices = choicesOf(useCampaigns()),
    at = (field: string) => (wrong?.field === field ? wrong.text : undefined)
  const save = async () => {
    const moment = momentOf(day, time)
    if (moment === null) return setWrong({ field: 'at', text: w.needsDate })
    if (!text.trim()) return setWrong({ field: 'text', text: w.needsText })
    const body = { at: stamp(moment), text: text.trim(), campaign_id: campaign || null }
    await run(async () => {
      await (of.id ? call('PUT /app/api/notes/{id}', { path: { id: of.id }, body }) : call('POST /app/api/notes', { body }))
      changed()
      toast(w.saved)
      close()
    })
  }
  return (
    <FormSheet
      title={of.id ? w.edit : w.add}
      close={close}
      keep={() => text.trim() !== (of.text ?? '')}
      go={t.parts.save}
      off={busy}
      send={save}>
      <div class="fields">
        <InputField label={t.dimensions.date} error={at('at')} type="date" value={day} on={setDay} />
        <InputField label={w.time} hint={w.zone(zone.value)} type="time" value={time} on={setTime} />
        <Field label={w.text} wide hint={w.textHint} error={at('text')}>
          {wired => <Area wired={wired} value={text} max={500} on={setText} />}
        </Field>
        <Field label={w.about} wide>
          {wired => (
            <Combobox
              wired={wired}
              label={w.about}
              value={campaign}
              choices={choices && [{ value: '', label: w.all }, ...choices]}
              on={setCampaign}
            />
          )}
        </Field>
      </div>
      <FormError wrong={wrong} />
    </FormSheet>
  )
}
