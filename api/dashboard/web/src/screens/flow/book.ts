// The records of the account that a flow uses.
import { useMemo } from 'preact/hooks'
import type { Path } from '../../api.gen.ts'
import { useCampaigns, useNetworks, useRules, useSources } from '../../core/choices.ts'
import { useAll } from '../../core/query.ts'
import type { Known } from './edit.ts'

// Book has what is needed to show a flow: the ids of landing pages, the names of records, the saved rules by id, and for each
// offer the parameter in which the offer's network takes the click id.
export type Book = {
  known: Known
  rules: Map<string, { name: string; logic: string; conditions: Path['filters'] }>
  clickParams: Map<string, string>
}

// useBook loads the records that a flow can use, as lists and as a Book. `waits` is true while the landing pages are loading.
export function useBook() {
  const offerPages = useAll('GET /offers', {}),
    landerPages = useAll('GET /landers', {}),
    offers = offerPages.rows,
    landers = landerPages.rows,
    waits = !landers && !landerPages.error,
    loaded = !!offers && offerPages.whole && !!landers && landerPages.whole,
    campaigns = useCampaigns(),
    rules = useRules(),
    sources = useSources(),
    networks = useNetworks()
  return useMemo(() => {
    const names: Record<string, string> = {}
    for (const list of [offers, landers, campaigns, sources]) for (const r of list ?? []) names[r.id] = r.name
    return {
      offers,
      landers,
      campaigns,
      sources,
      saved: rules,
      waits,
      book: {
        known: { landers: new Set((landers ?? []).map(l => l.id)), names, loaded },
        rules: new Map((rules ?? []).map(r => [r.id, r])),
        clickParams: new Map((offers ?? []).map(o => [o.id, networks?.find(n => n.id === o.network_id)?.click_param ?? ''])),
      } as Book,
    }
  }, [offers, landers, campaigns, rules, sources, networks, waits, loaded])
}
