// The numbers of items that a person still has to handle.
import { signal } from '@preact/signals'
import type { AlertList } from '../api.gen.ts'
import { count } from './format.ts'

export type Waiting = 'alerts' | 'unmatched' | 'suggestions'
export const waiting = signal<Record<Waiting, number>>({ alerts: 0, unmatched: 0, suggestions: 0 })

export function setWaiting(of: AlertList) {
  waiting.value = { alerts: of.count, unmatched: of.unmatchedPostbacks, suggestions: of.openSuggestions }
}

// most is the number up to which the service counts unmatched postbacks.
const most = 100
export const atMost = (n: number) => (n >= most ? `${most - 1}+` : count(n))
