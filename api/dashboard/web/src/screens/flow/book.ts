// The records that a flow can lead to.
import { useMemo } from 'preact/hooks'
import type { Path } from '../../api.gen.ts'
import { useCampaigns, useLanders, useOffers, useRules, useSources } from '../../core/choices.ts'
import type { Known } from './edit.ts'

export type Book = { known: Known; rules: Map<string, { name: string; logic: string; conditions: Path['filters'] }> }

// useBook returns the names of all records that a flow can lead to.
export function useBook() {
  const offers = useOffers(),
    landers = useLanders(),
    campaigns = useCampaigns(),
    rules = useRules(),
    sources = useSources()
  return useMemo(() => {
    const names: Record<string, string> = {}
    for (const list of [offers, landers, campaigns, sources]) for (const r of list ?? []) names[r.id] = r.name
    return {
      offers,
      landers,
      campaigns,
      sources,
      saved: rules,
      book: {
        known: { landers: new Set((landers ?? []).map(l => l.id)), names },
        rules: new Map((rules ?? []).map(r => [r.id, r])),
      } as Book,
      ready: !!offers && !!landers,
    }
  }, [offers, landers, campaigns, rules, sources])
}
