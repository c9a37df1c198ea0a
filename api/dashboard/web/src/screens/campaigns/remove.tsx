import { call } from '../../core/call.ts'
import { touches } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { Ask } from '../../parts/sheet.tsx'

// Remove asks before a campaign is deleted. then is called after it is deleted.
export const Remove = ({ of, close, then }: { of: { id: string; name: string }; close: () => void; then?: () => void }) => (
  <Ask
    title={t.campaigns.removeTitle}
    text={t.campaigns.removeText(of.name)}
    go={t.lists.remove}
    danger
    name={of.name}
    close={close}
    on={() =>
      call('DELETE /campaigns/{id}', { path: { id: of.id } }).then(() => {
        touches('campaigns', 'reports')
        toast(t.campaigns.removed(of.name))
        then?.()
      })
    }
  />
)
