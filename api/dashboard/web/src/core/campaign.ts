// What several screens of campaigns share: new aliases, domains, groups, and the check of a campaign.
import type { Calls, CampaignDetail } from '../api.gen.ts'
import { call } from './call.ts'
import { asWritten } from './idn.ts'
import { defaultDomain, originOf } from './link.ts'
import { use } from './query.ts'
import { to } from './router.ts'
import type { Choice } from './choices.ts'
import { t } from './text.ts'

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

// newAlias returns a random word that is hard to guess and easy to type.
export const newAlias = () => Array.from(crypto.getRandomValues(new Uint8Array(9)), n => letters[n % letters.length]).join('')

// useDomains returns the domains for tracking links: first the account's, then the shared ones.
export function useDomains(): Choice[] | undefined {
  const { data } = use('GET /domains', { limit: 500 })
  if (!data) return undefined
  return [
    ...data.rows.map(d => ({
      value: d.id,
      label: asWritten(d.domain),
      side: d.is_default ? t.campaigns.defaultDomain : d.is_verified ? '' : t.campaigns.unverified,
    })),
    ...data.shared.map(d => ({ value: d.id, label: asWritten(d.domain), side: t.campaigns.sharedDomain })),
  ]
}

export function useIsShared(): (domain: string) => boolean {
  const shared = use('GET /domains', { limit: 500 }).data?.shared
  return domain => shared?.some(d => d.id === domain) ?? false
}

// useLeadsAway returns a function that reports whether a domain of the account does not lead to this service.
export function useLeadsAway(): (domain: string) => boolean {
  const own = use('GET /domains', { limit: 500 }).data?.rows
  return domain => own?.some(d => d.id === domain && d.points === false) ?? false
}

export function useDefaultDomain(): string {
  const { data } = use('GET /domains', { limit: 500 })
  return data ? defaultDomain(data) : ''
}

// useTracking returns the domain for a new tracking link, and the beginning of the addresses on it.
export function useTracking(): { domain: string; origin: string } {
  const { data } = use('GET /domains', { limit: 500 }),
    id = useDefaultDomain(),
    own = data?.rows.find(d => d.id === id)?.domain,
    domain = own ?? data?.shared.find(d => d.id === id)?.domain ?? ''
  return { domain, origin: domain && originOf(domain, own === undefined) }
}

// hasProblems reports whether the check of a campaign found a problem. It returns false if the check itself fails, so that the
// campaign can go live.
export const hasProblems = (id: string) =>
  call('GET /campaigns/{id}/check', { path: { id } }).then(
    found => found.problems > 0,
    () => false,
  )

// checkOf returns the address of a campaign's page with its check open. `live` adds a button that sets the campaign active.
export const checkOf = (id: string, live = false) => to(`/app/campaigns/${id}/flow`, { check: live ? 'live' : '1' })

export const useGroups = (scope: Calls['GET /groups']['query']['scope']) => use('GET /groups', { scope }).data?.groups ?? []

export type TabProps = { detail: CampaignDetail; again: () => void }
