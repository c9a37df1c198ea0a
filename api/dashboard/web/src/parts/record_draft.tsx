import { useEffect, useRef, useState } from 'preact/hooks'
import { asError } from '../core/call.ts'
import type { Latest } from '../core/latest.ts'
import { isSame, merge, type Conflict, type Fields } from '../core/merge.ts'
import { t } from '../core/text.ts'
import { w } from '../text/merge.ts'
import { Button } from './button.tsx'

// Save saves the edits of a record. `changed` are the names of the edited fields. `match` is the version that the save replaces.
export type Save = (draft: Fields, changed: string[], match?: string) => Promise<unknown>
const mostTries = 5

// useRecordDraft holds the edits of a record. `value` is the saved record, and `names` are the fields of the form. What another
// person saves while the form is open is merged into the edits.
export function useRecordDraft(value: Fields, names: string[]) {
  const [draft, setDraft] = useState(value),
    [base, setBase] = useState(value), // the saved record with which the edits are compared
    [conflicts, setConflicts] = useState<Conflict[]>([])
  const changedIn = (fields: Fields, of = base) => names.filter(n => !isSame(fields[n], of[n]))
  // adopt merges the newest saved record into the edits.
  const adopt = (theirs: Fields) => {
    const { joined, conflicts: found } = merge(base, draft, theirs),
      now = { ...base, ...theirs }
    setBase(now)
    setDraft(joined)
    setConflicts(old => [...old.filter(c => !found.some(f => f.name === c.name) && !isSame(joined[c.name], now[c.name])), ...found])
    return { draft: joined, changed: changedIn(joined, now), found }
  }
  // store reads the record again with `latest`, merges the edits with what another person has saved, and saves the result. It
  // begins again if another person saves between the reading and this save. If both people have changed the same field, it saves
  // nothing and returns false.
  const store = async (latest: (() => Promise<Latest | undefined>) | undefined, save: Save) => {
    for (let tries = 1; ; tries++) {
      const theirs = await latest?.(),
        now = theirs ? adopt(theirs.fields) : { draft, changed: changedIn(draft), found: [] }
      if (now.found.length) return false
      try {
        await save(now.draft, now.changed, theirs?.match)
        setBase(old => ({ ...old, ...now.draft })) // until the record is loaded again, edits are compared with what was saved here
        setConflicts([])
        return true
      } catch (e) {
        if (!theirs?.match || asError(e).code !== 'stale' || tries === mostTries) throw e
      }
    }
  }
  useEffect(() => {
    if (!isSame(value, base)) adopt(value)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a value with the same content is the same value
  }, [JSON.stringify(value)])
  const adoptTheirs = (c: Conflict) => {
    setDraft(now => ({ ...now, [c.name]: c.theirs }))
    setConflicts(list => list.filter(o => o.name !== c.name))
  }
  return { draft, setDraft, base, changed: changedIn(draft), conflicts, setConflicts, store, adoptTheirs }
}

const textOf = (v: unknown) =>
  v == null || v === '' || (Array.isArray(v) && !v.length)
    ? w.empty
    : Array.isArray(v) && v.every(o => typeof o !== 'object')
      ? v.join(', ')
      : typeof v === 'object'
        ? JSON.stringify(v)
        : typeof v === 'boolean'
          ? t.conditions[v ? 'yes' : 'no']
          : String(v)

type Props = {
  of: Conflict[]
  labels: Record<string, string>
  adoptTheirs: (c: Conflict) => void
  show?: (c: Conflict) => string | undefined
}

// Conflicts names the fields that another person has changed too, with that person's values. The function `show` returns the text
// of a value, or undefined for the usual text.
export function Conflicts({ of, labels, adoptTheirs, show }: Props) {
  const el = useRef<HTMLDivElement>(null)
  useEffect(() => el.current?.scrollIntoView({ block: 'center' }), [of.length])
  return of.length > 0 ? (
    <div ref={el} class="formerror" role="alert">
      <p class="warn">{w.title}</p>
      {of.map(c => (
        <p key={c.name} class="row">
          <span class="wrap">{w.theirs(labels[c.name] ?? c.name, show?.(c) ?? textOf(c.theirs))}</span>
          <Button look="sm" onClick={() => adoptTheirs(c)} text={w.take} />
        </p>
      ))}
    </div>
  ) : null
}
