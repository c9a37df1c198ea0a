import type { NetworkPut } from '../../api.gen.ts'
import { recordWords } from '../../text/records.ts'
import type { Draft, Spec } from '../../parts/record_form.tsx'

const w = recordWords.fields
type Help = { name: string; secret: string; setup: string; click: string }
// schemes has the help for every scheme that the service knows.
const schemes: Record<NonNullable<NetworkPut['postback_scheme']>, Help> & Record<string, Help | undefined> = recordWords.schemes

// setupOf returns the text that says where to enter the network's postback address at the platform.
export const setupOf = (scheme: string) => schemes[scheme]?.setup ?? ''

const secretHint = (d: Draft) =>
  [schemes[String(d.postback_scheme)]?.secret ?? w.secretHint, d.has_postback_secret && w.secretSaved].filter(Boolean).join(' ')

// schemeSpecs are the fields that say how a shop or billing platform signs its notifications.
export const schemeSpecs: Spec[] = [
  {
    name: 'postback_scheme',
    kind: 'select',
    label: w.scheme,
    hint: d => schemes[String(d.postback_scheme)]?.click ?? w.schemeHint,
    options: [
      { value: '', label: w.schemeNone },
      ...Object.entries(schemes)
        .map(([value, s]) => ({ value, label: s!.name }))
        .sort((a, b) => a.label.localeCompare(b.label)),
    ],
  },
  { name: 'postback_secret', kind: 'text', label: w.secret, hint: secretHint, mono: true, secret: true },
]
