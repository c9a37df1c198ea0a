import { useEffect, useState } from 'preact/hooks'
import type { NoteRow } from '../api.gen.ts'
import { canWrite } from '../core/can.ts'
import { use } from '../core/query.ts'
import { span } from '../core/window.ts'

type Module = typeof import('./marks.tsx')
export type Draft = Partial<NoteRow>

// useMarks returns the changes and notes of the window for a plot: its layer, its column in the table, and the button that adds a
// note. A campaign's plot has only the marks that name the campaign.
export function useMarks(campaign?: string) {
  const { data } = use('GET /app/api/marks', { from: span.value.from, to: span.value.to, ...(campaign ? { campaign } : {}) }, 120)
  const [m, load] = useState<Module>(),
    [draft, edit] = useState<Draft>()
  useEffect(() => {
    void import('./marks.tsx').then(load)
  }, [])
  return {
    layer: m && data ? (place: (at: number) => number) => <m.Layer of={data} place={place} edit={edit} /> : undefined,
    column: m && data ? { name: m.words.marks, of: (from: number, to: number) => m.tell(data, from, to) } : undefined,
    add: m && canWrite() ? <m.Add on={() => edit({ campaign_id: campaign })} /> : null,
    sheet: m && draft ? <m.NoteSheet of={draft} close={() => edit(undefined)} /> : null,
  }
}
