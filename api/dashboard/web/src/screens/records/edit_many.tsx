import { useGroups } from '../../core/campaign.ts'
import type { Listed } from '../../core/listing.ts'
import { BulkEdit, statusSpec } from '../../parts/bulk_edit.tsx'

// EditMany changes state, group and tags of several offers or landing pages.
export const EditMany = ({ kind, ...rest }: { kind: 'offers' | 'landers'; rows: Listed[]; done: () => void; close: () => void }) => (
  <BulkEdit name={kind} {...rest} groups={useGroups(kind)} specs={[statusSpec(['active', 'paused'])]} />
)
