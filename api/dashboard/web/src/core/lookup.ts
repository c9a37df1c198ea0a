// Loads the values that the account's visitors have had, as choices of a condition.
import { useRef, useState } from 'preact/hooks'
import type { Choice } from './choices.ts'
import { call } from './call.ts'
import { valueName } from './condition.ts'
import { count } from './format.ts'
import type { Dimension } from './report.ts'
import { t } from './text.ts'

// Lookup returns the choices of an attribute: the account's records, or values that its visitors have had. It returns undefined
// while they are being loaded, and null for an attribute that reports do not have.
export type Lookup = (attribute: string) => Choice[] | undefined | null

export function useLookup(records: Record<string, Choice[] | undefined>): Lookup {
  const [loaded, setLoaded] = useState<Record<string, Choice[]>>({}),
    asked = useRef(new Set<string>())
  return attribute => {
    if (attribute in records) return records[attribute]
    if (!t.dimensions[attribute]) return null
    if (!asked.current.has(attribute)) {
      asked.current.add(attribute)
      call('GET /reports/values', { query: { dimension: attribute as Dimension, limit: 300 } }).then(
        v =>
          setLoaded(now => ({
            ...now,
            [attribute]: v.values
              .filter(o => o.value)
              .map(o => ({ value: o.value, label: v.labels[o.value] ?? valueName(attribute, o.value), side: count(o.clicks) })),
          })),
        () => setLoaded(now => ({ ...now, [attribute]: [] })),
      )
    }
    return loaded[attribute]
  }
}
