// The parameters of a traffic source, each with the sub-parameter that it fills.
import { useState } from 'preact/hooks'
import type { SourceSub, SubSlot, SubUse } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { use } from '../../core/query.ts'
import { freeSub, meantSub, moved, renamed, rowsOf, storedOf, type SubRow } from '../../core/subs.ts'
import { earlySubs, mostSubs } from '../../subs.gen.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { Input, Select } from '../../parts/form.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { w } from '../../text/subs.ts'

type Props = {
  id?: string // the source; empty for a new one
  macros: Record<string, string>
  subs: SubSlot[]
  on: (macros: Record<string, string>, subs: SubSlot[]) => void
}
// few is the maximum number of records that a note names. It is also the minimum number of sub-parameters that are offered after the
// highest used one, as far as mostSubs allows.
const few = 3

type Question = { kind: 'move'; i: number; to: number } | { kind: 'free'; i: number }

// SubParams edits the parameters of a source. If a person removes a saved parameter, its sub-parameter stays reserved for it. Before
// a saved sub-parameter is moved or released, a dialog asks for confirmation.
export function SubParams({ id, macros, subs, on }: Props) {
  const [rows, setRows] = useState<SubRow[]>(() => rowsOf({ token_macros: macros, subs })),
    [question, setQuestion] = useState<Question>(),
    { data } = use('GET /traffic-sources/{id}/subs', id ? {} : null, 0, { id: id ?? '' })
  const [saved] = useState(id ? subs : []),
    known = (n: number) => data?.subs[n - 1],
    // kept keeps the sub-parameter of a saved row whose parameter was emptied.
    kept = (r: SubRow): SubRow => (r.param.trim() ? r : { ...r, param: saved.find(s => s.sub === r.sub)?.param ?? '', inLink: false }),
    send = (next: SubRow[]) => {
      setRows(next)
      const { token_macros, subs } = storedOf(next.map(kept))
      on(token_macros, subs)
    },
    set = (i: number, change: Partial<SubRow>) => send(rows.map((r, j) => (j === i ? { ...r, ...change } : r))),
    drop = (i: number) => send(rows.filter((_, j) => j !== i)),
    // isUsed reports whether clicks or records may use the row's sub-parameter.
    isUsed = (r: SubRow) => saved.some(s => s.sub === r.sub)
  const remove = (i: number) => (isUsed(rows[i]!) ? set(i, { inLink: false }) : drop(i))
  const move = (i: number, to: number) => {
    const other = rows.find(r => r.sub === to)
    if (isUsed(rows[i]!) || (other && isUsed(other))) setQuestion({ kind: 'move', i, to })
    else send(moved(rows, i, to))
  }
  return (
    <div class="subs">
      {rows.map((r, i) => (
        <div key={i} class="subrow" role="group" aria-label={r.param || String(i + 1)}>
          <Select
            label={w.slotOf(r.param || String(i + 1))}
            value={String(r.sub)}
            options={slotsFor(rows, r)}
            on={v => move(i, Number(v))}
          />
          {r.inLink ? (
            <Fields of={r} i={i} isFixed={isUsed(r)} set={set} rename={param => send(renamed(rows, i, param))} />
          ) : (
            <span class="gone">
              <b class="mono">{r.param}</b> <span class="dim">{w.removed}</span>
            </span>
          )}
          {r.inLink ? (
            <Button look="quiet icon" aria-label={t.parts.remove(r.param || String(i + 1))} onClick={() => remove(i)} icon="x" />
          ) : (
            <>
              <Button look="sm quiet" onClick={() => set(i, { inLink: true })} text={w.putBack} />
              <Button look="sm quiet" onClick={() => setQuestion({ kind: 'free', i })} text={w.release} />
            </>
          )}
          <Note of={r} known={isUsed(r) ? known(r.sub) : undefined} />
        </div>
      ))}
      <div>
        <Button
          look="sm"
          onClick={() => setRows([...rows, { sub: freeSub(rows), param: '', macro: '', name: '', inLink: true }])}
          icon="plus"
          text={t.parts.addRow}
        />
      </div>
      {question && (
        <Change
          of={question}
          rows={rows}
          known={known}
          close={() => setQuestion(undefined)}
          on={() => (question.kind === 'free' ? drop(question.i) : send(moved(rows, question.i, question.to)))}
        />
      )}
    </div>
  )
}

