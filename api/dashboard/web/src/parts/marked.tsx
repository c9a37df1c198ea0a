import { useEffect, useState } from 'preact/hooks'
import { canWrite } from '../core/can.ts'
import { use } from '../core/query.ts'
import { span } from '../core/window.ts'
import type { NoteDraft } from '../core/marks.ts'

type Module = typeof import('./marks.tsx')

// useMarks returns how a plot shows the changes and notes of the window: a layer above the plot, a column of its table, the
// button that adds a note, and the sheet of a note.
export function useMarks(campaign?: string) {
  const { data } = use('GET /app/api/marks', { from: span.value.from, to: span.value.to, ...(campaign ? { campaign } : {}) }, 120)
  const [module, setModule] = useState<Module>(),
    [draft, setDraft] = useState<NoteDraft>()
  useEffect(() => {
    void import('./marks.tsx').then(setModule)
  }, [])
  return {
    layer: module && data ? (place: (at: number) => number) => <module.Layer of={data} place={place} edit={setDraft} /> : undefined,
    column: module && data ? { name: module.words.marks, of: (from: number, to: number) => module.describe(data, from, to) } : undefined,
    add: module && canWrite() ? <module.Add on={() => setDraft({ campaign_id: campaign })} /> : null,
    sheet: module && draft ? <module.NoteSheet of={draft} close={() => setDraft(undefined)} /> : null,
  }
}
