import { useState } from 'preact/hooks'
import { changeMany, undo, type Many } from '../core/bulk.ts'
import { asError } from '../core/call.ts'
import type { Option } from '../core/choices.ts'
import { refusers } from '../core/refusers.ts'
import { t } from '../core/text.ts'
import { toast } from '../core/toast.ts'
import { recordWords } from '../text/records.ts'
import { w } from '../text/bulk.ts'
import { RecordForm, type Draft, type Section, type Spec } from './record_form.tsx'
import { Sheet } from './sheet.tsx'

const unchanged: Option = { value: '', label: w.unchanged }
// noGroup is the choice to remove the group. Its value is a space, because an empty value leaves the group unchanged.
const noGroup = { value: ' ', label: w.noGroup }

// choiceSpec is a field that picks one of several values.
export const choiceSpec = (name: string, label: string, options: Option[]): Spec => ({
  name,
  kind: 'select',
  label,
  options: [unchanged, ...options],
})

export const statusSpec = (states: string[]): Spec =>
  choiceSpec(
    'status',
    t.lists.status,
    states.map(value => ({ value, label: t.lists.states[value]! })),
  )

const labelSpecs = (groups: string[], tags: string[]): Spec[] => [
  {
    name: 'group_name',
    kind: 'combo',
    label: t.lists.group,
    none: w.unchanged,
    free: true,
    choices: [noGroup, ...groups.map(value => ({ value, label: value }))],
  },
  { name: 'add_tags', kind: 'tags', label: w.addTags, known: tags },
  { name: 'remove_tags', kind: 'tags', label: w.removeTags, known: tags },
]

const bodyOf = (draft: Draft, changed: string[]): Draft =>
  Object.fromEntries(
    changed
      .filter(n => draft[n] !== '' && draft[n] != null)
      .map(n => [n, n === 'group_name' ? String(draft[n]).trim() : draft[n]] as [string, unknown]),
  )

type Props = {
  name: Many
  rows: { id: string; tags: string[] }[]
  specs: Spec[]
  sections?: Section[]
  groups: string[]
  byCode?: Record<string, string>
  before?: (body: Draft, save: () => Promise<void>) => Promise<void> // decides whether to save
  done: () => void // called when the change is saved
  close: () => void
}

// BulkEdit changes the same fields of several records. A record keeps its value of a field that is not set.
export function BulkEdit({ name, rows, specs, sections = [], groups, byCode, before, done, close }: Props) {
  const [dirty, setDirty] = useState(false),
    [refused, setRefused] = useState<string[]>([])
  const save = async (body: Draft) => {
    setRefused([])
    try {
      const made = await changeMany(
        name,
        rows.map(r => r.id),
        body,
      )
      toast(made.changed ? w.saved[name](made.changed) : w.same, made.changes.length ? { undo: () => undo(made.changes) } : {})
      done()
      close()
    } catch (e) {
      setRefused(refusers(asError(e).message))
      throw e
    }
  }
  const send = (draft: Draft, changed: string[]) => {
    const body = bodyOf(draft, changed),
      go = () => save(body)
    return before ? before(body, go) : go()
  }
  return (
    <Sheet side title={w.edit[name](rows.length)} close={close} keep={() => dirty}>
      <RecordForm
        sections={[
          { title: t.campaigns.fields.basics, text: w.text, specs },
          ...sections,
          { title: recordWords.fields.labels, specs: labelSpecs(groups, [...new Set(rows.flatMap(r => r.tags))]) },
        ]}
        value={{}}
        save={send}
        submit={t.parts.save}
        cancel={close}
        byCode={byCode}
        onDirty={setDirty}
        under={refused.length > 0 && <p class="bad">{w.refused(refused.join(', '))}</p>}
      />
    </Sheet>
  )
}