// slotsFor returns the sub-parameters that a row can have. A parameter such as sub3 fills the same sub-parameter at every source,
// so it cannot be moved.
const slotsFor = (rows: SubRow[], row: SubRow) =>
  row.sub > 0 && meantSub(row.param) === row.sub ? [{ value: String(row.sub), label: w.sub(row.sub) }] : freeSlots(rows, row)
const freeSlots = (rows: SubRow[], row: SubRow) => [
  ...(row.sub === 0 ? [{ value: '0', label: w.none }] : []),
  ...Array.from({ length: Math.min(mostSubs, Math.max(earlySubs, ...rows.map(r => r.sub + few))) }, (_, at) => {
    const n = at + 1,
      other = rows.find(r => r !== row && r.sub === n)
    return { value: String(n), label: row.sub === n ? w.sub(n) : `${w.sub(n)} (${other ? other.param || '?' : w.free})` }
  }),
]

type FieldsProps = {
  of: SubRow
  i: number
  isFixed: boolean
  set: (i: number, change: Partial<SubRow>) => void
  rename: (param: string) => void
}

// Fields edits the parameter, the macro and the name of a row. With `isFixed`, a changed parameter keeps its sub-parameter. Otherwise a
// parameter such as sub3 gets the sub-parameter of that number (see renamed).
const Fields = ({ of: r, i, isFixed, set, rename }: FieldsProps) => {
  const label = (what: string) => `${what} ${i + 1}`
  return (
    <>
      <Input
        class="mono"
        aria-label={label(t.link.param)}
        placeholder={t.link.param}
        maxLength={100}
        value={r.param}
        on={param => (isFixed ? set(i, { param }) : rename(param))}
      />
      <Input
        class="mono"
        aria-label={label(recordWords.fields.macro)}
        placeholder={recordWords.fields.macro}
        maxLength={255}
        value={r.macro}
        on={macro => set(i, { macro })}
      />
      <Input aria-label={label(w.name)} placeholder={w.name} maxLength={100} value={r.name} on={name => set(i, { name })} />
    </>
  )
}

// Note shows which values a sub-parameter received lately. If its parameter is not in the link, the note says instead that the
// sub-parameter gets no more values, and names the records that use it.
function Note({ of: r, known }: { of: SubRow; known?: SourceSub }) {
  const parts = r.inLink
    ? [known?.recent.length ? w.lately(known.recent.join(', ')) : '']
    : [w.stays(r.sub), known?.used_by.length ? w.namedBy(shortList(known.used_by)) : '']
  const text = parts.filter(Boolean).join(' ')
  return text ? <small class={'note ' + (r.inLink || !known?.used_by.length ? 'dim' : 'warn')}>{text}</small> : null
}

const describe = (u: SubUse) => `${w.kinds[u.kind] ?? u.kind} ${u.name}`
const shortList = (list: SubUse[]) =>
  [...list.slice(0, few).map(describe), ...(list.length > few ? [w.more(list.length - few)] : [])].join(', ')

type ChangeProps = {
  of: Question
  rows: SubRow[]
  known: (n: number) => SourceSub | undefined
  on: () => void
  close: () => void
}

// Change asks whether a sub-parameter may get another meaning, and lists the records that name it.
function Change({ of: q, rows, known, on, close }: ChangeProps) {
  const row = rows[q.i]!,
    other = q.kind === 'move' ? rows.find(r => r.sub === q.to) : undefined,
    places = q.kind === 'move' ? [row.sub, q.to] : [row.sub],
    uses = places.flatMap(n => (known(n)?.used_by ?? []).map(u => `${w.sub(n)}: ${describe(u)}`))
  return (
    <Ask
      title={q.kind === 'move' ? w.moveTitle(row.param, q.to) : w.releaseTitle(row.sub)}
      go={q.kind === 'move' ? w.move : w.release}
      close={close}
      on={() => Promise.resolve(on())}>
      <p>{q.kind === 'free' ? w.releaseText(row.sub, row.param) : row.sub ? w.moveText(row.param, row.sub, q.to) : ''}</p>
      {other && row.sub > 0 && <p>{w.moveSwap(other.param, row.sub)}</p>}
      {uses.length ? (
        <>
          <p>{w.uses}</p>
          <ul class="bullets">
            {uses.slice(0, 12).map(u => (
              <li key={u}>{u}</li>
            ))}
            {uses.length > 12 && <li>{w.more(uses.length - 12)}</li>}
          </ul>
        </>
      ) : (
        <p class="dim">{w.noUses}</p>
      )}
    </Ask>
  )
}
