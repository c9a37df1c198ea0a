// Helpers that the list of domains and the sheet of a domain share.
import type { DomainRow } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { dateOf } from '../../core/dates.ts'
import { none } from '../../core/format.ts'
import { can } from '../../core/me.ts'
import { w } from '../../text/domains.ts'
import { failed, toastAndReload } from '../../core/toast.ts'

const soon = 30 * 86400000 // ms; Ending highlights a day that is nearer

// codeText returns the text that explains an error code of a domain.
export const codeText = (code: string) => w.codes[code]
export const mayChange = () => can('member')
// isPending reports whether a domain is not fully set up yet, because verification, DNS or the certificate is still pending.
export const isPending = (d: DomainRow) =>
  !d.is_verified || d.points === false || /^(initializing|pending_(validation|issuance|deployment))$/.test(d.ssl_status)
const statusOf = (status: string) => w.statuses[status] ?? status.replaceAll('_', ' ')
const certificateTone = (status: string) =>
  status === 'active' ? 'good' : status === 'none' || status.startsWith('pending') || status === 'initializing' ? '' : 'bad'

// Certificate shows the status of a certificate as a tag.
export const Certificate = ({ status }: { status: string }) => <span class={'tag ' + certificateTone(status)}>{statusOf(status)}</span>
// State shows whether a domain is verified and leads here.
export const State = ({ of: d }: { of: DomainRow }) => (
  <span class={'tag ' + (d.is_verified && d.points !== false ? 'good' : 'warn')}>
    {!d.is_verified ? w.waiting : d.points === false ? w.elsewhere : w.verified}
  </span>
)
// Ending shows the day on which a certificate or a registration ends.
export const Ending = ({ at }: { at: string | null }) =>
  at ? (
    <span class={'num' + (Date.parse(at) - Date.now() < soon ? ' warn' : '')}>{dateOf(Date.parse(at))}</span>
  ) : (
    <span class="dim">{none}</span>
  )
// usedBy returns the numbers of campaigns and smartlinks that use a domain, as text.
export const usedBy = (d: DomainRow) =>
  [d.campaigns ? w.campaigns(d.campaigns) : '', d.smartlinks ? w.smartlinks(d.smartlinks) : ''].filter(Boolean).join(', ')
export const tagsOf = (d: DomainRow) =>
  [
    d.is_default ? w.isDefault : '',
    d.group_name === 'spare' ? w.spare : d.failover ? w.failsOver : '',
    d.failed_over ? w.away(d.failed_over) : '',
  ].filter(Boolean)

// makeDefault makes a domain the default. A new campaign gets it if the person chooses no other domain.
export const makeDefault = (d: DomainRow) =>
  call('PATCH /domains', { body: { id: d.id, action: 'set_default' } }).then(
    () => toastAndReload(w.nowDefault(d.domain), 'domains', 'campaigns'),
    failed,
  )
