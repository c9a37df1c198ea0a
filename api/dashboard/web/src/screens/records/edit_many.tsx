import { useGroups } from '../../core/campaign.ts'
import type { Listed } from '../../core/listing.ts'
import { BulkEdit, statusSpec } from '../../parts/bulk_edit.tsx'

// EditMany changes state, group and tags of several offers or landing pages.
export const EditMany = ({ kind, rows, close }: { kind: 'offers' | 'landers'; rows: Listed[]; close: () => void }) => (
  <BulkEdit name={kind} rows={rows} groups={useGroups(kind)} specs={[statusSpec(['active', 'paused'])]} close={close} />
)
