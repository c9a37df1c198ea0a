// Which path, landing page or offer of a campaign is better, and the weights that follow.
import type { ComparedGroup, FlowAnswer, Path } from '../api.gen.ts'
import { ApiError, call } from './call.ts'
import { touches } from './query.ts'

export type By = 'stream' | 'lander' | 'offer'

// byOf returns what a report that is grouped by a dimension can compare: paths (stream), landing pages or offers.
export const byOf = (dimension: string | undefined) =>
  (({ stream_id: 'stream', lander_id: 'lander', offer_id: 'offer' }) as Record<string, By>)[dimension ?? '']

// weighed returns the paths of a flow with the proposed weights of a group.
export function weighed(paths: Path[], { path_id, arms }: Pick<ComparedGroup, 'path_id' | 'arms'>): Path[] {
  const next = new Map(arms.flatMap(a => (a.proposed == null ? [] : [[a.id, a.proposed] as const])))
  return paths.map(p => {
    if (!path_id) return { ...p, weight: next.get(p.id) ?? p.weight }
    if (p.id !== path_id) return p
    return { ...p, destinations: p.destinations.map(d => ({ ...d, weight: next.get(d.id ?? '') ?? d.weight })) }
  })
}

// put saves paths as a campaign's flow, if `match` is still the version of the saved flow.
async function put(id: string, streams: Path[], match: string): Promise<FlowAnswer> {
  const answer = await call('PUT /campaigns/{id}/flow', { path: { id }, body: { streams }, match })
  touches('campaigns')
  return answer
}

// applyWeights saves the proposed weights of a group, if the flow still has the version of the comparison.
export async function applyWeights(id: string, version: string, group: ComparedGroup) {
  const old = await call('GET /campaigns/{id}/flow', { path: { id } })
  if (old.version !== version) throw new ApiError('stale', 409, 'the flow has changed')
  const { version: now } = await put(id, weighed(old.streams, group), version)
  return () => put(id, old.streams, now)
}

export const changesWeights = (g: Pick<ComparedGroup, 'arms'>) => g.arms.some(a => a.proposed != null && a.proposed !== a.weight)
