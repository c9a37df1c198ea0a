import { useEffect, useRef, useState } from 'preact/hooks'
import { isSame, merge, type Conflict, type Fields } from '../core/merge.ts'
import { w } from '../text/merge.ts'
import { Button } from './button.tsx'

// useRecordDraft holds the edits of a record. `value` is the saved record, and `names` are the fields of the form. What another
// person saves while the form is open is joined with the edits.
export function useRecordDraft(value: Fields, names: string[]) {
  const [draft, setDraft] = useState(value),
    [base, setBase] = useState(value), // what the edits are compared with
    [conflicts, setConflicts] = useState<Conflict[]>([])
  const changedIn = (fields: Fields, of = base) => names.filter(n => !isSame(fields[n], of[n]))
  // adopt takes over the record as another person may have saved it. It returns the joined fields, and the conflicts that it found.
  const adopt = (theirs: Fields) => {
    const { joined, conflicts: found } = merge(base, draft, theirs),
      now = { ...base, ...theirs }
    setBase(now)
    setDraft(joined)
    setConflicts(old => [...old.filter(c => !found.some(f => f.name === c.name) && !isSame(joined[c.name], now[c.name])), ...found])
    return { draft: joined, changed: changedIn(joined, now), found }
  }
  useEffect(() => {
    if (!isSame(value, base)) adopt(value)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a value with the same content is the same value
  }, [JSON.stringify(value)])
  return { draft, setDraft, base, changed: changedIn(draft), conflicts, setConflicts, adopt }
}

const textOf = (v: unknown) =>
  v == null || v === '' || (Array.isArray(v) && !v.length) ? w.empty : typeof v === 'object' ? JSON.stringify(v) : String(v)

type Props = { of: Conflict[]; labels: Record<string, string>; take: (c: Conflict) => void }

// Conflicts names the fields that another person has changed too, with the other values. It scrolls into sight.
export function Conflicts({ of, labels, take }: Props) {
  const el = useRef<HTMLDivElement>(null)
  useEffect(() => el.current?.scrollIntoView({ block: 'center' }), [of.length])
  return of.length > 0 ? (
    <div ref={el} class="formerror" role="alert">
      <p class="warn">{w.title}</p>
      {of.map(c => (
        <p key={c.name} class="row">
          <span class="wrap">{w.theirs(labels[c.name] ?? c.name, textOf(c.theirs))}</span>
          <Button look="sm" onClick={() => take(c)} text={w.take} />
        </p>
      ))}
    </div>
  ) : null
}
