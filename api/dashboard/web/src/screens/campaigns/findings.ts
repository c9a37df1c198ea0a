// Where a person can fix what the check of a campaign found, and the calls that fix it.
import type { CheckFinding } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { dateTime } from '../../core/dates.ts'
import { touches } from '../../core/query.ts'
import { to as addressOf } from '../../core/router.ts'
import { w } from '../../text/check.ts'
import { filled } from './fill.ts'

const sheets: Record<string, string> = {
  domain: '/app/domains',
  offer: '/app/offers',
  lander: '/app/landers',
  source: '/app/sources',
  network: '/app/networks',
}

// placeOf returns the address of the screen on which a person can fix what the check of a campaign found.
export function placeOf({ code, where }: CheckFinding, campaign: string): string {
  const { kind, field } = where,
    id = where.id ?? '',
    to = (path: string, params: Record<string, string> = {}) => addressOf(path, { ...params, checked: campaign })
  if (code === 'postbacks_failing') return to('/app/postbacks', { network: id })
  if (code === 'spend_failing') return to('/app/integrations', { source: id })
  if (kind === 'site') return to('/app/goals')
  if (kind === 'account') return to('/app/bots')
  const sheet = sheets[kind]
  if (sheet) return to(sheet, field ? { id, field } : { id })
  if (field === 'flow' || field === 'status') return to(`/app/campaigns/${id || campaign}/flow`)
  return to(`/app/campaigns/${campaign}/settings`, field ? { field } : {})
}

type Mending = (id: string, kind: string) => Promise<unknown>

// calls holds the fixes that take a single call of the service.
const calls: Partial<Record<CheckFinding['mend'], Mending>> = {
  verify_domain: id => call('POST /domains/{id}/verify', { path: { id } }),
  check_link: (id, kind) => call('POST /tools/check-links', { body: kind === 'offer' ? { offer_id: id } : { lander_id: id } }),
  resume: (id, kind) => call(kind === 'offer' ? 'PATCH /offers' : 'PATCH /landers', { body: { id, is_active: true } }),
}

// mendOf returns the call that fixes a finding, or undefined if a person has to change something.
export function mendOf({ mend, where }: CheckFinding) {
  const run = calls[mend]
  return run && where.id
    ? async () => {
        await run(where.id!, where.kind)
        touches('campaigns', 'domains', 'offers', 'landers')
      }
    : undefined
}

// textsOf returns the sentences of a finding in the language of the person. If the dashboard does not know the code of the finding,
// it returns the English sentences of the API.
export function textsOf(f: CheckFinding) {
  const own = w.of[f.code]
  if (!own) return { says: f.message, costs: f.costs, does: f.do }
  const values = {
    name: f.where.name,
    path: f.where.path_name,
    value: w.values[f.value] ?? f.value,
    at: f.at ? dateTime(f.at) : w.never,
  }
  return { says: filled(own.says, values), costs: own.costs, does: filled(own.does, values) }
}
