// Marks of a plot: changes of the account and notes of people, in the order of time.
import type { MarkList, NoteRow, RecordedChange } from '../api.gen.ts'

export type Mark = { at: number; change?: RecordedChange; note?: NoteRow }
export type NoteDraft = Partial<NoteRow>
export type Group = { x: number; marks: Mark[] }

export const marksOf = (list: MarkList): Mark[] =>
  [
    ...list.changes.map(change => ({ at: Date.parse(change.at), change })),
    ...list.notes.map(note => ({ at: Date.parse(note.at), note })),
  ].sort((a, b) => a.at - b.at)

// grouped merges marks that would overlap.
export function grouped(marks: Mark[], place: (at: number) => number, gap: number): Group[] {
  const out: Group[] = []
  for (const mark of marks) {
    const x = place(mark.at),
      last = out.at(-1)
    if (last && x - last.x < gap) last.marks.push(mark)
    else out.push({ x, marks: [mark] })
  }
  return out
}
