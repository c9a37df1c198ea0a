import { call } from '../../core/call.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { toastAndReload } from '../../core/toast.ts'
import type { Question } from '../../parts/ask.tsx'

// removalOf returns the question that is asked before a campaign is deleted.
export const removalOf = (c: { id: string; name: string }, then?: () => void): Question => ({
  title: t.campaigns.removeTitle,
  text: t.campaigns.removeText(c.name),
  go: t.lists.remove,
  danger: true,
  name: c.name,
  on: async () => {
    await call('DELETE /campaigns/{id}', { path: { id: c.id } })
    toastAndReload(recordWords.removed(c.name), 'campaigns', 'reports')
    then?.()
  },
})
