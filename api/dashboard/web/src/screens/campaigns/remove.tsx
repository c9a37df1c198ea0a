import { call } from '../../core/call.ts'
import { t } from '../../core/text.ts'
import { finished } from '../../core/toast.ts'
import { Ask } from '../../parts/sheet.tsx'

// Remove asks before a campaign is deleted. then is called after it is deleted.
export const Remove = ({ of: c, close, then }: { of: { id: string; name: string }; close: () => void; then?: () => void }) => (
  <Ask
    title={t.campaigns.removeTitle}
    text={t.campaigns.removeText(c.name)}
    go={t.lists.remove}
    danger
    name={c.name}
    close={close}
    on={() =>
      call('DELETE /campaigns/{id}', { path: { id: c.id } }).then(() => {
        finished(t.records.removed(c.name), 'campaigns', 'reports')
        then?.()
      })
    }
  />
)
