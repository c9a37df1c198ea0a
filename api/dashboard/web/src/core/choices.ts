// Records of the account as choices of a field.
import { useAll } from './query.ts'

// Option is a value of a field and the text that is shown for it. Choice is an option of a field with a search. A rare choice is
// shown only if it matches the search.
export type Option = { value: string; label: string }
export type Choice = Option & { side?: string; rare?: boolean }

export const choicesOf = (rows: { id: string; name: string; status: string }[] | undefined): Choice[] | undefined =>
  rows?.filter(r => r.status !== 'archived').map(r => ({ value: r.id, label: r.name, side: r.status === 'paused' ? r.status : undefined }))

// The lists are loaded without a window of time, so that all screens share the cached answers.
export const useOffers = (on = true) => useAll('GET /offers', on ? {} : null).rows
export const useLanders = (on = true) => useAll('GET /landers', on ? {} : null).rows
export const useSources = (on = true) => useAll('GET /traffic-sources', on ? {} : null).rows
export const useNetworks = (on = true) => useAll('GET /networks', on ? {} : null).rows
export const useCampaigns = (on = true) => useAll('GET /campaigns', on ? {} : null).rows
export const useRules = (on = true) => useAll('GET /rules', on ? {} : null).rows
export const useFlows = (on = true) => useAll('GET /flows', on ? {} : null).rows
